package document

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// form is what makes a text a step of its document: a list marker, a numbered
// heading, a bold number. The texts here have "\n" as their line ends.
type form struct {
	rule    rule
	prefix  string // goes before the first line
	width   int    // by which further lines are indented
	heading string // the old heading, for a text that can't be one
}

// formOf is the form of a step.
func (o *outline) formOf(i int) form {
	f := form{rule: o.rule}
	u := o.units[o.spans[i].from]
	switch o.rule {
	case numberedHeadings:
		title := plain(u.node, o.src)
		n, _ := numberOf(title)
		f.prefix = strings.Repeat("#", u.level()) + " " + n.prefix()
		f.heading = strings.Repeat("#", u.level()) + " " + o.heading(u)
	case orderedItems:
		f.prefix, f.width = o.marker(u)
	case taskItems:
		f.prefix, f.width = o.marker(u)
		box := "[ ] "
		if u.task().IsChecked {
			box = "[x] "
		}
		f.prefix += box
	case boldNumbers:
		n, _ := numberOf(plain(u.node, o.src))
		f.prefix = bold(n)
	case sections:
		f.prefix = "## "
		f.heading = "## " + o.heading(u)
	}
	return f
}

// nextForm is the form of a step that is put behind step i.
func (o *outline) nextForm(i int) form {
	f := o.formOf(i)
	u := o.units[o.spans[i].from]
	switch o.rule {
	case numberedHeadings:
		n, _ := numberOf(plain(u.node, o.src))
		f.prefix = strings.Repeat("#", u.level()) + " " + n.next().prefix()
	case orderedItems:
		if before := i - 1; before >= 0 && o.Blocks[before].Kind == Step && o.formOf(before).prefix == f.prefix {
			break // a list that is written 1. 1. 1.
		}
		numeral := strings.TrimLeft(f.prefix, " ")
		numeral = numeral[:strings.IndexAny(numeral, ".)")]
		if next := nextNumeral(numeral); len(next) <= 9 {
			f.prefix = strings.Replace(f.prefix, numeral, next, 1)
			f.width += len(next) - len(numeral)
		}
	case taskItems:
		marker, _ := o.marker(u)
		f.prefix = marker + "[ ] "
	case boldNumbers:
		n, _ := numberOf(plain(u.node, o.src))
		f.prefix = bold(n.next())
	}
	f.heading = ""
	return f
}

func bold(n number) string {
	return "**" + strings.TrimSpace(n.prefix()) + "** "
}

// heading is the content of a heading on one line.
func (o *outline) heading(u unit) string {
	var line []string
	for i := range u.node.Lines().Len() {
		segment := u.node.Lines().At(i)
		line = append(line, strings.TrimSpace(string(segment.Value(o.src))))
	}
	return strings.Join(line, " ")
}

// marker is a list item's marker with the spaces around it, and the width that
// the item's further lines are indented by.
func (o *outline) marker(u unit) (string, int) {
	item := u.node.(*ast.ListItem)
	line := o.src[bytes.LastIndexByte(o.src[:item.Pos()], '\n')+1:]
	end := bytes.IndexAny(line, ".)*+-") + 1
	marker := string(line[:end])
	return marker + strings.Repeat(" ", max(item.Offset-end, 1)), max(item.Offset, end+1)
}

// has tells whether a text, on its own, begins with a step of this form.
func (f form) has(text string) bool {
	o := outlineOf(text)
	if len(o.units) == 0 {
		return false
	}
	u := o.units[0]
	switch f.rule {
	case numberedHeadings:
		_, numbered := numberOf(plain(u.node, o.src))
		return numbered && u.level() == strings.IndexByte(f.prefix, ' ')
	case orderedItems:
		return u.ordered()
	case taskItems:
		return u.task() != nil
	case boldNumbers:
		return u.boldNumber(o.src)
	case sections:
		return u.level() == 2
	}
	return true
}

// apply gives a text the form.
func (f form) apply(text string) string {
	switch f.rule {
	case orderedItems:
		return f.prefix + indent(text, f.width)
	case taskItems:
		o := outlineOf(text)
		if item, ok := o.units[0].node.(*ast.ListItem); ok && !o.units[0].ordered() && item.Parent().ChildCount() == 1 {
			marker, _ := o.marker(o.units[0])
			marker = strings.TrimRight(marker, " ")
			return marker + " [ ] " + strings.TrimLeft(text[len(marker):], " \t")
		}
		return f.prefix + indent(text, f.width)
	case numberedHeadings, sections:
		return f.head(text)
	case boldNumbers:
		return f.prefix + text
	}
	return text
}

// head makes the first line of a text a heading. A text that begins with
// something longer goes below the old heading instead.
func (f form) head(text string) string {
	o := outlineOf(text)
	u := o.units[0]
	rest := ""
	if len(o.units) > 1 {
		rest = "\n\n" + text[o.units[1].start:]
	}
	if u.level() > 0 {
		return f.prefix + o.heading(u) + rest
	}
	if p, ok := u.node.(*ast.Paragraph); ok && p.Lines().Len() == 1 || f.heading == "" {
		first, _, _ := strings.Cut(text, "\n")
		return f.prefix + strings.TrimSpace(first) + text[len(first):]
	}
	return f.heading + "\n\n" + text
}

// indent indents all lines but the first, unless they are already, and takes
// the indentation off the first.
func indent(text string, width int) string {
	lines := strings.Split(strings.TrimLeft(text, " \t"), "\n")
	space := strings.Repeat(" ", width)
	indented := true
	for _, line := range lines[1:] {
		indented = indented && (strings.TrimSpace(line) == "" || strings.HasPrefix(line, space))
	}
	for i, line := range lines {
		if i > 0 && !indented && strings.TrimSpace(line) != "" {
			lines[i] = space + line
		}
	}
	return strings.Join(lines, "\n")
}
