package sandbox

import (
	"strings"
	"testing"
)

func TestOutput_KeepsHeadAndTail(t *testing.T) {
	cases := []struct {
		name   string
		limit  int
		writes []string
		want   string
		cut    bool
	}{
		{"nothing", 10, nil, "", false},
		{"short", 10, []string{"abc"}, "abc", false},
		{"exactly full", 10, []string{"01234", "56789"}, "0123456789", false},
		{"one too many", 10, []string{"0123456789a"}, "01234\n[1 bytes cut out here]\n6789a", true},
		{"in single bytes", 4, strings.Split("abcdefgh", ""), "ab\n[4 bytes cut out here]\ngh", true},
		{"one huge write", 4, []string{"ab" + strings.Repeat("x", 1000) + "yz"}, "ab\n[1000 bytes cut out here]\nyz", true},
		{"ring goes round", 8, []string{"abcd", "efg", "hij", "kl"}, "abcd\n[4 bytes cut out here]\nijkl", true},
		{"cut inside a character", 4, []string{"aä", "bcdeä"}, "a\uFFFD\n[5 bytes cut out here]\nä", true},
		{"not text", 20, []string{"a\x00b\xffc"}, "a\uFFFDb\uFFFDc", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := newOutput(c.limit)
			for _, w := range c.writes {
				o.Write([]byte(w))
			}
			got, cut := o.text()
			if got != c.want || cut != c.cut {
				t.Errorf("got %q, cut %v; want %q, %v", got, cut, c.want, c.cut)
			}
		})
	}
}

// Whatever the pieces are that a text comes in, the result is the same.
func FuzzOutput(f *testing.F) {
	f.Add("some longer text that is cut", 7, 3)
	f.Fuzz(func(t *testing.T, text string, limit, piece int) {
		limit, piece = min(max(limit, 2), 1000), min(max(piece, 1), 1000)
		whole, pieces := newOutput(limit), newOutput(limit)
		whole.Write([]byte(text))
		for rest := text; rest != ""; {
			n := min(piece, len(rest))
			pieces.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		a, _ := whole.text()
		b, _ := pieces.text()
		if a != b {
			t.Errorf("whole %q, in pieces %q", a, b)
		}
	})
}
