package markdown

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

var (
	policy      = sync.OnceValue(newPolicy)
	titlePolicy = sync.OnceValue(newTitlePolicy)
)

// newPolicy allows exactly what the renderer writes. It is the second lock: a
// fault in the renderer must not become markup.
func newPolicy() *bluemonday.Policy {
	p := newTitlePolicy()
	is := regexp.MustCompile
	p.AllowElements("p", "br", "hr", "blockquote", "ul", "ol", "li", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td", "span")
	p.AllowAttrs("start").Matching(is(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("align").Matching(is(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(is(`^(chroma|plain)$`)).OnElements("pre")
	p.AllowAttrs("tabindex").Matching(is(`^0$`)).OnElements("pre")
	p.AllowAttrs("class").Matching(is(`^language-[a-z0-9+#._-]{1,31}$`)).OnElements("code")
	p.AllowAttrs("class").Matching(is(`^([a-z0-9]{1,3}|dest)$`)).OnElements("span")
	p.AllowAttrs("title").Matching(is(`^[!-~]{0,210}$`)).OnElements("span")
	p.AllowAttrs("type").Matching(is(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(is(`^$`)).OnElements("input")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true) // for places on the page
	p.AllowAttrs("href").Matching(is(`(?i)^(https?://|mailto:|#)[!-~]*$`)).OnElements("a")
	p.AllowAttrs("target").Matching(is(`^_blank$`)).OnElements("a")
	p.AllowAttrs("rel").Matching(is(`^noopener noreferrer nofollow$`)).OnElements("a")
	return p
}

func newTitlePolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("em", "strong", "del", "code")
	return p
}
