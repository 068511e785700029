package review

import (
	"fmt"
	"strings"
)

// Line is one line of a file that the agent changed.
type Line struct {
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
	if len(l.Text) > maxQuoted {
		l.Text = strings.ToValidUTF8(l.Text[:maxQuoted], "") + " …"
	}
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
