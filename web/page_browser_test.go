package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/review"

	"github.com/PuerkitoBio/goquery"
)

// browser is one without scripts: it opens pages, fills in forms as they came,
// and follows redirects. Every page that it sees is checked.
type browser struct {
	*rig
	person review.Person
	cookie header
	at     string // the last page's path and query
	doc    *goquery.Document
	status int
}

func (r *rig) browse(p review.Person) *browser {
	return &browser{rig: r, person: p, cookie: header("Cookie: " + r.cookie(p))}
}

// open loads a page, which has to be there.
func (b *browser) open(path string) *browser {
	b.t.Helper()
	b.load(path)
	if b.status != http.StatusOK {
		b.t.Fatalf("GET %s: %d\n%s", path, b.status, b.doc.Text())
	}
	return b
}

func (b *browser) load(path string) *browser {
	b.t.Helper()
	b.take(path, b.do(http.MethodGet, path, nil, b.cookie))
	return b
}

// take follows redirects and checks the page at their end.
func (b *browser) take(path string, a answer) {
	b.t.Helper()
	for n := 0; a.StatusCode == http.StatusSeeOther; n++ {
		if n > 4 {
			b.t.Fatalf("%s: redirects go round", a.what)
		}
		to, err := url.Parse(a.Header.Get("Location"))
		b.must(err)
		to.Fragment = ""
		path = to.String()
		a = b.do(http.MethodGet, path, nil, b.cookie)
	}
	doc := a.doc()
	b.at, b.doc, b.status = path, doc, a.StatusCode
	checkPage(b.t, path, doc)
}

// doc is a page, parsed.
func (a answer) doc() *goquery.Document {
	a.t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		a.t.Fatal(err)
	}
	return doc
}

// submit sends the first form that matches, with the values that it came with
// but for those given. A value for a button's name presses that button.
func (b *browser) submit(selector string, values ...string) *browser {
	b.t.Helper()
	form := b.doc.Find(selector).First()
	if form.Length() == 0 || goquery.NodeName(form) != "form" {
		b.t.Fatalf("%s has no form %s", b.at, selector)
	}
	fields := b.fields(form)
	for i := 0; i < len(values); i += 2 {
		if fields.Get(values[i]) == "" && !has(b.doc, form, values[i]) {
			b.t.Fatalf("%s: the form %s has no field %s", b.at, selector, values[i])
		}
		fields.Set(values[i], values[i+1])
	}
	action, _ := form.Attr("action")
	b.take(action, b.form(action, fields, b.cookie, header("Referer: "+b.srv.URL+b.at)))
	return b
}

// controls are what a form sends: what is in it, and what names it.
func controls(doc *goquery.Document, form *goquery.Selection) *goquery.Selection {
	list := form.Find("input, textarea, select, button")
	if id, ok := form.Attr("id"); ok {
		list = list.AddSelection(doc.Find(`[form="` + id + `"]`))
	}
	return list
}

func has(doc *goquery.Document, form *goquery.Selection, name string) bool {
	return controls(doc, form).Filter(`[name="`+name+`"]`).Length() > 0
}

func (b *browser) fields(form *goquery.Selection) url.Values {
	fields := url.Values{}
	controls(b.doc, form).Each(func(_ int, c *goquery.Selection) {
		name, ok := c.Attr("name")
		if !ok {
			return
		}
		value, _ := c.Attr("value")
		switch goquery.NodeName(c) {
		case "button":
			return
		case "textarea":
			// A browser sends CRLF.
			value = strings.ReplaceAll(strings.ReplaceAll(c.Text(), "\r\n", "\n"), "\n", "\r\n")
		case "select":
			value, _ = c.Find("option[selected]").Attr("value")
		case "input":
			_, checked := c.Attr("checked")
			if kind, _ := c.Attr("type"); (kind == "checkbox" || kind == "radio") && !checked {
				return
			}
		}
		fields.Add(name, value)
	})
	return fields
}

// text is the text of what matches, blanks made single.
func (b *browser) text(selector string) string {
	return strings.Join(strings.Fields(b.doc.Find(selector).Text()), " ")
}

// sees checks that something is there and, if words are given, says them.
func (b *browser) sees(selector string, words ...string) *browser {
	b.t.Helper()
	if b.doc.Find(selector).Length() == 0 {
		b.t.Fatalf("%s: there is no %s in\n%s", b.at, selector, b.doc.Find("main").Text())
	}
	for _, w := range words {
		if !strings.Contains(b.text(selector), w) {
			b.t.Fatalf("%s: %s says %q, not %q", b.at, selector, b.text(selector), w)
		}
	}
	return b
}

func (b *browser) lacks(selector string) *browser {
	b.t.Helper()
	if n := b.doc.Find(selector); n.Length() > 0 {
		b.t.Fatalf("%s: there should be no %s: %s", b.at, selector, n.Text())
	}
	return b
}

// checkPage holds a page against the content policy and what a screen reader
// needs.
func checkPage(t testing.TB, path string, doc *goquery.Document) {
	t.Helper()
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			leads := a.Key == "href" || a.Key == "action" || a.Key == "formaction"
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || leads && strings.HasPrefix(value, "javascript:") {
				t.Errorf("%s: inline %s=%q", path, a.Key, a.Val)
			}
			if (a.Key == "src" || a.Key == "srcset") && strings.Contains(value, "//") {
				t.Errorf("%s: loads %q from elsewhere", path, a.Val)
			}
		}
	})
	if n := doc.Find("style").Length() + doc.Find("script:not([src])").Length() + doc.Find("img, iframe, object, embed").Length(); n > 0 {
		t.Errorf("%s: %d inline scripts, sheets or foreign content", path, n)
	}
	ids := map[string]int{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id, _ := s.Attr("id"); s.Closest("template").Length() == 0 || goquery.NodeName(s) == "template" {
			ids[id]++
		}
	})
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s: the id %q is there %d times", path, id, n)
		}
	}
	doc.Find("input:not([type=hidden]), textarea:not([hidden]), select").Each(func(_ int, s *goquery.Selection) {
		id, _ := s.Attr("id")
		_, named := s.Attr("aria-label")
		if !named && s.Closest("label").Length() == 0 && doc.Find(`label[for="`+id+`"]`).Length() == 0 {
			html, _ := goquery.OuterHtml(s)
			t.Errorf("%s: nothing names %s", path, html)
		}
	})
	if doc.Find("main").Length() != 1 || doc.Find("title").Text() == "" {
		t.Errorf("%s: no main part or no title", path)
	}
}
