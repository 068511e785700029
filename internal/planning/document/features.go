package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unnumbered takes list markers, marks of headings and numbers off the front.
func unnumbered(text string) string {
	for range 2 {
		text = strings.TrimLeft(text, " \t\r\n#*_+->[]")
		text = stripNumber(text, false)
	}
	return text
}

// Words are all words of a block in their order, in lower case, without markup
// and without what numbers it: blocks with the same words say the same.
func Words(block string) string { return strings.Join(wordsOf(unnumbered(block)), " ") }

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
const particles = "的了着在和与及或把被是也都就并而使让以之其这那个"

// stem cuts the commonest English endings, so that "renames" is "renamed".
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 4 {
			return s
		}
	}
	return w
}

// codeWords are the words in a text's code spans and code blocks, and its
// paths: what stays as it is when the text is translated.
func codeWords(text string) []string {
	var list []string
	for _, name := range names(text) {
		if strings.ContainsAny(name, `/\_`) {
			list = append(list, "\x01"+name[1:])
		}
	}
	for rest := text; ; {
		start := strings.IndexByte(rest, '`')
		if start < 0 {
			return list
		}
		rest = rest[start:]
		fence := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		rest = rest[len(fence):]
		end := strings.Index(rest, fence)
		if end < 0 {
			continue
		}
		for _, w := range strings.Fields(rest[:end]) {
			list = append(list, "\x01"+strings.Trim(w, "`.,;:"))
		}
		rest = rest[end+len(fence):]
	}
}

// inEastAsian tells in which kind of script a text is written, by its words. A
// quarter is enough: code is the same in any language, and may be most of it.
func inEastAsian(words []string) bool {
	n := 0
	for _, w := range words {
		if r, size := utf8.DecodeRuneInString(w); size == len(w) && eastAsian(r) {
			n++
		}
	}
	return 4*n > len(words)
}
