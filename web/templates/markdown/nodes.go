package markdown

import (
	"bytes"
	"html"
	"net/url"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
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
	_, _ = w.WriteString(`<pre class="plain">` + html.EscapeString(strings.TrimRight(text, "\n")) + "</pre>\n")
	return ast.WalkContinue, nil
}

// image becomes a link, so that nothing is loaded by itself. It says where the
// picture would come from.
func image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	img := n.(*ast.Image)
	alt := strings.TrimSpace(plainText(img, source))
	if alt == "" {
		alt = "image"
	}
	to := string(img.Destination)
	if !safeURL(to) {
		_, _ = w.WriteString(html.EscapeString(alt))
		return ast.WalkSkipChildren, nil
	}
	from := ""
	if u, err := url.Parse(to); err == nil && u.Host != "" {
		from = " (" + u.Host + ")"
	}
	open(w, to)
	_, _ = w.WriteString(html.EscapeString(alt+from) + "</a>")
	return ast.WalkSkipChildren, nil
}

func link(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(n.(*ast.Link).Destination)
	switch {
	case !safeURL(to): // only its text is shown
	case entering:
		open(w, to)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	to, label := string(a.URL(source)), html.EscapeString(string(a.Label(source)))
	if a.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	if !safeURL(to) {
		_, _ = w.WriteString(label)
		return ast.WalkContinue, nil
	}
	open(w, to)
	_, _ = w.WriteString(label + "</a>")
	return ast.WalkContinue, nil
}

// open starts a link. Links that leave the page do so without telling where
// they come from.
func open(w util.BufWriter, to string) {
	_, _ = w.WriteString(`<a href="` + html.EscapeString(string(util.URLEscape([]byte(to), true))) + `"`)
	if !strings.HasPrefix(to, "#") {
		_, _ = w.WriteString(` rel="noopener noreferrer nofollow" target="_blank"`)
	}
	_, _ = w.WriteString(">")
}

// safeURL lets through addresses of the web, of mail, and places on the page.
// Relative ones would lead into this server, so they are not links.
func safeURL(s string) bool {
	if strings.HasPrefix(s, "#") {
		return true
	}
	u, err := url.Parse(html.UnescapeString(strings.TrimSpace(s)))
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

func fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		b := n.(*ast.FencedCodeBlock)
		code(w, lines(b, source), string(b.Language(source)))
	}
	return ast.WalkContinue, nil
}

func indented(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		code(w, lines(n, source), "")
	}
	return ast.WalkContinue, nil
}

var formatter = chtml.New(chtml.WithClasses(true), chtml.PreventSurroundingPre(true))

// code writes a block of code, coloured where its language is known.
func code(w util.BufWriter, text, language string) {
	_, _ = w.WriteString(`<pre class="chroma"><code>`)
	if colored, ok := highlight(text, language); ok {
		_, _ = w.WriteString(colored)
	} else {
		_, _ = w.WriteString(html.EscapeString(text))
	}
	_, _ = w.WriteString("</code></pre>\n")
}

func highlight(text, language string) (string, bool) {
	if language == "" {
		return "", false
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		return "", false
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return "", false
	}
	var out bytes.Buffer
	if err := formatter.Format(&out, styles.Fallback, tokens); err != nil {
		return "", false
	}
	return out.String(), true
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

// plainText is the text below a node, without markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Text:
			b.Write(t.Value(source))
		case *ast.String:
			b.Write(t.Value)
		default:
			b.WriteString(plainText(c, source))
		}
	}
	return b.String()
}
