package templates

import (
	"countersign/web/templates/markdown"

	"strings"
)

// shownLine is a line of a diff as HTML: in colours, with the words marked that
// changed.
type shownLine struct {
	DiffLine
	html string
}

// painted keeps what was made of hunks, because a page is brought up to date
// often. Colours are what costs most.
var painted = newCache[string, []shownLine](1024)

// paint renders a hunk of a file. Each side is coloured as a text of its own,
// and a removed line is compared with the one that came in its place.
func paint(path string, h DiffHunk) []shownLine {
	key := path + "\x00" + h.key()
	if known, ok := painted.Get(key); ok {
		return known
	}
	lines := make([]shownLine, len(h.Lines))
	for i, l := range h.Lines {
		lines[i].DiffLine = l
	}
	color(path, lines, '-')
	color(path, lines, '+')
	for i := 0; i < len(lines); {
		gone := run(lines, i, '-')
		come := run(lines, i+gone, '+')
		for n := range min(gone, come) {
			old, now := &lines[i+n], &lines[i+gone+n]
			old.html, now.html = lineSides(old.html, now.html)
		}
		i += max(gone+come, 1)
	}
	painted.Add(key, lines)
	return lines
}

// key is all that the picture of a hunk depends on.
func (h DiffHunk) key() string {
	var b strings.Builder
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// run counts lines of one kind from a place on.
func run(lines []shownLine, from int, op byte) int {
	n := 0
	for from+n < len(lines) && lines[from+n].Op == op {
		n++
	}
	return n
}

// color renders one side: the lines of it that changed, and those around them.
func color(path string, lines []shownLine, op byte) {
	var at []int
	var text []string
	for i, l := range lines {
		if l.Op == op || l.Op == ' ' {
			at, text = append(at, i), append(text, visible(l.Text))
		}
	}
	for n, html := range markdown.CodeLines(path, text) {
		lines[at[n]].html = html
	}
}
