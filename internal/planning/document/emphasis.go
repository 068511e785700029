package document

import (
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// delimiters reads emphasis and strikethrough. It replaces goldmark's own two
// parsers because CommonMark's rule of which run may open and which may close
// takes words to be set apart by spaces: in **真，**她说 it finds no end. The
// rule here is the amendment known as "CJK-friendly emphasis": punctuation of
// these scripts counts as a letter, and other punctuation beside one of their
// characters as if a space stood there.
type delimiters struct{}

// Trigger implements parser.InlineParser.
func (delimiters) Trigger() []byte { return []byte{'*', '_', '~'} }

// Parse implements parser.InlineParser.
func (delimiters) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	n := run(line)
	m := meterOf(parent, pc)
	m.delimiters++
	if n > maxRun || line[0] == '~' && n > 2 || !m.spend(4*m.delimiters) {
		return literal(block, segment, n)
	}
	after := ' '
	if n < len(line) {
		after = util.ToRune(line, n)
	}
	left, right := flanks(before, after)
	open, closes := left, right
	// A single tilde is more often a range (3~5 days) than a deletion, so it
	// has to stand at the edge of a word, as an underscore must.
	if line[0] == '_' || line[0] == '~' && n == 1 {
		open = left && (!right || util.IsPunctRune(before))
		closes = right && (!left || util.IsPunctRune(after))
	}
	var p parser.DelimiterProcessor = emphasis{}
	if line[0] == '~' {
		p = strikes{}
	}
	d := parser.NewDelimiter(open, closes, n, line[0], p)
	d.Segment = segment.WithStop(segment.Start + n)
	block.Advance(n)
	pc.PushDelimiter(d)
	return d
}

// flanks tells whether a run between two characters is left-flanking and
// whether it is right-flanking. The ends of a line count as spaces.
func flanks(before, after rune) (left, right bool) {
	edge := func(r rune) bool { return util.IsSpaceRune(r) || util.IsPunctRune(r) || eastAsian(r) }
	punct := func(r rune) bool { return util.IsPunctRune(r) && !eastAsian(r) }
	left = !util.IsSpaceRune(after) && (!punct(after) || edge(before))
	right = !util.IsSpaceRune(before) && (!punct(before) || edge(after))
	return left, right
}

var eastAsianScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
}

// eastAsian tells whether a character is of Chinese, Japanese or Korean
// writing, punctuation and full-width forms included. Quotation marks such as
// “ ” and dashes are shared with other scripts and are not.
func eastAsian(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r >= 0x3000 && r <= 0x33FF, // punctuation, kana, enclosed letters
		r >= 0xFE30 && r <= 0xFE4F, // vertical forms
		r >= 0xFF00 && r <= 0xFFEF: // full-width and half-width forms
		return true
	}
	return unicode.In(r, eastAsianScripts...)
}

// emphasis makes nodes of matched asterisks and underscores.
type emphasis struct{}

// IsDelimiter implements parser.DelimiterProcessor.
func (emphasis) IsDelimiter(b byte) bool { return b == '*' || b == '_' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (emphasis) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (emphasis) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }

// strikes makes nodes of matched tildes.
type strikes struct{}

// IsDelimiter implements parser.DelimiterProcessor.
func (strikes) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.Length == closer.Length
}

// OnMatch implements parser.DelimiterProcessor.
func (strikes) OnMatch(int) ast.Node { return extast.NewStrikethrough() }
