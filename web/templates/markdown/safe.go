package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

var (
	policy      = newPolicy()
	titlePolicy = newTitlePolicy()
)

// newPolicy allows exactly what the renderer writes. It is the second lock: a
// fault in the renderer must not become markup.
func newPolicy() *bluemonday.Policy {
	p := newTitlePolicy()
	p.AllowElements("p", "br", "hr", "blockquote", "ul", "ol", "li", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td", "span")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(chroma|plain)$`)).OnElements("pre")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9]{1,4}$`)).OnElements("span")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true) // only "#…" is ever written
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("target").Matching(regexp.MustCompile(`^_blank$`)).OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^noopener noreferrer nofollow$`)).OnElements("a")
	return p
}

func newTitlePolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("em", "strong", "del", "code")
	return p
}
