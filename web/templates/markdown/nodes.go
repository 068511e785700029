package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	goldmark "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// ours renders the nodes that are shown otherwise than goldmark does.
type ours struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (ours) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawInline)
	r.Register(ast.KindHTMLBlock, rawBlock)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindAutoLink, autoLink)
	r.Register(ast.KindFencedCodeBlock, fenced)
	r.Register(ast.KindCodeBlock, indented)
}

// rawInline shows inline HTML as the text that it is.
func rawInline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			_, _ = w.WriteString(html.EscapeString(string(s.Value(source))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// rawBlock shows a block of HTML as its source.
func rawBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.HTMLBlock)
	text := lines(b, source)
	if b.HasClosure() {
		text += string(b.ClosureLine.Value(source))
	}
	_, _ = w.WriteString(`<pre class="plain" tabindex="0">` + html.EscapeString(strings.TrimRight(text, "\n")) + "</pre>\n")
	return ast.WalkContinue, nil
}

// lines joins the lines of a block.
func lines(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(source))
	}
	return b.String()
}

// escapedText is the text below a node, without markup, ready to be written.
func escapedText(n ast.Node, source []byte) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch t := c.(type) {
		case *ast.Text:
			if t.IsRaw() {
				goldmark.DefaultWriter.RawWrite(w, t.Value(source))
			} else {
				goldmark.DefaultWriter.Write(w, t.Value(source))
			}
			if t.SoftLineBreak() || t.HardLineBreak() {
				_ = w.WriteByte(' ')
			}
		case *ast.AutoLink:
			goldmark.DefaultWriter.RawWrite(w, t.Label(source))
		case *ast.RawHTML:
			return rawInline(w, source, c, true)
		}
		return ast.WalkContinue, nil
	})
	_ = w.Flush() // to memory
	return b.String()
}
