package document

import (
	"slices"
	"strings"

	"countersign/internal/fault"
)

// The edits below return the new source. Nothing but the block in question
// changes: numerals of other steps stay as they are, line ends are those of
// the document, and the result is read again and compared. An edit that would
// change what another block is fails with fault.Invalid and a sentence that
// says so; an index without a block fails with fault.NotFound.

// Replace puts a text in the place of block i. The blank lines behind the
// block stay. A step whose new text has lost its marker or number gets it
// back; a text may also be several steps.
func (d Document) Replace(i int, text string) (string, error) {
	o, err := d.at(i)
	if err != nil {
		return "", err
	}
	lead, body, trail := cut(o.Text(i))
	eol := lineEnd(o.Text(i), d.Source)
	text, err = cleanText(text, body)
	if err != nil {
		return "", err
	}
	if _, same, _ := cut(unixLines(body)); text == same {
		return d.Source, nil
	}
	if f := o.formOfStep(i); !f.has(text) {
		text = f.apply(text)
	}
	before, after := d.Source[:d.Blocks[i].Start]+lead+dosLines(text, eol)+trail, d.Source[d.Blocks[i].End:]
	return o.firstKept([]string{before + after, before + eol + after}, func(n *outline) error {
		return o.checkReplaced(n, i)
	})
}

// InsertAfter puts a new step behind block i, or before the first step if i is
// -1. A text that has no marker or number gets the next one.
func (d Document) InsertAfter(i int, text string) (string, error) {
	o, err := d.at(i)
	if i != -1 && err != nil {
		return "", err
	}
	if text, err = cleanText(text, ""); err != nil {
		return "", err
	}
	at := i + 1 // the new block's index
	if i < 0 {
		at = max(slices.IndexFunc(o.Blocks, func(b Block) bool { return b.Kind == Step }), 0)
		if o.rule == noSteps {
			at = len(o.Blocks)
		}
	}
	if f := o.formAt(at); !f.has(text) {
		text = f.apply(text)
	}
	eol := lineEnd(d.Source)
	text = dosLines(text, eol)
	var sources []string
	for _, blank := range []bool{false, true} {
		sources = append(sources, o.insert(at, text, eol, blank))
	}
	return o.firstKept(sources, func(n *outline) error { return o.checkInserted(n, at) })
}

// Remove takes block i out. The title and the only step can't be removed.
func (d Document) Remove(i int) (string, error) {
	o, err := d.at(i)
	if err != nil {
		return "", err
	}
	if o.isTitle(i) {
		return "", fault.New(fault.Invalid, "A plan needs its title; it can't be deleted.")
	}
	if o.Blocks[i].Kind == Step && o.stepCount() == 1 {
		return "", fault.New(fault.Invalid, "This is the only step of the plan. Rewrite it instead, or send the plan back.")
	}
	order := o.order()
	return o.reorder(slices.Delete(order, i, i+1))
}

// Move puts block i behind the block that now has the index after, or before
// the first step if that is -1. The title can't be moved.
func (d Document) Move(i, after int) (string, error) {
	o, err := d.at(i)
	if err == nil && after != -1 {
		_, err = d.at(after)
	}
	if err != nil {
		return "", err
	}
	if o.isTitle(i) {
		return "", fault.New(fault.Invalid, "A plan begins with its title; it can't be moved.")
	}
	to := after + 1
	if after == -1 {
		to = slices.IndexFunc(o.Blocks, func(b Block) bool { return b.Kind == Step })
	}
	if to < 0 || to == i || to == i+1 {
		return d.Source, nil
	}
	order := slices.Insert(o.order(), to, i)
	if i < to {
		return o.reorder(slices.Delete(order, i, i+1))
	}
	return o.reorder(slices.Delete(order, i+1, i+2))
}

// at reads the document again, with all that an edit needs, and checks i.
func (d Document) at(i int) (*outline, error) {
	o := outlineOf(d.Source)
	if i < 0 || i >= len(o.Blocks) {
		return &o, fault.New(fault.NotFound, "The plan has no such step.")
	}
	return &o, nil
}

// order is the indexes of the blocks.
func (o *outline) order() []int {
	order := make([]int, len(o.Blocks))
	for i := range order {
		order[i] = i
	}
	return order
}

func (o *outline) stepCount() int {
	n := 0
	for _, b := range o.Blocks {
		n = max(n, b.Number)
	}
	return n
}

// isTitle tells whether block i holds the title.
func (o *outline) isTitle(i int) bool {
	title := titleUnit(o.units)
	return title >= 0 && o.Blocks[i].Kind == Text && o.spans[i].from <= title && title < o.spans[i].to
}

// formOfStep is the form of block i if that is a step.
func (o *outline) formOfStep(i int) form {
	if o.Blocks[i].Kind != Step {
		return form{}
	}
	return o.formOf(i)
}

// formAt is the form of a new step at this index: next to the step before it,
// else like the one behind it.
func (o *outline) formAt(at int) form {
	for i := at - 1; i >= 0; i-- {
		if o.Blocks[i].Kind == Step {
			return o.nextForm(i)
		}
	}
	for i := at; i < len(o.Blocks); i++ {
		if o.Blocks[i].Kind == Step {
			f := o.formOf(i)
			f.heading = ""
			return f
		}
	}
	return form{}
}

// cleanText makes what a person typed ready to go into a plan: "\n" as line
// end and no blank lines around it. Old is the text that it replaces, if any.
func cleanText(text, old string) (string, error) {
	switch {
	case len(text) > MaxPlan:
		return "", fault.New(fault.TooLarge, "The text is longer than a plan may be: at most %d MB.", MaxPlan>>20).At("markdown")
	case CheckText("", old) == nil:
		if f := CheckText("The text", text); f != nil {
			return "", f.At("markdown")
		}
	}
	_, body, _ := cut(unixLines(text))
	if body == "" {
		return "", fault.New(fault.Invalid, "The text is empty. To take the step out, delete it instead.").At("markdown")
	}
	return body, nil
}

// unixLines makes every line end "\n".
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// dosLines makes every "\n" the given line end.
func dosLines(text, eol string) string { return strings.ReplaceAll(text, "\n", eol) }

// lineEnd is the first line end in the texts, or "\n".
func lineEnd(texts ...string) string {
	for _, text := range texts {
		if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
			return "\r\n"
		} else if i >= 0 {
			return "\n"
		}
	}
	return "\n"
}
