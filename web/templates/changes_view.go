package templates

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// ChangesPage is what became of the files.
type ChangesPage struct {
	Page
	State  planning.State
	ByStep bool
	Groups []ChangeGroup
	Open   int64 // a record of a file that is to be shown in full
	Note   LineNote
	Sent   bool // a comment has just been sent
}

// ChangeGroup is the files that changed during one step, or all files.
type ChangeGroup struct {
	Step   bool   // one of a list of steps
	Title  string // of the item in progress; empty for none
	Status planning.TodoStatus
	Files  []FileDiff
}

// FileDiff is one file that the session changed, from one record to another.
type FileDiff struct {
	Path string
	planning.ChangeSpan
	Todos   []string // texts of the items that were in progress
	Loaded  bool     // the rest is known
	Same    bool     // it is as it was
	Added   int
	Removed int
	Omitted string // why there is no diff
	Hunks   []DiffHunk
	Notes   []ShownNote // oldest first
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

// LineNote is a comment that is being written on a line. Record is the change
// of the file in which the line is; 0 for none.
type LineNote struct {
	Record  int64
	Line    int
	Old     bool // in the text before that change, not after it
	Body    string
	Problem string
}

// Covers tells whether a record is at one of the ends of the change.
func (f FileDiff) Covers(record int64) bool {
	return record > 0 && (record == f.First || record == f.Last)
}

// Lines is how many lines are shown.
func (f FileDiff) Lines() int {
	n := 0
	for _, h := range f.Hunks {
		n += len(h.Lines)
	}
	return n
}

// id is the same as long as the page is about the same changes.
func (f FileDiff) id() string { return fmt.Sprintf("f-%d", f.First) }

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

// note is the comment that one would write on a changed line.
func (f FileDiff) note(l DiffLine) LineNote {
	if l.Op == '-' {
		return LineNote{Record: f.First, Line: l.Old, Old: true}
	}
	return LineNote{Record: f.Last, Line: l.New}
}

// is tells whether two notes are on the same line.
func (n LineNote) is(o LineNote) bool {
	return n.Record == o.Record && n.Line == o.Line && n.Old == o.Old
}

// id is how the browser knows the draft of it.
func (n LineNote) id() string { return fmt.Sprintf("line-%d-%s-%d", n.Record, n.side(), n.Line) }

func (n LineNote) side() string {
	if n.Old {
		return "old"
	}
	return "new"
}

func (p ChangesPage) root() string { return "/sessions/" + p.State.ID + "/changes" }

// address is this page with something in its query.
func (p ChangesPage) address(fields ...string) string {
	q := url.Values{}
	if p.ByStep {
		q.Set("by", "step")
	}
	for i := 0; i+1 < len(fields); i += 2 {
		q.Set(fields[i], fields[i+1])
	}
	return strings.TrimSuffix("?"+q.Encode(), "?")
}

func (p ChangesPage) noteAddress(f FileDiff, n LineNote) string {
	return p.address("open", fmt.Sprint(f.First), "record", fmt.Sprint(n.Record), "side", n.side(), "line", fmt.Sprint(n.Line)) + "#" + n.id()
}

func (p ChangesPage) mayNote() bool { return p.can(review.ActionTask) && !p.State.Abandoned() }

// totals count what is known; all tells whether that is everything.
func (p ChangesPage) totals() (files, added, removed int, all bool) {
	all = true
	for _, g := range p.Groups {
		for _, f := range g.Files {
			files++
			added += f.Added
			removed += f.Removed
			all = all && f.Loaded
		}
	}
	return files, added, removed, all
}

// outside counts the files that the plan does not list.
func (p ChangesPage) outside() int {
	n := 0
	for _, c := range p.State.Changes {
		if !c.InPlan {
			n++
		}
	}
	return n
}

// placed tells whether the page shows the line that the comment is on: the file
// may have changed again since.
func (p ChangesPage) placed() bool {
	for _, g := range p.Groups {
		for _, f := range g.Files {
			for _, h := range f.Hunks {
				for _, l := range h.Lines {
					if l.Op != ' ' && f.note(l).is(p.Note) {
						return true
					}
				}
			}
		}
	}
	return false
}
