package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

func TestHTML_R2_WhatPlansUse(t *testing.T) {
	cases := map[string]struct{ source, selector, text string }{
		"generic type":     {"1. Return Promise<void> from save()", "li", "Return Promise<void> from save()"},
		"HTML block":       {"<div onclick=x>\nhi\n</div>\n", "pre.plain", "<div onclick=x>\nhi\n</div>"},
		"CJK emphasis":     {"阅读**「调度器」**的代码", "strong", "「调度器」"},
		"task list":        {"- [x] done\n- [ ] open", "li input[type=checkbox][checked][disabled]", ""},
		"table":            {"|a|b|\n|-|:-:|\n|1|2|", "td[align=center]", "2"},
		"struck":           {"~~gone~~", "del", "gone"},
		"code is coloured": {"```go\nfunc f() {}\n```", "pre.chroma code span.kd", "func"},
		"plain code":       {"```nosuchlanguage\n<b>\n```", "pre.chroma code", "<b>\n"},
		"link":             {"[a](https://example.com/x?y=1&z=2)", `a[href="https://example.com/x?y=1&z=2"][rel~=noopener]`, "a"},
		"bare link":        {"see https://example.com.", `a[href="https://example.com"]`, "https://example.com"},
		"mail":             {"<a@example.com>", `a[href="mailto:a@example.com"]`, "a@example.com"},
		"image is a link":  {"![a cat](https://example.com/cat.png)", `a[href="https://example.com/cat.png"]`, "a cat (example.com)"},
		"list start":       {"3. c", `ol[start="3"]`, "\nc\n"},
		"a long block":     {strings.Repeat("*x* ", maxBlock), "pre.plain", strings.Repeat("*x* ", maxBlock)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			doc := parse(t, HTML(c.source, ""))
			found := doc.Find(c.selector)
			if found.Length() != 1 || found.Text() != c.text {
				t.Errorf("%d × %s with %q, want 1 with %q\n%s", found.Length(), c.selector, found.Text(), c.text, HTML(c.source, ""))
			}
		})
	}
}

func TestHTML_ReferencesApplyInABlockOfItsOwn(t *testing.T) {
	doc := parse(t, HTML("1. See [spec]\n", "[spec]: https://example.com/s\n"))
	if doc.Find(`li a[href="https://example.com/s"]`).Length() != 1 {
		t.Errorf("no link: %s", HTML("1. See [spec]\n", "[spec]: https://example.com/s\n"))
	}
}

// hostile are texts that must not come out as anything that acts.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "a <b onclick=x>b</b>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](javascript&colon;alert(1))", "[x](java\tscript:alert(1))",
	"[x](&#106;avascript:alert(1))", "[x](data:text/html,<script>1</script>)", "[x](vbscript:x)", "[x](//evil.example/x)", "[x](/sign-out)",
	"<javascript:alert(1)>", "![x](javascript:alert(1))", "![x](data:image/svg+xml;base64,PHN2Zz4=)", "![a][r]\n\n[r]: https://evil.example/?secret",
	"[x](https://e.example/\"onmouseover=alert(1))", "[x](https://e.example \"'onclick=alert(1)\")", "![\" onerror=x](https://e.example/i.png)",
	"```\"><script>alert(1)</script>\nx\n```", "```html\n<script>alert(1)</script>\n```", "<style>*{display:none}</style>", "<!-- <img src=x> -->",
	"<a href='https://e.example' style='position:fixed'>x</a>", "<iframe srcdoc='<script>1</script>'>", "<form action=/x><button>", "<base href=//e>",
	"[](https://e.example)", "[x]: javascript:1\n\n[x]", "| <img src=x> |\n|-|\n| ![](https://e/x) |", "<\x00script>alert(1)</script>", "\xff<script>",
	"<details open ontoggle=alert(1)>", "<math><mi xlink:href=javascript:1>", "<noscript><p title=\"</noscript><img src=x onerror=1>\">",
}

func TestHTML_NothingActs(t *testing.T) {
	for _, source := range hostile {
		for _, out := range []string{HTML(source, ""), HTML("x", source), Comment(source), Inline(source), Plain(source)} {
			if why := acts(out); why != "" {
				t.Errorf("%q: %s\n%s", source, why, out)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, out := range []string{HTML(source, ""), Comment(source), Inline(source)} {
			if why := acts(out); why != "" {
				t.Errorf("%s\n%s", why, out)
			}
		}
	})
}

// acts finds, in what a browser would make of the HTML, anything that runs,
// loads, or leads into this server.
func acts(out string) string {
	root, err := html.Parse(strings.NewReader(out))
	if err != nil {
		return err.Error()
	}
	allowed := " html head body p br hr blockquote ul ol li pre code em strong del span h1 h2 h3 h4 h5 h6 table thead tbody tr th td a input "
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !strings.Contains(allowed, " "+n.Data+" ") {
			return "an element " + n.Data
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "id" {
				return "an attribute " + a.Key
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "mailto:") &&
				!strings.HasPrefix(strings.ToLower(a.Val), "http://") && !strings.HasPrefix(strings.ToLower(a.Val), "https://") {
				return "a link to " + a.Val
			}
		}
	}
	return ""
}

func parse(t *testing.T, out string) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// BenchmarkHTML_200Steps renders the steps of a 100 KB plan.
func BenchmarkHTML_200Steps(b *testing.B) {
	steps := make([]string, 200)
	for i := range steps {
		steps[i] = fmt.Sprintf("## Step %d: Do **this** in `file%d.go`\n\n%s\n\n```go\nfunc f() {}\n```\n", i, i, strings.Repeat("Some words about it. ", 20))
	}
	for b.Loop() {
		for _, s := range steps {
			HTML(s, "")
		}
	}
}
