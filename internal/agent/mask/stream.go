package mask

import "strings"

// mostHeld is how much of an unfinished line a Stream holds back, in bytes.
const mostHeld = 4 << 10

// Stream masks text that comes in pieces. It passes on whole lines, so that no
// secret gets through in two halves; what stands behind the last line end when
// the text ends is not passed on. It is not safe for concurrent use.
type Stream struct {
	masker *Masker
	to     func(string)
	rest   string
	inside bool // a private key
}

// Stream makes one that passes on to to.
func (m *Masker) Stream(to func(string)) *Stream { return &Stream{masker: m, to: to} }

// Write takes the next piece.
func (s *Stream) Write(text string) {
	s.rest += text
	n := strings.LastIndexAny(s.rest, "\r\n") + 1
	if n == 0 && len(s.rest) > mostHeld {
		n = len(s.rest)
	}
	if n == 0 {
		return
	}
	var done string
	done, s.inside = s.masker.text(s.rest[:n], s.inside)
	s.rest = s.rest[n:]
	s.to(done)
}
