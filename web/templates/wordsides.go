package templates

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// The marks of words that came and of words that went.
var (
	inserted = [2]string{`<ins class="now">`, "</ins>"}
	deleted  = [2]string{`<del class="was">`, "</del>"}
)

// sides are the two texts for two columns: the old one with the words marked
// that went, and the new one with those that came.
func (c comparison) sides() (old, fresh string) {
	return c.side(diffmatchpatch.DiffDelete, deleted), c.side(diffmatchpatch.DiffInsert, inserted)
}

// lineSides are a line of a file before and after, as HTML with marks. Lines
// that have little in common come without: the line is the change.
func lineSides(was, now string) (old, fresh string) {
	c, ok := compareWords(was, now)
	if !ok || !c.alike {
		return was, now
	}
	return c.sides()
}

// side is one of the two texts, with what only it has in a mark.
func (c comparison) side(own diffmatchpatch.Operation, mark [2]string) string {
	w := marker{mark: mark}
	for _, d := range c.diffs {
		if d.Type != own && d.Type != diffmatchpatch.DiffEqual {
			continue
		}
		for _, r := range d.Text {
			t := c.words[r]
			tag := t[0] == '<'
			w.write(t, tag, d.Type == own && !tag && strings.TrimSpace(t) != "")
		}
	}
	w.flush()
	return w.out.String()
}
