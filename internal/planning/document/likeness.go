package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// look is what is compared of a piece. The features are numbers from a
// vocabulary, sorted and each there once.
type look struct {
	words string // all words in order, in lower case, without markup and numbering
	title []int  // features of the title
	key   string // the same as a key for maps
	text  []int  // features of the whole text, title included
	names []int  // files and identifiers in the title
}

// maxLook is how many bytes of a piece are looked at.
const maxLook = 16 << 10

// vocabulary numbers features.
type vocabulary map[string]int

func (v vocabulary) number(feature string) int {
	n, ok := v[feature]
	if !ok {
		n = len(v)
		v[feature] = n
	}
	return n
}

func (v vocabulary) numbers(features []string) []int {
	list := make([]int, len(features))
	for i, f := range features {
		list[i] = v.number(f)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// look takes the words from the source: marks of Markdown are no letters, and
// what a link or an entity adds is there on both sides.
func (v vocabulary) look(p Piece) look {
	text := p.Text[:min(len(p.Text), maxLook)]
	words := wordsOf(unnumbered(text))
	title := v.numbers(features(p.Title, wordsOf(p.Title)))
	return look{
		words: strings.Join(words, " "),
		title: title,
		key:   fmt.Sprint(title),
		text:  v.numbers(features(text, words)),
		names: v.numbers(names(p.Title)),
	}
}

// unnumbered takes list markers, marks of headings and numbers off the front.
func unnumbered(text string) string {
	for range 2 {
		text = strings.TrimLeft(text, " \t\r\n#*_+->[]")
		text = stripNumber(text, false)
	}
	return text
}

// wordsOf splits a text into words of letters and digits. Characters of
// languages that are written without spaces are words of their own.
func wordsOf(text string) []string {
	text = strings.ToLower(text)
	var list []string
	start := -1
	for i, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsNumber(r)
		single := letter && eastAsian(r)
		if start >= 0 && (!letter || single) {
			list = append(list, text[start:i])
			start = -1
		}
		if single {
			list = append(list, text[i:i+utf8.RuneLen(r)])
		} else if letter && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		list = append(list, text[start:])
	}
	return list
}

// features are what makes a text what it is: its words without their endings
// and without those that any text has, pairs of East Asian characters, and
// names.
func features(text string, words []string) []string {
	list := names(text)
	before := ""
	for _, w := range words {
		r, size := utf8.DecodeRuneInString(w)
		if size < len(w) || !eastAsian(r) {
			before = ""
			if !fillers[w] {
				list = append(list, stem(w))
			}
			continue
		}
		if strings.Contains(particles, w) {
			before = ""
			continue
		}
		if before != "" {
			list = append(list, before+w)
		}
		before = w
	}
	return list
}

// names are the files, paths and identifiers in a text.
func names(text string) []string {
	var list []string
	start := -1
	for i, r := range text + " " {
		part := r > ' ' && r < utf8.RuneSelf && !strings.ContainsRune("`'\"()[]{}<>,;:!?*=#|", r)
		switch {
		case part && start < 0:
			start = i
		case !part && start >= 0:
			if w := strings.Trim(text[start:i], "."); isName(w) {
				list = append(list, "\x00"+w)
			}
			start = -1
		}
	}
	return list
}

// isName tells paths, snake_case, camelCase and words with digits from
// ordinary words.
func isName(w string) bool {
	var letter, digit, upper, lower, joint bool
	for i := range len(w) {
		c := w[i]
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'A' && c <= 'Z':
			letter, upper = true, upper || i > 0
		case c >= 'a' && c <= 'z':
			letter, lower = true, true
		case i > 0 && (c == '.' || c == '/' || c == '_' || c == '\\'):
			joint = true
		}
	}
	return letter && (joint || digit || upper && lower)
}

var fillers = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by can do does for from has have if in into is it its
		no not of on or so such than that the their them then there these they this to up was we which will with you your`) {
		m[w] = true
	}
	return m
}()

// particles carry grammar, not meaning.
const particles = "的了着过在和与及或到将把被对为从由是有也都就并而使让以之其这那个一"

// stem cuts the commonest English endings, so that "renames" is "renamed".
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 4 {
			return s
		}
	}
	return w
}

// overlap is how alike two sorted sets are, from 0 to 1. What each has for
// itself counts three times as much as what only one has in addition: words
// added to a text leave it the same step, words exchanged may not.
func overlap(a, b []int) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if common == 0 {
		return 0
	}
	less, more := float64(len(a)-common), float64(len(b)-common)
	if less > more {
		less, more = more, less
	}
	return float64(common) / (float64(common) + 3*less + (more-less)/2)
}

// countTitles counts, by their features, how often titles occur on each side.
func countTitles(oldLook []look, old []int, newLook []look, new []int) map[string][2]int {
	count := map[string][2]int{}
	for _, i := range old {
		c := count[oldLook[i].key]
		count[oldLook[i].key] = [2]int{c[0] + 1, c[1]}
	}
	for _, j := range new {
		c := count[newLook[j].key]
		count[newLook[j].key] = [2]int{c[0], c[1] + 1}
	}
	return count
}

// likeness is 0 for pieces that are not taken for the same, and grows with how
// alike they are.
func likeness(a, b *look, titles map[string][2]int) float64 {
	if len(a.names) > 0 && len(b.names) > 0 && overlap(a.names, b.names) == 0 {
		return 0 // the same done to other files is another step
	}
	title, text := overlap(a.title, b.title), overlap(a.text, b.text)
	long := min(len(a.text)-len(a.title), len(b.text)-len(b.title)) >= 10
	switch {
	case title == 1 && titles[a.key] == [2]int{1, 1} && (text >= 0.1 || !long):
		return 1 + text
	case title >= 0.6 && (text >= 0.3 || !long), long && text >= 0.6 && title >= 0.15, long && text >= 0.85:
		return (title + text) / 2
	}
	return 0
}
