package markdown

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible names the characters of a text that can't be seen but change how it
// is read: that reverse the direction, that hide a message from people and not
// from a model. They come out as ⟨U+202E⟩. Tabs and line ends stay; browsers
// take a carriage return for one.
func Visible(s string) string {
	return nameRunes(s, func(b *strings.Builder, r rune) { fmt.Fprintf(b, "⟨U+%04X⟩", r) })
}

// name does the same in HTML, where each name is an element of its own. It
// comes after the allow-list and needs no knowledge of tags: the renderer
// writes no such character into one.
func name(s string) string {
	return nameRunes(s, func(b *strings.Builder, r rune) {
		fmt.Fprintf(b, `<span class="ctl" title="U+%04X">⟨U+%04X⟩</span>`, r, r)
	})
}

func nameRunes(s string, write func(*strings.Builder, rune)) string {
	var b strings.Builder
	done := 0
	before := rune(0)
	for i, r := range s {
		if r >= ' ' && r < 0x7F || r == '\n' || r == '\r' || r == '\t' || !hidden(before, r) {
			before = r
			continue
		}
		b.WriteString(s[done:i])
		write(&b, r)
		done = i + len(string(r))
		before = 0
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// hidden tells whether a character is one to name, given the one before it.
func hidden(before, r rune) bool {
	switch {
	case r >= 0x3000 && r <= 0x9FFF: // most of East Asian writing, with one invisible letter
		return r == 0x3164
	case r == '\u200C' || r == '\u200D': // joiners: right within some scripts and within emoji
		return !unicode.In(before, joining...) && !pictorial(before)
	case r == '\uFE0E' || r == '\uFE0F': // text or picture
		return !pictorial(before) && !unicode.IsDigit(before) && before != '#' && before != '*'
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // other variants: of Han characters
		return !unicode.Is(unicode.Han, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// joining are the scripts that spell with joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// pictorial tells whether a character is an emoji or a part of one.
func pictorial(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk) || r == '\uFE0F' || r >= 0x2190 && r <= 0x21FF
}
