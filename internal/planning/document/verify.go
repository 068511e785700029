package document

import (
	"strings"

	"countersign/internal/fault"
)

// checkReplaced compares the document after a replacement of block i.
func (o *outline) checkReplaced(n *outline, i int) error {
	if o.isTitle(i) && n.Title == "" {
		return fault.New(fault.Invalid, "With this text, the plan would have no title. Keep a first line such as “# Title”.")
	}
	if j := o.lost(n, i, i+1); j >= 0 {
		return fault.New(fault.Invalid, "With this text, %s would no longer be what it is: part of it, or all, would be read as something else. Look for a code block that is not closed, or for a heading or list that takes it in.", o.name(j))
	}
	if o.Blocks[i].Kind == Step && n.Blocks[i].Kind != Step {
		return fault.New(fault.Invalid, "With this text, step %d would no longer be a step of the plan. Begin it as the other steps begin.", o.Blocks[i].Number)
	}
	return nil
}

// checkInserted compares the document after an insertion at an index.
func (o *outline) checkInserted(n *outline, at int) error {
	if j := o.lost(n, at, at); j >= 0 {
		if o.rule == wholeBody || o.rule == noSteps {
			return fault.New(fault.Invalid, "This plan is one text without numbered steps, so a step can't be added to it. Rewrite the text, or ask for a plan with numbered steps.")
		}
		return fault.New(fault.Invalid, "With this step in its place, %s would no longer be what it is. Look for a code block that is not closed, or for a heading or list that takes it in.", o.name(j))
	}
	if n.Blocks[at].Kind != Step {
		return fault.New(fault.Invalid, "This text would not be a step of the plan. Begin it as the other steps begin.")
	}
	return nil
}

// lost finds a block that is no longer what it was, when those from the first
// index to before the second have made way for others. It returns -1 if there
// is none. The block before an insertion may have got blank lines behind it.
func (o *outline) lost(n *outline, from, to int) int {
	for i := range from {
		padded := i == from-1 && from == to
		if i >= len(n.Blocks) || !o.same(i, n, i, padded) {
			return i
		}
	}
	after := len(o.Blocks) - to
	if len(n.Blocks) <= from+after {
		return min(to, len(o.Blocks)-1)
	}
	for k := range after {
		if i, j := to+k, len(n.Blocks)-after+k; !o.same(i, n, j, false) {
			return i
		}
	}
	return -1
}

// same tells whether block i is block j of another document. Blank lines
// around it count unless they are free.
func (o *outline) same(i int, n *outline, j int, free bool) bool {
	a, b := o.Blocks[i], n.Blocks[j]
	if a.Kind != b.Kind || a.Title != b.Title {
		return false
	}
	return o.Text(i) == n.Text(j) || free && o.Body(i) == n.Body(j)
}

// checkOrder tells whether a document has the blocks of this one in another
// order. Texts that now stand together are one block.
func (o *outline) checkOrder(n *outline, order []int) error {
	k := 0
	for j := range n.Blocks {
		if k < len(order) && o.same(order[k], n, j, true) {
			k++
			continue
		}
		rest := written(n.Text(j))
		for rest != "" {
			if k == len(order) {
				return o.misplaced(order[k-1])
			}
			text := written(o.Text(order[k]))
			if o.Blocks[order[k]].Kind != Text || n.Blocks[j].Kind != Text || !strings.HasPrefix(rest, text) {
				return o.misplaced(order[k])
			}
			rest = rest[len(text):]
			k++
		}
	}
	if k < len(order) {
		return o.misplaced(order[k])
	}
	return nil
}

func (o *outline) misplaced(i int) error {
	return fault.New(fault.Invalid, "Then %s would no longer be what it is, because it would run together with what is beside it.", o.name(i))
}

// written is a text without its blank lines.
func written(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// name is how a fault calls a block.
func (o *outline) name(i int) fault.Part {
	b := o.Blocks[i]
	title := []rune(b.Title)
	if len(title) > 40 {
		title = append(title[:40], '…')
	}
	switch {
	case b.Kind == Step:
		return fault.NewPart("step %d (“%s”)", b.Number, string(title))
	case o.isTitle(i):
		return fault.NewPart("the title")
	case len(title) > 0:
		return fault.NewPart("the text “%s”", string(title))
	}
	return fault.NewPart("the text between the steps")
}
