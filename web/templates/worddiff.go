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
const mostTokens = 8_000

// wordDiff returns now with the words that were not in was marked as <ins> and
// those that are gone as <del>. Both are rendered HTML; the tags are those of
// now, so the result is as well-formed as it is.
func wordDiff(was, now string) string {
	if was == now {
		return now
	}
	c, ok := compareWords(was, now)
	if !ok {
		return now
	}
	return c.inline()
}

// comparison is two texts as what stayed, went and came, word by word. Each
// rune of a diff stands for a word.
type comparison struct {
	diffs []diffmatchpatch.Diff
	words map[rune]string
	alike bool // enough stayed that the changes read better one by one
}

// inline is the new text with all marks in it.
func (c comparison) inline() string {
	w := marker{mark: inserted}
	for _, d := range c.diffs {
		for _, r := range d.Text {
			w.token(d.Type, c.words[r])
		}
	}
	w.flush()
	return w.out.String()
}

// compareWords says no to texts that are too long for it.
func compareWords(was, now string) (comparison, bool) {
	a, b, words := encode(was, now)
	if len(a)+len(b) > mostTokens {
		return comparison{}, false
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same marks every time, whatever else the machine does
	diffs := dmp.DiffMainRunes(a, b, false)
	alike := !strangers(diffs, words)
	if !alike {
		diffs = []diffmatchpatch.Diff{
			{Type: diffmatchpatch.DiffDelete, Text: string(a)}, {Type: diffmatchpatch.DiffInsert, Text: string(b)},
		}
	}
	return comparison{tidy(diffs, words), words, alike}, true
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
