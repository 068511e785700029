package document

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// unitsOf lists the units of a tree in order, each with the start of its first
// line. What does not begin on a line of its own belongs to the unit before.
func unitsOf(root ast.Node, src []byte, base int) []unit {
	var units []unit
	add := func(n ast.Node) {
		start := base + lineStart(n, src)
		if len(units) == 0 || start > units[len(units)-1].start {
			units = append(units, unit{n, start})
		}
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.List); !ok {
			add(n)
			continue
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			add(item)
		}
	}
	return units
}

func lineStart(n ast.Node, src []byte) int {
	pos := n.Pos()
	// A table has the position of the paragraph that it was made of, but the
	// lines above its header stay a paragraph.
	if _, ok := n.(*extast.Table); ok {
		pos = n.FirstChild().Pos()
	}
	return bytes.LastIndexByte(src[:max(pos, 0)], '\n') + 1
}

// piece is a run of units that becomes a block.
type piece struct {
	span
	kind Kind
}

// pieces puts the text between the steps beside them. The title is a piece of
// its own, every section of text is one, and so is any other run of text.
func pieces(units []unit, steps []span) []piece {
	var list []piece
	title := titleUnit(units)
	const fresh = 7 // no heading yet: any heading begins a section
	open := 0       // level of the section that goes on; 0 for none
	for i := 0; i < len(units); {
		if len(steps) > 0 && steps[0].from == i {
			list = append(list, piece{steps[0], Step})
			i, open, steps = steps[0].to, 0, steps[1:]
			continue
		}
		level := units[i].level()
		if open == 0 || i-1 == title || i == title || level > 0 && level <= open {
			list = append(list, piece{span{i, i}, Text})
			open = fresh
		}
		if level > 0 {
			open = min(open, max(level, 2))
		}
		i++
		list[len(list)-1].to = i
	}
	return list
}

// tile makes blocks of pieces, from the first byte to the last.
func (o *outline) tile(list []piece) {
	if len(list) == 0 && o.Source != "" {
		list = []piece{{kind: Text}} // blank lines
	}
	steps := 0
	for i, p := range list {
		b := Block{Kind: p.kind, End: len(o.Source)}
		if i > 0 {
			b.Start = o.units[p.from].start
			o.Blocks[i-1].End = b.Start
		}
		if p.kind == Step {
			steps++
			b.Number = steps
		}
		o.Blocks = append(o.Blocks, b)
		o.spans = append(o.spans, p.span)
	}
	for i := range o.Blocks {
		o.Blocks[i].Title = shorten(o.blockTitle(i))
	}
}

// blockTitle is a block's heading or first paragraph. A step that has neither
// is called by its first line, so that it has some name.
func (o *outline) blockTitle(i int) string {
	var nodes []ast.Node
	for _, u := range o.units[o.spans[i].from:o.spans[i].to] {
		nodes = append(nodes, u.node)
	}
	title := titleOf(nodes, o.src)
	if o.Blocks[i].Kind != Step {
		return title
	}
	if title == "" {
		line, _, _ := strings.Cut(o.Body(i), "\n")
		return valid(strings.TrimSpace(line))
	}
	return stripNumber(title, o.rule != numberedHeadings && o.rule != boldNumbers)
}

// cut divides a block's text into blank lines, what is written, and the last
// line end with the blank lines behind it.
func cut(text string) (lead, body, trail string) {
	const spaces = " \t\r\n" // what the parser takes for blank
	start := strings.TrimLeft(strings.TrimPrefix(text, byteOrderMark), spaces)
	if start == "" {
		return text, "", ""
	}
	lead = text[:strings.LastIndexByte(text[:len(text)-len(start)], '\n')+1]
	if lead == "" && strings.HasPrefix(text, byteOrderMark) {
		lead = byteOrderMark
	}
	body = text[len(lead):]
	written := strings.TrimRight(body, spaces)
	if end := strings.IndexByte(body[len(written):], '\n'); end >= 0 {
		end += len(written)
		if end > 0 && body[end-1] == '\r' {
			end--
		}
		body, trail = body[:end], body[end:]
	}
	return lead, body, trail
}

// definitionsOf writes the link definitions of a tree one a line.
func definitionsOf(root ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeInline || b.Len() > maxReferences {
			return ast.WalkSkipChildren, nil
		}
		if def, ok := n.(*ast.LinkReferenceDefinition); ok && entering {
			if line := definition(def); b.Len()+len(line) <= maxReferences {
				b.WriteString(line)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// closing matches a destination with ">" behind it if that is the first ">"
// that no backslash escapes.
var closing = regexp.MustCompile(`^(?:[^\\>]|\\.)*>$`)

// definition writes one definition. Its parts are source and keep their
// escapes, but no line ends, which could begin something else here.
func definition(def *ast.LinkReferenceDefinition) string {
	oneLine := func(b []byte) string { return strings.Join(strings.Fields(string(b)), " ") }
	destination := oneLine(def.Destination)
	if closing.MatchString(destination + ">") {
		destination = "<" + destination + ">"
	}
	line := "[" + oneLine(def.Label) + "]: " + destination
	title := oneLine(def.Title)
	for _, quotes := range []string{`""`, "''", "()"} {
		if title != "" && !strings.ContainsAny(title, quotes) {
			return line + " " + quotes[:1] + title + quotes[1:] + "\n"
		}
	}
	return line + "\n"
}
