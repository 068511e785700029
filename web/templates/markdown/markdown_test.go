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
		"a deep block":     {strings.Repeat("*a ", 200) + strings.Repeat("a* ", 200), "pre.plain", strings.Repeat("*a ", 200) + strings.Repeat("a* ", 200)},
		"language":         {"```Go\nx\n```", "code.language-go", "x\n"},
		"odd language":     {"```a\"b\nx\n```", "code:not([class])", "x\n"},
		"image in a link":  {"[![a *cat* &amp; \\*](/c.png)](https://example.com)", `a[href="https://example.com"]`, "a cat & *"},
		"local image":      {"![a cat](cat.png)", `span.dest[title="cat.png"]`, "a cat"},
		"local link":       {"[spec](docs/s%20p.md)", `span.dest[title="docs/s%20p.md"]`, "spec"},
		"place on a page":  {"[x](#y)", `a[href="#y"]:not([target])`, "x"},
		"script address":   {"[x](javascript:alert(1))", `span.dest[title="javascript:alert(1)"]`, "x"},
		"soft line break":  {"a\nb", "p:not(:has(br))", "a\nb"},
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

func TestHTML_R2_ReferencesApplyInABlockOfItsOwn(t *testing.T) {
	const references = "[spec]: https://example.com/s\n\nnot a definition <b>\n"
	cases := []struct{ source, selector, text string }{
		{"1. See [spec]\n", `li a[href="https://example.com/s"]`, "spec"},
		{"[Spec] x\n\n[spec]: https://example.org\n", `a[href="https://example.com/s"]`, "Spec"},
		{"```\n[spec]\n", "pre code", "[spec]\n"},
		{"<!-- [spec]\n", "pre.plain", "<!-- [spec]"},
	}
	for _, c := range cases {
		doc := parse(t, HTML(c.source, references))
		if found := doc.Find(c.selector); found.Length() != 1 || found.Text() != c.text || strings.Contains(doc.Text(), "not a definition") {
			t.Errorf("%q: %s", c.source, HTML(c.source, references))
		}
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
	"[x](\x01javascript:alert(1))", "[x](https:evil.example)", "[x](http:///evil)", "[x](https://e.example\\@evil)", "[x](\\/\\/evil)", "[x](mailto:)",
	"[x](jav&Tab;ascript&colon;alert&lpar;1&rpar;)", "[x](javascript&#x3A;alert(1))", "[x]( javascript:alert(1))", "[x](<java\\\nscript:1>)", "[x](feed:javascript:1)",
	"[![x](https://a.example/i.png)](https://b.example)", "[![x](javascript:1)](javascript:2)", "![[a](https://b.example)](https://c.example)", "![![x](https://a)](https://b)",
	"<http://a.example/\"onmouseover=alert(1)>", "http://a.example/\"onmouseover=alert(1)//", "www.a.example/<script>", "a@b.example?subject=\"><script>",
	"[x][R]\n\n[r]: <javascript:alert(1)> \"t\"", "[x]: https://e.example 'onclick=alert(1)'\n\n[x]", "- [x] <input autofocus onfocus=alert(1)>",
	"&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;img src=x&#62;", "\\<script>", "`<script>`", "``` a`b\n", "~~~ x\" onclick=\"alert(1)\n~~~", "```language-x class=y\nz\n```",
	"a\u202Eb", "&#x202E;x", "`a\u2066b`", "```\n\u202E\n```", "[\u202Ex](https://e.example/\u202E)", "![\u2067](https://e.example)", "a\rb\r\nc", "\x1b[31mred", "\u00ad\u200b\u2060\ufeff\U000E0041",
	"<!DOCTYPE html><body onload=x>", "<![CDATA[<script>]]>", "<?xml version=1?><script>", "<a\n href=javascript:1\n>x</a>", "<plaintext>", "</span></pre><script>",
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

// What is raw HTML in the source is there to be read, letter by letter.
func TestHTML_R2_NothingDisappears(t *testing.T) {
	for _, source := range []string{
		"<script>alert(1)</script>", "a <b onclick=x>b</b> c", "<!-- hidden -->", "x <!-- hidden --> y", "<style>\np{}\n</style>", "Promise<void>",
		"<textarea>x", "<noscript>x</noscript>", "<iframe src=x></iframe>", "<![CDATA[x]]>", "<?php x ?>", "<title>x</title>", "<select><option>x",
	} {
		for name, out := range map[string]string{"HTML": HTML(source, ""), "Comment": Comment(source), "Inline": Inline(source)} {
			if got := strings.TrimSpace(parse(t, out).Text()); got != source {
				t.Errorf("%s: %q comes out as %q", name, source, got)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "[r]: https://e.example")
	}
	f.Fuzz(func(t *testing.T, source, references string) {
		for _, out := range []string{HTML(source, references), Comment(source), Inline(source), Text(source), Plain(source)} {
			if why := acts(out); why != "" {
				t.Errorf("%s\n%s", why, out)
			}
		}
	})
}

// allowed are the elements that may come out, each with its attributes.
var allowed = map[string]string{
	"html": "", "head": "", "body": "", "p": "", "br": "", "hr": "", "blockquote": "", "ul": "", "ol": "start", "li": "",
	"pre": "class tabindex", "code": "class", "em": "", "strong": "", "del": "", "span": "class title",
	"h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "",
	"table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
	"a": "href rel target", "input": "type checked disabled",
}

// acts finds, in what a browser would make of the HTML, anything that runs,
// loads, looks like something else, or leads into this server.
func acts(out string) string {
	root, err := html.Parse(strings.NewReader(out))
	if err != nil {
		return err.Error()
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			return "a comment"
		}
		if n.Type == html.TextNode && Visible(n.Data) != n.Data {
			return fmt.Sprintf("something invisible in %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		attributes, ok := allowed[n.Data]
		if !ok {
			return "an element " + n.Data
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			if !strings.Contains(" "+attributes+" ", " "+a.Key+" ") {
				return "an attribute " + a.Key + " on " + n.Data
			}
		}
		if href, ok := attr["href"]; ok && !strings.HasPrefix(href, "#") {
			lower := strings.ToLower(href)
			if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "mailto:") {
				return "a link to " + href
			}
			if attr["rel"] != "noopener noreferrer nofollow" || attr["target"] != "_blank" {
				return "a link that tells where it comes from"
			}
		}
		if n.Data == "a" && n.Parent != nil && n.Parent.Data == "a" {
			return "a link in a link"
		}
		if _, off := attr["disabled"]; n.Data == "input" && (!off || attr["type"] != "checkbox") {
			return "an input that can be used"
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
