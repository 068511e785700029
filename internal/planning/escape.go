package planning

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// EscapeJSON returns JSON that means the same and that a terminal or an editor
// shows as what it is: control characters and those that turn text around
// (Unicode's Bidi_Control) are written as \uXXXX. The encoder itself does that
// only below U+0020. JSON has such characters nowhere but in its strings, so
// they can be replaced wherever they stand. What has none comes back as it is.
func EscapeJSON(data []byte) []byte {
	if bytes.IndexFunc(data, obeyed) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if obeyed(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, data[:n]...)
		}
		data = data[n:]
	}
	return out
}

// obeyed tells what a terminal or an editor would follow instead of showing it.
// Line ends and tabs between the values stay.
func obeyed(r rune) bool {
	return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
