package templates

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/internal/planning"
)

// ShownNote is a comment on a line beside its line, or below the file if the
// line is not there any more.
type ShownNote struct {
	planning.LineComment
	At        int // number of the line in the text that is shown, 0 if it is gone
	Delivered bool
	Answered  NoteAnswer
}

// NoteAnswer is what the agent wrote after it had read a comment.
type NoteAnswer struct {
	By   planning.Actor
	At   time.Time
	Text string // Markdown; empty for no answer yet
}

// shortAnswer is how long an answer may be, in bytes, to stand there unfolded.
const shortAnswer = 400

func (a NoteAnswer) short() bool { return len(a.Text) <= shortAnswer }

// About tells whether a comment was made on what the change is a part of.
func (f FileDiff) About(c planning.LineComment) bool {
	return c.Path == f.Path && f.First <= c.Record && c.Record <= f.Last
}

// Noted tells whether there is a comment on the change.
func (f FileDiff) Noted(st planning.State) bool {
	for _, c := range st.LineComments {
		if f.About(c) {
			return true
		}
	}
	return false
}

// on tells whether the note belongs below a line of the diff.
func (n ShownNote) on(l DiffLine) bool {
	if n.Old {
		return n.At > 0 && l.Old == n.At && l.Op != '+'
	}
	return n.At > 0 && l.New == n.At && l.Op != '-'
}

// notesOn are the comments on one line.
func (f FileDiff) notesOn(l DiffLine) []ShownNote {
	var list []ShownNote
	for _, n := range f.Notes {
		if n.on(l) {
			list = append(list, n)
		}
	}
	return list
}

// loose are the comments whose lines the diff does not show.
func (f FileDiff) loose() []ShownNote {
	var list []ShownNote
	for _, n := range f.Notes {
		if !f.shows(n) {
			list = append(list, n)
		}
	}
	return list
}

func (f FileDiff) shows(n ShownNote) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if n.on(l) {
				return true
			}
		}
	}
	return false
}

// version changes with everything that is shown of the file.
func (f FileDiff) version() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d-%d", f.First, f.Last)
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "-%d.%t.%d", n.Seq, n.Delivered, n.LineComment.Answer)
	}
	return b.String()
}

func noteID(seq int64) string { return fmt.Sprintf("n-%d", seq) }

// LastNote is where the page shows the comment that was made last.
func LastNote(st planning.State) string {
	if len(st.LineComments) == 0 {
		return "main"
	}
	return noteID(st.LineComments[len(st.LineComments)-1].Seq)
}

// place says where the line of a note was when it was written.
func (n ShownNote) place(ctx context.Context) string {
	if n.Old {
		return tr(ctx, "on the removed line %d", n.Line)
	}
	return tr(ctx, "on line %d", n.Line)
}
