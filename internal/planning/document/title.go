package document

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	render "github.com/yuin/goldmark/renderer/html"
)

// maxTitle is how many characters of a title are kept.
const maxTitle = 300

// titleOf is the plain text of the first heading or paragraph in some nodes,
// or "" if none of them has one with text.
func titleOf(nodes []ast.Node, src []byte) string {
	for _, n := range nodes {
		title := ""
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n.(type) {
			case *ast.Heading, *ast.Paragraph, *ast.TextBlock:
				if entering && title == "" {
					title = plain(n, src)
				}
				return ast.WalkSkipChildren, nil
			}
			if title != "" {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
		if title != "" {
			return title
		}
	}
	return ""
}

// shorten cuts a title after maxTitle characters.
func shorten(title string) string {
	n := 0
	for i := range title {
		if n++; n > maxTitle {
			return title[:i] + "…"
		}
	}
	return title
}

// plain is the text of the inline nodes below n on one line: without markup,
// with escapes and entities resolved, and with raw HTML as its source.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			writePlain(&b, n, src)
		} else if n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return valid(strings.Join(strings.Fields(b.String()), " "))
}

// valid makes any bytes valid text.
func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func writePlain(b *strings.Builder, n ast.Node, src []byte) {
	switch n := n.(type) {
	case *ast.Text:
		value := n.Segment.Value(src)
		if n.IsRaw() {
			b.Write(value)
			return
		}
		b.WriteString(resolve(value))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(src))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.Write(segment.Value(src))
		}
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			b.Write(line.Value(src))
		}
	}
}

// resolve gives backslash escapes and entities their meaning, as the renderer
// would: it writes HTML, which is then read back.
func resolve(value []byte) string {
	if bytes.IndexByte(value, '\\') < 0 && bytes.IndexByte(value, '&') < 0 && bytes.IndexByte(value, 0) < 0 {
		return string(value)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	render.DefaultWriter.Write(w, value)
	_ = w.Flush() // to memory
	return html.UnescapeString(b.String())
}
