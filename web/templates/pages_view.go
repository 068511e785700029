package templates

import (
	"context"

	"countersign/internal/planning"
)

// ChangesPage is what became of the files.
type ChangesPage struct {
	Page
	State planning.State
	Files []FileDiff
}

// FileDiff is one file that the session changed.
type FileDiff struct {
	Path    string
	Existed bool
	Exists  bool
	InPlan  bool
	Todos   []string // texts of the items that were in progress
	Added   int
	Removed int
	Omitted string // why there is no diff
	Hunks   []DiffHunk
}

// DiffHunk is a run of changed lines.
type DiffHunk struct{ Lines []DiffLine }

// DiffLine is one line; Old and New are its numbers, 0 where it isn't.
type DiffLine struct {
	Op       byte // ' ', '+' or '-'
	Old, New int
	Text     string
	NoEnd    bool // the file stops here without a line end
}

func (l DiffLine) class() string {
	switch l.Op {
	case '+':
		return "a"
	case '-':
		return "r"
	default:
		return ""
	}
}

func (l DiffLine) sign() string {
	switch l.Op {
	case '+':
		return "+"
	case '-':
		return "−"
	default:
		return ""
	}
}

func (f FileDiff) what(ctx context.Context) string {
	switch {
	case !f.Existed:
		return tr(ctx, "new")
	case !f.Exists:
		return tr(ctx, "deleted")
	default:
		return ""
	}
}

func (p ChangesPage) totals() (added, removed, outside int) {
	for _, f := range p.Files {
		added += f.Added
		removed += f.Removed
		if !f.InPlan {
			outside++
		}
	}
	return added, removed, outside
}

// HistoryPage is who did what to which version, the newest first.
type HistoryPage struct {
	Page
	State   planning.State
	Records []planning.Record // the newest first
	Older   int64             // where older records begin, counted back; 0 if there are none
}

// ModelsPage says how to connect a model.
type ModelsPage struct {
	Page
	Model string // what new sessions use
}
