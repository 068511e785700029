// Package document is the plan as a Markdown text: which blocks it has, which
// of them are steps, and how one block is changed without touching the bytes
// of any other.
package document

import "strings"

// Kind says whether a block is a step of the plan or text around the steps.
type Kind string

// The kinds of block.
const (
	Step Kind = "step"
	Text Kind = "text"
)

// Block is one piece of a document. The blocks of a document follow each other
// without a gap, from its first byte to its last.
type Block struct {
	Kind   Kind   `json:"kind"`
	Number int    `json:"number,omitempty"` // 1, 2, 3, … among the steps; 0 for text
	Title  string `json:"title,omitempty"`  // plain text, without markup and numbering
	Start  int    `json:"start"`            // byte offset of the first byte
	End    int    `json:"end"`              // byte offset behind the last byte
}

// Document is a Markdown text and its blocks. It is made by Parse; its methods
// take indexes into Blocks.
type Document struct {
	Source string
	Title  string // of the first level-one heading, plain text; "" if there is none
	Blocks []Block

	references string
}

// Parse finds the blocks of any source whatever, in time linear in its length.
// Blocks begin at the start of a line; blank lines belong to the block before
// them. A source of no bytes has no blocks.
func Parse(source string) Document { return outlineOf(source).Document }

// Text returns the exact bytes of a block.
func (d Document) Text(i int) string { return d.Source[d.Blocks[i].Start:d.Blocks[i].End] }

// Body returns what a person edits of a block: its text without the blank
// lines around it and without its last line end.
func (d Document) Body(i int) string {
	_, body, _ := cut(d.Text(i))
	return body
}

// References returns the link definitions of the whole document as Markdown,
// one a line, so that a block can be shown on its own. What would make it
// longer than 64 KiB is left out.
func (d Document) References() string { return d.references }

const (
	byteOrderMark = "\uFEFF"
	maxReferences = 64 << 10
)

// outline is a document with what its blocks were found in.
type outline struct {
	Document
	src   []byte // the source without its byte order mark
	units []unit
	rule  rule
	spans []span // the units of each block; empty for one of blank lines only
}

func outlineOf(source string) outline {
	body := strings.TrimPrefix(source, byteOrderMark)
	o := outline{Document: Document{Source: source}, src: []byte(body)}
	root := parse(o.src)
	o.references = definitionsOf(root)
	o.units = unitsOf(root, o.src, len(source)-len(body))
	if t := titleUnit(o.units); t >= 0 {
		o.Title = shorten(plain(o.units[t].node, o.src))
	}
	var steps []span
	o.rule, steps = findSteps(o.units, o.src)
	o.tile(pieces(o.units, steps))
	return o
}
