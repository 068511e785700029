package templates

import (
	"fmt"
	"regexp"
	"strings"
)

// escapes are what terminals act on: colours, titles, links, the clipboard.
// One that is not closed is taken up to the end of its line.
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]`)

// visible makes text safe to look at: escapes for terminals are taken out, and
// characters that reorder or hide others are named instead of obeyed.
func visible(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = escapes.ReplaceAllString(s, "")
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x200b, r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2060, r == 0xfeff:
		return true
	default:
		return r >= 0xe0000 && r <= 0xe007f
	}
}
