package builtin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// change is one text that becomes another.
type change struct {
	old, new string
	whole    bool // only where old stands as a whole identifier
}

// substitute makes all changes in one line at once, so that "A to B and B to
// A" swaps. Where two begin at the same place, the longer one is made.
func substitute(changes []change, line string) string {
	var out strings.Builder
	done := 0
	for at := 0; at < len(line); {
		c, found := first(changes, line, at)
		if !found {
			_, size := utf8.DecodeRuneInString(line[at:])
			at += size
			continue
		}
		out.WriteString(line[done:at])
		out.WriteString(c.new)
		at += len(c.old)
		done = at
	}
	if done == 0 {
		return line
	}
	out.WriteString(line[done:])
	return out.String()
}

// first finds the change whose old text stands at this place.
func first(changes []change, line string, at int) (best change, found bool) {
	for _, c := range changes {
		if strings.HasPrefix(line[at:], c.old) && len(c.old) > len(best.old) && c.fits(line, at) {
			best, found = c, true
		}
	}
	return best, found
}

// fits tells whether old, which stands at this place, stands there as a whole
// identifier, if that is asked for.
func (c change) fits(line string, at int) bool {
	if !c.whole {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	after, _ := utf8.DecodeRuneInString(line[at+len(c.old):])
	begin, _ := utf8.DecodeRuneInString(c.old)
	end, _ := utf8.DecodeLastRuneInString(c.old)
	return !(joins(before) && joins(begin)) && !(joins(end) && joins(after))
}

// joins tells whether a character is part of an identifier. Ideographs are
// not taken as such: in Chinese text names stand between them without blanks.
func joins(r rune) bool {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return false
	}
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// pattern is a regular expression (RE2) for grep that matches every line on
// which one of the changes is to be made, and perhaps some more: what it means
// by a word is ASCII only.
func pattern(changes []change) string {
	alternatives := make([]string, len(changes))
	for i, c := range changes {
		p := regexp.QuoteMeta(c.old)
		if c.whole && wordByte(c.old[0]) {
			p = `\b` + p
		}
		if c.whole && wordByte(c.old[len(c.old)-1]) {
			p += `\b`
		}
		alternatives[i] = p
	}
	return strings.Join(alternatives, "|")
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
