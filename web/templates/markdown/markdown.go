// Package markdown turns Markdown that nobody vouches for into HTML that is
// safe to show: plans, comments, messages of a model.
//
// Raw HTML is shown as its source, images are links to click, code is coloured
// by classes, and what is left goes through an allow-list. At the very end,
// characters that one can't see are named (see Visible).
package markdown

import (
	"bytes"
	"html"
	"strings"
	"sync"
	"sync/atomic"

	"countersign/internal/planning/document"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmark "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxBlock is the length, in bytes, from which on a text is shown as it is.
	maxBlock = 16 << 10
	// maxDepth is how deep its tree may be before it is shown as it is. No
	// person nests like that, and browsers give up at 512 elements.
	maxDepth = 100
)

var (
	block   = sync.OnceValue(func() renderer.Renderer { return newRenderer() })
	comment = sync.OnceValue(func() renderer.Renderer { return newRenderer(goldmark.WithHardWraps()) })
)

func newRenderer(options ...goldmark.Option) renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(ours{}, 100),
		util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(goldmark.NewRenderer(options...), 1000),
	))
}

// HTML renders one block of a document. References are the document's link
// definitions (document.Document.References), so that they apply in a block
// that is shown on its own; where both define a label, the document's count. A
// block over 16 KB, or one that is nested beyond sense, is shown as its source.
func HTML(source, references string) string { return render(block(), source, references) }

// Comment renders what a person or the model wrote, with line ends kept. It
// has the limits of HTML.
func Comment(source string) string { return render(comment(), source, "") }

// Inline renders a title that is Markdown: emphasis and code, no blocks and no
// links. A document.Block's Title is not Markdown any more; that is for Text.
func Inline(source string) string {
	source = clean(source)
	if len(source) > maxBlock {
		return Text(source)
	}
	src := []byte(source)
	root := document.InlineParser().Parse(text.NewReader(src))
	var out bytes.Buffer
	if tooDeep(root) || block().Render(&out, src, root) != nil {
		return Text(source)
	}
	return name(strings.TrimSpace(titlePolicy().Sanitize(out.String())))
}

// Text escapes a text that is not Markdown, and names what can't be seen in it.
func Text(source string) string { return name(html.EscapeString(clean(source))) }

// Plain shows a text as it is, in a block of its own.
func Plain(source string) string { return `<pre class="plain" tabindex="0">` + Text(source) + `</pre>` }

func render(r renderer.Renderer, source, references string) string {
	source = clean(source)
	if len(source) > maxBlock {
		return Plain(source)
	}
	src := []byte(source)
	pc := parser.NewContext()
	for _, ref := range definitions(references) {
		pc.AddReference(ref)
	}
	root := document.Parser().Parse(text.NewReader(src), parser.WithContext(pc))
	if tooDeep(root) {
		return Plain(source)
	}
	allot(root, src)
	var out bytes.Buffer
	if r.Render(&out, src, root) != nil {
		return Plain(source)
	}
	return name(policy().Sanitize(out.String()))
}

// known are the definitions read last: the blocks of a page share theirs.
var known atomic.Pointer[struct {
	source string
	list   []parser.Reference
}]

// definitions reads link definitions. Anything else in the source is ignored.
func definitions(source string) []parser.Reference {
	if source == "" {
		return nil
	}
	if k := known.Load(); k != nil && k.source == source {
		return k.list
	}
	pc := parser.NewContext()
	document.Parser().Parse(text.NewReader([]byte(clean(source))), parser.WithContext(pc))
	list := pc.References()
	known.Store(&struct {
		source string
		list   []parser.Reference
	}{source, list})
	return list
}

// tooDeep tells whether a tree is deeper than maxDepth.
func tooDeep(root ast.Node) bool {
	depth := 0
	for n := root; n != nil; {
		switch {
		case n.FirstChild() != nil:
			n = n.FirstChild()
			depth++
		default:
			for n != nil && n.NextSibling() == nil {
				n = n.Parent()
				depth--
			}
			if n != nil {
				n = n.NextSibling()
			}
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// clean makes any bytes valid text with "\n" as line end: what is no text
// becomes U+FFFD, and a carriage return alone, which a browser would make a
// line end of, a picture of one.
func clean(source string) string {
	source = strings.TrimPrefix(strings.ToValidUTF8(source, "\uFFFD"), "\uFEFF")
	return cleaner.Replace(source)
}

var cleaner = strings.NewReplacer("\r\n", "\n", "\r", "␍", "\x00", "\uFFFD")
