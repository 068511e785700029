package document

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	blockParser  = newParser(blockParsers()...)
	inlineParser = newParser(util.Prioritized(parser.NewParagraphParser(), 1000))
)

// Parser reads GitHub's flavour of Markdown the way this package does: with
// emphasis that works beside Chinese, Japanese and Korean punctuation, with
// raw HTML kept as nodes, and in time that is linear in the length of the
// source, whatever it holds (see meter). It may be used by several goroutines
// at once.
func Parser() parser.Parser { return blockParser }

// InlineParser reads a text that has no blocks, such as a title: everything is
// a paragraph.
func InlineParser() parser.Parser { return inlineParser }

// parse reads a source and returns its tree.
func parse(src []byte) ast.Node { return blockParser.Parse(text.NewReader(src)) }

func blockParsers() []util.PrioritizedValue {
	return []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallowLists{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallowQuotes{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
}

// newParser puts a parser together. The priorities are goldmark's own.
func newParser(blocks ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(codeSpans{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(links{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(delimiters{}, 500),
			util.Prioritized(bareLinks{extension.NewLinkifyParser()}, 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(
			util.Prioritized(extension.NewTableASTTransformer(), 0),
		),
	)
}
