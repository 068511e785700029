package templates

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/web/templates/markdown"

	lru "github.com/hashicorp/golang-lru/v2"
)

// longTitle is the length in characters from which a step's first paragraph is
// set as text and no longer as a heading.
const longTitle = 110

var (
	anyTag      = regexp.MustCompile(`<[^>]*>`)
	headOpen    = regexp.MustCompile(`^\s*<h[1-6][^>]*>`)
	headClose   = regexp.MustCompile(`</h[1-6]>`)
	itemOpen    = regexp.MustCompile(`^\s*<[ou]l[^>]*>\s*<li[^>]*>\s*`)
	listTag     = regexp.MustCompile(`<(/?)(ol|ul|li)\b`)
	blockInside = regexp.MustCompile(`\s*<(?:pre|ul|ol|p|div|blockquote|table|h[1-6]|hr)\b`)
	leadingTags = regexp.MustCompile(`^(?:<[a-z]+>)*`)
)

// blockHTML renders a block. A step comes as a heading without the number,
// which stands in the gutter, and what follows it; a shape that isn't known
// comes as Markdown makes it.
func blockHTML(p planning.Plan, b planning.Block, links string) string {
	key := blockKey{b.Kind, b.Title, p.Text(b), links}
	if done, ok := rendered.Get(key); ok {
		return done
	}
	done := markdown.HTML(key.text, key.references)
	if b.Kind == document.Step {
		done = stepHTML(done, b.Title)
	}
	rendered.Add(key, done)
	return done
}

// blockKey is all that a block's HTML depends on.
type blockKey struct {
	kind                    document.Kind
	title, text, references string
}

// rendered keeps the blocks of some twenty long plans: a page is brought up to
// date often, and most of it stays the same.
var rendered = newCache[blockKey, string](4096)

// linked keeps the link definitions of plans by their text, so that a step's
// links work on its own.
var linked = newCache[string, string](64)

func references(plan string) string {
	if known, ok := linked.Get(plan); ok {
		return known
	}
	found := document.Parse(plan).References()
	linked.Add(plan, found)
	return found
}

func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // only for a size below one
	}
	return c
}

func stepHTML(rendered, want string) string {
	title, rest, ok := splitTitle(rendered)
	if !ok {
		return rendered
	}
	title, ok = withoutNumber(title, want)
	if !ok {
		return rendered
	}
	class := "title"
	if utf8.RuneCountInString(plainText(title)) > longTitle {
		class = "title long"
	}
	return `<h2 class="` + class + `">` + title + "</h2>" + rest
}

// splitTitle takes a step's first line out of its heading, list item or
// paragraph. Everything else stays, in order.
func splitTitle(rendered string) (title, rest string, ok bool) {
	if open := headOpen.FindString(rendered); open != "" {
		body := rendered[len(open):]
		if end := headClose.FindStringIndex(body); end != nil {
			return body[:end[0]], body[end[1]:], true
		}
		return "", "", false
	}
	if open := itemOpen.FindString(rendered); open != "" {
		body, ok := withoutItemEnd(rendered[len(open):])
		if !ok || !balanced(body) {
			return "", "", false
		}
		return splitParagraph(body)
	}
	return splitParagraph(strings.TrimSpace(rendered))
}

// withoutItemEnd cuts the end of a list of one item.
func withoutItemEnd(body string) (string, bool) {
	body = strings.TrimSpace(body)
	list, ordered := strings.CutSuffix(body, "</ol>")
	if !ordered {
		var ok bool
		if list, ok = strings.CutSuffix(body, "</ul>"); !ok {
			return "", false
		}
	}
	item, ok := strings.CutSuffix(strings.TrimSpace(list), "</li>")
	return strings.TrimSpace(item), ok
}

func splitParagraph(body string) (title, rest string, ok bool) {
	if after, found := strings.CutPrefix(body, "<p>"); found {
		return strings.Cut(after, "</p>")
	}
	if at := blockInside.FindStringIndex(body); at != nil {
		return body[:at[0]], body[at[0]:], at[0] > 0
	}
	return body, "", body != ""
}

// balanced tells whether a list item's inside is one item: no list ends in it
// that did not begin in it.
func balanced(body string) bool {
	depth := 0
	for _, m := range listTag.FindAllStringSubmatch(body, -1) {
		if m[1] == "/" {
			depth--
		} else {
			depth++
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// withoutNumber cuts what the plan's own title does not have: "Step 2: ". It
// says no where the two don't fit together.
func withoutNumber(title, want string) (string, bool) {
	have := strings.Join(strings.Fields(plainText(title)), " ")
	want = strings.Join(strings.Fields(visible(want)), " ")
	prefix, ok := strings.CutSuffix(have, want)
	if start, shortened := strings.CutSuffix(want, "…"); shortened && !ok {
		prefix, _, ok = strings.Cut(have, start)
	}
	if !ok || want == "" {
		return "", false
	}
	if prefix == "" {
		return title, true
	}
	tags := leadingTags.FindString(title)
	rest, ok := strings.CutPrefix(title[len(tags):], html.EscapeString(prefix))
	if !ok {
		return title, true // the number stays visible, which is better than a wrong cut
	}
	return tags + strings.TrimSpace(rest), true
}

func plainText(rendered string) string {
	return html.UnescapeString(anyTag.ReplaceAllString(rendered, ""))
}
