package document

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// goldmark is quadratic on some inputs, and a table's empty cells can take
// gigabytes. The wrappers in this file bound each of these by what is left of
// a budget; where it is used up, the rest of that paragraph is plain text, and
// the structure around it stays what it was.

const (
	maxDepth       = 48    // containers around a block: a nested list takes two, a quotation one
	maxBrackets    = 64    // open at a time
	maxRun         = 16    // asterisks in a row that may still be emphasis
	maxDefinitions = 300   // lines of one paragraph that are searched for link definitions
	maxDefinition  = 16000 // bytes of such a paragraph
	maxEscapes     = 2000  // escaped bars of all paragraphs together
	maxCells       = 4096  // of a table, empty ones included, unless it has as many bytes
)

// meter bounds the work in one leaf block (a paragraph, a heading, a cell).
// The unit is about one byte looked at.
type meter struct {
	leaf       ast.Node
	left       int
	delimiters int
	brackets   int          // open ones
	unclosed   map[int]bool // lengths of backtick runs that find no partner any more
}

var meterKey = parser.NewContextKey()

// meterOf returns the meter of a leaf. Its budget grows with the leaf, so that
// the sum over a document is linear in the length of the document.
func meterOf(leaf ast.Node, pc parser.Context) *meter {
	m, _ := pc.Get(meterKey).(*meter)
	if m == nil {
		m = &meter{}
		pc.Set(meterKey, m)
	}
	if m.leaf != leaf {
		*m = meter{leaf: leaf, left: 65536 + 256*rest(leaf, 0)}
	}
	return m
}

// spend takes n from the budget. Once it has failed, it goes on failing.
func (m *meter) spend(n int) bool {
	if m.left < n {
		m.left = 0
		return false
	}
	m.left -= n
	return true
}

// rest is how many bytes of a leaf lie behind an offset; 0 means its start.
func rest(leaf ast.Node, offset int) int {
	lines := leaf.Lines()
	if lines.Len() == 0 {
		return 0
	}
	return lines.At(lines.Len()-1).Stop - max(offset, lines.At(0).Start)
}

// run is how often the first byte of a line is repeated.
func run(line []byte) int {
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

// literal consumes n bytes as plain text.
func literal(block text.Reader, segment text.Segment, n int) ast.Node {
	block.Advance(n)
	return ast.NewTextSegment(segment.WithStop(segment.Start + n))
}

// codeSpans looks for a closing run once for each length.
type codeSpans struct{ parser.InlineParser }

func (p codeSpans) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := meterOf(parent, pc)
	line, segment := block.PeekLine()
	n := run(line)
	if m.unclosed[n] || !m.spend(1) {
		return literal(block, segment, n)
	}
	node := p.InlineParser.Parse(parent, block, pc)
	if _, ok := node.(*ast.Text); ok {
		if m.unclosed == nil {
			m.unclosed = map[int]bool{}
		}
		m.unclosed[n] = true
		m.spend(rest(parent, segment.Start))
	}
	return node
}

// links pays for what a closing bracket looks at: the nodes and lines since its
// opener, and the text behind it when that turns out to be no destination.
type links struct{ parser.InlineParser }

func (p links) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := meterOf(parent, pc)
	line, segment := block.PeekLine()
	closes := line[0] == ']'
	cost := 16
	if closes {
		cost += parent.ChildCount() + parent.Lines().Len()
		m.brackets = max(m.brackets-1, 0)
	}
	if m.brackets >= maxBrackets || !m.spend(cost) {
		return nil
	}
	node := p.InlineParser.Parse(parent, block, pc)
	if node != nil && !closes {
		m.brackets++
	}
	if node == nil && closes && len(line) > 1 && (line[1] == '(' || line[1] == '[') {
		m.spend(rest(parent, segment.Start))
	}
	return node
}

// CloseBlock lets the wrapped parser clear its open brackets.
func (p links) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// bareLinks pays for the word that is searched for an address. It is searched
// again behind each mark in it.
type bareLinks struct{ parser.InlineParser }

func (p bareLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := meterOf(parent, pc)
	line, _ := block.PeekLine()
	n := 1
	for n < min(len(line), m.left) && line[n] > ' ' && line[n] < 0x80 && line[n] != '<' {
		n++
	}
	if !m.spend(n) {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// shallowLists opens no list below maxDepth. The wrapped parser is asked first
// because it keeps a mark that must be cleared.
type shallowLists struct{ parser.BlockParser }

func (p shallowLists) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := p.BlockParser.Open(parent, r, pc)
	if node != nil && tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return node, state
}

// shallowQuotes opens no quotation below maxDepth.
type shallowQuotes struct{ parser.BlockParser }

func (p shallowQuotes) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

func tooDeep(n ast.Node) bool {
	depth := 0
	for ; n != nil; n = n.Parent() {
		depth++
	}
	return depth > maxDepth
}

// definitions leaves very long paragraphs alone: each definition found moves
// all lines behind it.
type definitions struct{ parser.ParagraphTransformer }

func (t definitions) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxDefinitions && rest(node, 0) <= maxDefinition {
		t.ParagraphTransformer.Transform(node, r, pc)
	}
}

// tables leaves a paragraph alone whose table would have more cells than bytes
// (a row is filled up to the width of the header).
type tables struct{ parser.ParagraphTransformer }

var escapesKey = parser.NewContextKey()

func (t tables) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines, source := node.Lines(), r.Source()
	columns := 0
	escapes, _ := pc.Get(escapesKey).(int)
	for i := range lines.Len() {
		line := source[lines.At(i).Start:lines.At(i).Stop]
		escapes += bytes.Count(line, []byte(`\|`))
		if len(bytes.Trim(line, "|:- \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte{'|'})+1)
		}
	}
	pc.Set(escapesKey, escapes)
	cells := columns * lines.Len()
	if escapes > maxEscapes || cells > maxCells && cells > rest(node, 0) {
		return
	}
	t.ParagraphTransformer.Transform(node, r, pc)
}
