package web

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/planning"

	"github.com/aymanbagabas/go-udiff"
)

// Change is what became of one file since the session began, as people and
// the API see it.
type Change struct {
	Path    string   `json:"path"`
	Existed bool     `json:"existed"` // before the session
	Exists  bool     `json:"exists"`
	InPlan  bool     `json:"in_plan"`
	Todos   []string `json:"todos"` // items in progress while it changed
	Added   int      `json:"added"` // lines
	Removed int      `json:"removed"`
	Unified string   `json:"diff"`              // empty if Omitted
	Omitted string   `json:"omitted,omitempty"` // why there is no diff
	Hunks   []Hunk   `json:"-"`
}

// Hunk is a run of changed lines with a few unchanged ones around it.
type Hunk struct {
	From, To int // number of the first line, before and after
	Lines    []Line
}

// Line is one line of a hunk. Old and New are its numbers, 0 where it isn't.
type Line struct {
	Op       byte // ' ', '+' or '-'
	Old, New int
	Text     string // without the line's end
	NoEnd    bool   // the file stops here without one
}

// changes compares every file that the session changed with what it was at
// first. Files that came to be as they were before are left out.
func changes(ctx context.Context, store Store, state planning.State) ([]Change, error) {
	list := []Change{}
	for _, c := range state.Changes {
		change, same, err := compareFile(ctx, store, state.ID, c)
		if err != nil {
			return nil, err
		}
		if !same {
			list = append(list, change)
		}
	}
	return list, nil
}

func compareFile(ctx context.Context, store Store, session string, c planning.FileChange) (out Change, same bool, err error) {
	out, same, err = compareSpan(ctx, store, session, c.Path, wholeSpan(c))
	out.Todos = append([]string{}, c.Todos...)
	return out, same, err
}

// wholeSpan is all that happened to a file, from its first change to its last.
func wholeSpan(c planning.FileChange) planning.ChangeSpan {
	return planning.ChangeSpan{First: c.First, Last: c.Last, Existed: c.Existed, Exists: c.Exists, InPlan: c.InPlan}
}

// compareSpan compares a file before the first record of a stretch with how it
// was after the last one.
func compareSpan(ctx context.Context, store Store, session, path string, c planning.ChangeSpan) (out Change, same bool, err error) {
	out = Change{Path: path, Existed: c.Existed, Exists: c.Exists, InPlan: c.InPlan, Todos: []string{}}
	if !c.Existed && !c.Exists {
		return out, true, nil
	}
	first, err := fileChanged(ctx, store, session, c.First)
	if err != nil {
		return out, false, err
	}
	last := first
	if c.Last != c.First {
		if last, err = fileChanged(ctx, store, session, c.Last); err != nil {
			return out, false, err
		}
	}
	if out.Omitted = or(first.Omitted, last.Omitted); out.Omitted != "" {
		return out, false, nil
	}
	if c.Existed == c.Exists && first.Before == last.After {
		return out, true, nil
	}
	return out, false, out.diff(first.Before, last.After)
}

// errNoChange: the log has no such record, or it is of something else.
var errNoChange = errors.New("not a change of a file")

// fileChanged reads one record of what a call did to a file. It fails with
// errNoChange if seq is no such record.
func fileChanged(ctx context.Context, store Store, session string, seq int64) (planning.FileChanged, error) {
	records, err := store.Records(ctx, session, seq-1, 1)
	if err != nil {
		return planning.FileChanged{}, err
	}
	if len(records) == 0 || records[0].Seq != seq {
		return planning.FileChanged{}, fmt.Errorf("session %s: no record %d: %w", session, seq, errNoChange)
	}
	payload, err := records[0].Payload()
	if err != nil {
		return planning.FileChanged{}, err
	}
	changed, ok := payload.(planning.FileChanged)
	if !ok {
		return planning.FileChanged{}, fmt.Errorf("session %s: record %d is a %s: %w", session, seq, records[0].Kind, errNoChange)
	}
	return changed, nil
}

// diff fills in the lines that differ.
func (c *Change) diff(before, after string) error {
	from, to := "a/"+c.Path, "b/"+c.Path
	if !c.Existed {
		from = "/dev/null"
	}
	if !c.Exists {
		to = "/dev/null"
	}
	u, err := udiff.ToUnifiedDiff(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.Path, err)
	}
	c.Unified = u.String()
	for _, h := range u.Hunks {
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		old, now := h.FromLine, h.ToLine
		for _, l := range h.Lines {
			line := lineOf(l)
			if line.Op != '+' {
				line.Old, old = old, old+1
			}
			if line.Op != '-' {
				line.New, now = now, now+1
			}
			hunk.Lines = append(hunk.Lines, line)
		}
		c.Hunks = append(c.Hunks, hunk)
	}
	c.Added, c.Removed = count(c.Hunks)
	return nil
}

func lineOf(l udiff.Line) Line {
	line := Line{Op: ' ', Text: l.Content, NoEnd: true}
	switch l.Kind {
	case udiff.Insert:
		line.Op = '+'
	case udiff.Delete:
		line.Op = '-'
	}
	if n := len(line.Text); n > 0 && line.Text[n-1] == '\n' {
		line.Text, line.NoEnd = line.Text[:n-1], false
	}
	return line
}

func count(hunks []Hunk) (added, removed int) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}
