package document

import (
	"strings"
	"unicode"
)

// Holds tells whether words that a person selected on the page still stand in
// a block. Only letters and figures are compared, in any case: markup, line
// breaks and quotation marks may be other ones, and so may the number of the
// step. A quote without any letter or figure has to be there as it is.
func Holds(block, quote string) bool {
	want := letters(quote)
	if want == "" {
		return strings.Contains(block, strings.TrimSpace(quote))
	}
	src := []byte(block)
	var b strings.Builder
	for n := parse(src).FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(plain(n, src))
	}
	text := letters(b.String())
	return strings.Contains(text, want) || strings.Contains(text, letters(stripNumber(strings.TrimSpace(quote), true)))
}

// letters leaves out all but letters and figures.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
