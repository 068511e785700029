package templates

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// token is a piece of HTML: a tag, an entity, a word, a character of a script
// without blanks between words, or the blanks and marks between words.
var token = regexp.MustCompile(`<[^>]*>|&[#\w]+;|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]|[\p{L}\p{N}_]+|\s+|.`)

// mostTokens bounds the work of one comparison; longer texts are shown without
// marks.
const mostTokens = 20_000

// wordDiff returns now with the words that were not in was marked as <ins> and
// those that are gone as <del>. Both are rendered HTML; the tags are those of
// now, so the result is as well-formed as it is.
func wordDiff(was, now string) string {
	if was == now {
		return now
	}
	a, b, words := encode(was, now)
	if len(a)+len(b) > mostTokens {
		return now
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same marks every time, whatever else the machine does
	diffs := dmp.DiffMainRunes(a, b, false)
	if strangers(diffs, words) {
		diffs = []diffmatchpatch.Diff{
			{Type: diffmatchpatch.DiffDelete, Text: string(a)}, {Type: diffmatchpatch.DiffInsert, Text: string(b)},
		}
	}
	w := marker{}
	for _, d := range tidy(diffs, words) {
		for _, r := range d.Text {
			w.token(d.Type, words[r])
		}
	}
	w.flush()
	return w.out.String()
}

// encode gives each distinct token one rune, so that a text comparison
// compares tokens.
func encode(was, now string) (a, b []rune, words map[rune]string) {
	words = map[rune]string{}
	known := map[string]rune{}
	next := rune(1)
	runes := func(text string) []rune {
		tokens := token.FindAllString(text, -1)
		list := make([]rune, len(tokens))
		for i, t := range tokens {
			r, ok := known[t]
			if !ok {
				if next == 0xd800 { // surrogates are no runes
					next = 0xe000
				}
				r = next
				next++
				known[t], words[r] = r, t
			}
			list[i] = r
		}
		return list
	}
	return runes(was), runes(now), words
}

// tidy joins changes that only blanks or a mark stand between: two rewritten
// words in a row read better as one change.
func tidy(diffs []diffmatchpatch.Diff, words map[rune]string) []diffmatchpatch.Diff {
	var out []diffmatchpatch.Diff
	var gone, come strings.Builder
	flush := func() {
		if gone.Len() > 0 {
			out = append(out, diffmatchpatch.Diff{Type: diffmatchpatch.DiffDelete, Text: gone.String()})
		}
		if come.Len() > 0 {
			out = append(out, diffmatchpatch.Diff{Type: diffmatchpatch.DiffInsert, Text: come.String()})
		}
		gone.Reset()
		come.Reset()
	}
	for i, d := range diffs {
		switch {
		case d.Type == diffmatchpatch.DiffDelete:
			gone.WriteString(d.Text)
		case d.Type == diffmatchpatch.DiffInsert:
			come.WriteString(d.Text)
		case i > 0 && i < len(diffs)-1 && gone.Len() > 0 && come.Len() > 0 && slight(d.Text, words):
			gone.WriteString(d.Text)
			come.WriteString(d.Text)
		default:
			flush()
			out = append(out, d)
		}
	}
	flush()
	return out
}

// strangers: so few words are left of the old text that one is better read
// after the other.
func strangers(diffs []diffmatchpatch.Diff, words map[rune]string) bool {
	kept, all := 0, 0
	for _, d := range diffs {
		for _, r := range d.Text {
			if slight(string(r), words) || words[r][0] == '<' {
				continue
			}
			all++
			if d.Type == diffmatchpatch.DiffEqual {
				kept += 2 // it stands for a word of either text
				all++
			}
		}
	}
	return kept*4 < all
}

// slight: nothing that a reader would miss.
func slight(text string, words map[rune]string) bool {
	for _, r := range text {
		w := words[r]
		if w[0] == '<' || w[0] == '&' || strings.IndexFunc(w, func(c rune) bool {
			return unicode.IsLetter(c) || unicode.IsNumber(c)
		}) >= 0 {
			return false
		}
	}
	return true
}

// marker writes the tokens out. Words that are gone are held until a place
// comes where text may stand.
type marker struct {
	out  strings.Builder
	open []string // names of the open elements
	gone strings.Builder
	ins  bool   // an <ins> is open
	gap  string // blanks after the last word in it, which may be outside of it
}

func (m *marker) token(kind diffmatchpatch.Operation, t string) {
	tag := t[0] == '<'
	switch kind {
	case diffmatchpatch.DiffDelete:
		if !tag {
			m.gone.WriteString(t)
		} else if blockInside.MatchString(t) || strings.HasPrefix(t, "<li") {
			m.gone.WriteString(" ")
		}
	case diffmatchpatch.DiffInsert:
		m.write(t, tag, !tag && strings.TrimSpace(t) != "")
	default:
		m.write(t, tag, false)
	}
}

// write puts out a token of the new text. Blanks neither begin an <ins> nor
// end one; a tag always ends it.
func (m *marker) write(t string, tag, inserted bool) {
	switch {
	case m.ins && inserted:
		m.out.WriteString(m.gap + t)
		m.gap = ""
		return
	case m.ins && !tag && strings.TrimSpace(t) == "":
		m.gap += t
		return
	}
	m.endInsert()
	m.deleted()
	if inserted {
		m.out.WriteString(`<ins class="now">`)
		m.ins = true
	}
	m.out.WriteString(t)
	if tag {
		m.track(t)
	}
}

func (m *marker) endInsert() {
	if m.ins {
		m.out.WriteString("</ins>" + m.gap)
		m.ins, m.gap = false, ""
	}
}

// deleted puts out what is held, in the form that fits where it stands.
func (m *marker) deleted() {
	text := m.gone.String()
	if strings.TrimSpace(text) == "" {
		m.gone.Reset()
		return
	}
	marked := `<del class="was">` + text + `</del>`
	parent := ""
	if n := len(m.open); n > 0 {
		parent = m.open[n-1]
	}
	switch parent {
	case "table", "thead", "tbody", "tr":
		return // text here would be moved out of the table; it waits for a cell
	case "ul", "ol":
		marked = `<li class="gone">` + marked + `</li>`
	case "", "blockquote":
		marked = `<p class="gone">` + marked + `</p>`
	}
	m.out.WriteString(marked)
	m.gone.Reset()
}

func (m *marker) flush() {
	m.endInsert()
	m.open = nil
	m.deleted()
}

var tagName = regexp.MustCompile(`^</?([a-z0-9]+)`)

// track follows which elements are open.
func (m *marker) track(tag string) {
	name := tagName.FindStringSubmatch(tag)
	if name == nil {
		return
	}
	switch {
	case strings.HasPrefix(tag, "</"):
		if n := len(m.open); n > 0 {
			m.open = m.open[:n-1]
		}
	case name[1] == "br", name[1] == "hr", name[1] == "img", name[1] == "input", strings.HasSuffix(tag, "/>"):
	default:
		m.open = append(m.open, name[1])
	}
}
