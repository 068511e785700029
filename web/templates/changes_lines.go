package templates

import (
	"strings"

	"countersign/web/templates/markdown"
)

// shownLine is a line of a diff as HTML: in colours, with the words marked that
// changed.
type shownLine struct {
	DiffLine
	html string
}

// painted keeps the HTML of hunks, because a page is brought up to date often.
// Colours are what costs most. Long hunks are coloured each time: with them the
// number of hunks would be no bound on the memory.
var painted = newCache[string, []string](1024)

// maxPainted is how long a hunk that is kept may be, in bytes.
const maxPainted = 16 << 10

// paint renders a hunk of a file.
func paint(path string, h DiffHunk) []shownLine {
	key := path + "\x00" + h.key()
	htmls, known := painted.Get(key)
	if !known {
		htmls = paintedLines(path, h)
		if len(key) <= maxPainted {
			painted.Add(key, htmls)
		}
	}
	lines := make([]shownLine, len(h.Lines))
	for i, l := range h.Lines {
		lines[i] = shownLine{l, htmls[i]}
	}
	return lines
}

// paintedLines are the lines as HTML. Each side is coloured as a text of its
// own, and a removed line is compared with the one that came in its place.
func paintedLines(path string, h DiffHunk) []string {
	htmls := make([]string, len(h.Lines))
	color(path, h.Lines, '-', htmls)
	color(path, h.Lines, '+', htmls)
	for i := 0; i < len(h.Lines); {
		gone := run(h.Lines, i, '-')
		come := run(h.Lines, i+gone, '+')
		for n := range min(gone, come) {
			old, now := &htmls[i+n], &htmls[i+gone+n]
			*old, *now = lineSides(*old, *now)
		}
		i += max(gone+come, 1)
	}
	return htmls
}

// key is all that the HTML of a hunk depends on. Where it stands in the file is
// not a part of it: the same change may come at two places.
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
func run(lines []DiffLine, from int, op byte) int {
	n := 0
	for from+n < len(lines) && lines[from+n].Op == op {
		n++
	}
	return n
}

// color renders one side into htmls: the lines of it that changed, and those
// around them.
func color(path string, lines []DiffLine, op byte, htmls []string) {
	var at []int
	var text []string
	for i, l := range lines {
		if l.Op == op || l.Op == ' ' {
			at, text = append(at, i), append(text, visible(l.Text))
		}
	}
	for n, html := range markdown.CodeLines(path, text) {
		htmls[at[n]] = html
	}
}
