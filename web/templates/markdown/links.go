package markdown

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// address is where a link leads, ready to be written, and whether it may be a
// link at all: to the web, to a mailbox, or to a place on the page. A relative
// one would lead into this server.
func address(destination []byte) (href string, ok bool) {
	href = string(util.URLEscape(destination, true))
	if strings.HasPrefix(href, "#") {
		return href, true
	}
	if strings.ContainsFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7F || r == '\\' }) {
		return href, false
	}
	u, err := url.Parse(href)
	if err != nil {
		return href, false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return href, u.Host != ""
	case "mailto":
		return href, u.Opaque != ""
	}
	return href, false
}

// openLink starts a link, or what is shown in its place where it is not
// allowed: a text that says on asking where it would lead.
func openLink(w util.BufWriter, destination []byte) (end string) {
	href, ok := address(destination)
	if !ok {
		_, _ = w.WriteString(`<span class="dest" title="` + html.EscapeString(shorten(href)) + `">`)
		return "</span>"
	}
	_, _ = w.WriteString(`<a href="` + html.EscapeString(href) + `"`)
	if !strings.HasPrefix(href, "#") {
		_, _ = w.WriteString(` rel="noopener noreferrer nofollow" target="_blank"`)
	}
	_, _ = w.WriteString(">")
	return "</a>"
}

// shorten keeps the beginning of an address that is no link. It is ASCII.
func shorten(href string) string {
	if len(href) > 200 {
		return href[:200] + "..."
	}
	return href
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	destination := n.(*ast.Link).Destination
	if entering {
		_ = openLink(w, destination)
	} else if _, ok := address(destination); ok {
		_, _ = w.WriteString("</a>")
	} else {
		_, _ = w.WriteString("</span>")
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	to := a.URL(source)
	if a.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(string(to)), "mailto:") {
		to = append([]byte("mailto:"), to...)
	}
	end := openLink(w, to)
	_, _ = w.WriteString(html.EscapeString(string(a.Label(source))) + end)
	return ast.WalkContinue, nil
}

// image becomes a link, so that nothing is loaded by itself. It says where the
// picture would come from. Within a link it is only text.
func image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	img := n.(*ast.Image)
	label := strings.TrimSpace(escapedText(img, source))
	if label == "" {
		label = "image"
	}
	href, ok := address(img.Destination)
	if u, err := url.Parse(href); ok && err == nil && u.Host != "" {
		label += " (" + html.EscapeString(u.Host) + ")"
	}
	if within(n, ast.KindLink) {
		_, _ = w.WriteString(label)
		return ast.WalkSkipChildren, nil
	}
	end := openLink(w, img.Destination)
	_, _ = w.WriteString(label + end)
	return ast.WalkSkipChildren, nil
}

// within tells whether a node has one of this kind around it.
func within(n ast.Node, kind ast.NodeKind) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == kind {
			return true
		}
	}
	return false
}
