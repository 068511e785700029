// Package document is the plan as a Markdown text: which blocks it has, which
// of them are steps, and how one block is changed without touching the bytes
// of any other.
package document

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
