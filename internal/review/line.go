package review

import (
	"fmt"
	"strings"

	"countersign/internal/planning"
)

// Line is one line of a file that the agent changed.
type Line struct {
	Record int64 // of the change that the person looked at
	Path   string
	Number int    // from 1
	Old    bool   // it was there before the change, and is gone
	Text   string // without its end
}

// OnLine is the message that a comment on a line becomes. It quotes the line,
// between fences as in a letter, so that no file can speak for the person; the
// comment stands behind it, word for word. Faults at the field "body": Invalid
// and TooLarge.
func OnLine(l Line, body string) (string, error) {
	body, err := text(body, "body", "The comment", MaxComment)
	if err != nil {
		return "", err
	}
	l.Text = l.quoted()
	where := fmt.Sprintf("On line %d of %s:", l.Number, code(l.Path))
	if l.Old {
		where = fmt.Sprintf("On a line that you took out of %s, where it was line %d:", code(l.Path), l.Number)
	}
	ticks := fence(l.Text)
	return fmt.Sprintf("%s\n%s\n%s\n%s\n\n%s", where, ticks, l.Text, ticks, body), nil
}

// maxQuoted is how much of a long line is quoted, in bytes; its number says
// which one it is.
const maxQuoted = 2000

func (l Line) quoted() string {
	if len(l.Text) > maxQuoted {
		return strings.ToValidUTF8(l.Text[:maxQuoted], "") + " …"
	}
	return l.Text
}

// CommentOnLine records a comment on a line, which goes to the agent as the
// message that OnLine makes of it. Faults as of OnLine and planning.Say.
func CommentOnLine(s planning.State, by planning.Actor, l Line, body string) ([]planning.Event, error) {
	message, err := OnLine(l, body)
	if err != nil {
		return nil, err
	}
	if body, err = text(body, "body", "The comment", MaxComment); err != nil {
		return nil, err
	}
	return planning.SayOnLine(s, by, message, planning.OnLine{
		Record: l.Record, Path: l.Path, Line: l.Number, Old: l.Old, Quote: l.quoted(), Body: body,
	})
}
