// Package markdown turns Markdown that nobody vouches for into HTML that is
// safe to show: plans, comments, messages of a model.
//
// Raw HTML is shown as its source, images are links to click, code is coloured
// by classes, and what is left goes through an allow-list at the end. Invisible
// characters are left to the caller, who has them in other texts as well.
package markdown

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"countersign/internal/planning/document"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	goldmark "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxBlock is the length, in bytes, from which on a text is shown as it is.
const maxBlock = 16 << 10

var (
	block   = newRenderer()
	comment = newRenderer(goldmark.WithHardWraps())
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
// that is shown on its own. A block over 16 KB is shown as its source.
func HTML(source, references string) string {
	if len(source) > maxBlock {
		return Plain(source)
	}
	if references != "" {
		source = strings.TrimRight(source, "\n") + "\n\n" + references
	}
	return render(block, source)
}

// Comment renders what a person or the model wrote, with line ends kept.
func Comment(source string) string {
	if len(source) > maxBlock {
		return Plain(source)
	}
	return render(comment, source)
}

// Inline renders a title: emphasis and code, no blocks and no links.
func Inline(source string) string {
	if len(source) > maxBlock {
		return html.EscapeString(clean(source))
	}
	src := []byte(clean(source))
	var out bytes.Buffer
	if err := block.Render(&out, src, document.InlineParser().Parse(text.NewReader(src))); err != nil {
		return html.EscapeString(clean(source))
	}
	return strings.TrimSpace(titlePolicy.Sanitize(out.String()))
}

// Plain shows a text as it is.
func Plain(source string) string {
	return `<pre class="plain">` + html.EscapeString(clean(source)) + `</pre>`
}

func render(r renderer.Renderer, source string) string {
	src := []byte(clean(source))
	root := document.Parser().Parse(text.NewReader(src))
	var out bytes.Buffer
	if err := r.Render(&out, src, root); err != nil {
		return Plain(source)
	}
	return policy.Sanitize(out.String())
}

// clean makes any bytes valid text: what can't be shown becomes U+FFFD.
func clean(source string) string {
	if !utf8.ValidString(source) {
		source = strings.ToValidUTF8(source, "\uFFFD")
	}
	return strings.ReplaceAll(source, "\x00", "\uFFFD")
}
