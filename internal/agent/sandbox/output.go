package sandbox

import (
	"fmt"
	"strings"
)

// output keeps the beginning and the end of what a command prints, in memory
// that does not grow with it.
type output struct {
	head  []byte
	tail  []byte // a ring, once it is full
	next  int    // where the ring goes on
	room  int    // for each of the two
	total int
	full  bool
}

func newOutput(limit int) *output { return &output{room: max(limit/2, 1)} }

func (o *output) Write(p []byte) {
	o.total += len(p)
	n := min(len(p), o.room-len(o.head))
	o.head = append(o.head, p[:n]...)
	p = p[n:]
	if len(p) >= o.room {
		o.tail = append(o.tail[:0], p[len(p)-o.room:]...)
		o.next, o.full = 0, true
		return
	}
	for len(p) > 0 {
		if !o.full {
			n := min(len(p), o.room-len(o.tail))
			o.tail = append(o.tail, p[:n]...)
			p = p[n:]
			o.full = len(o.tail) == o.room
			continue
		}
		n := copy(o.tail[o.next:], p)
		o.next = (o.next + n) % o.room
		p = p[n:]
	}
}

// text joins the two ends; between them a line says how much is missing. The
// cuts may fall into characters, which then come out as U+FFFD.
func (o *output) text() (text string, truncated bool) {
	tail := string(o.tail[o.next:]) + string(o.tail[:o.next])
	missing := o.total - len(o.head) - len(o.tail)
	if missing == 0 {
		return clean(string(o.head) + tail), false
	}
	gap := fmt.Sprintf("\n[%d bytes cut out here]\n", missing)
	return clean(string(o.head)) + gap + clean(tail), true
}

// Shorten keeps the beginning and the end of a text that has more than limit
// bytes, as is done with what commands print, and tells whether it had to. What
// comes back is valid UTF-8 without NUL.
func Shorten(text string, limit int) (short string, cut bool) {
	o := newOutput(limit)
	o.Write([]byte(text))
	return o.text()
}

func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
