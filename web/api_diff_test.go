package web

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// blocks makes a plan of the words given, each a block: the letter is its id,
// the rest its text.
func blocks(words string) planning.Plan {
	var p planning.Plan
	for i, w := range strings.Fields(words) {
		start := len(p.Markdown)
		p.Markdown += w[1:]
		p.Blocks = append(p.Blocks, planning.Block{
			ID: w[:1], Block: document.Block{Kind: document.Step, Number: i + 1, Start: start, End: len(p.Markdown)},
		})
	}
	return p
}

func TestDiff_R5_ByStep(t *testing.T) {
	for _, tt := range []struct{ name, old, now, want string }{
		{"the same", "a1 b1", "a1 b1", "a:same b:same"},
		{"changed", "a1 b1", "a1 b2", "a:same b:changed"},
		{"added", "a1 b1", "a1 x1 b1", "a:same x:added b:same"},
		{"removed in front", "a1 b1", "b1", "a:removed b:same"},
		{"removed behind", "a1 b1 c1", "a1", "a:same b:removed c:removed"},
		{"one moved to the front", "a1 b1 c1 d1", "d1 a1 b1 c1", "d:moved a:same b:same c:same"},
		{"one moved to the end", "a1 b1 c1 d1", "b1 c1 d1 a1", "b:same c:same d:same a:moved"},
		{"moved and changed", "a1 b1 c1", "c2 a1 b1", "c:changed,moved a:same b:same"},
		{"removed behind one that moved", "a1 b1 c1 d1", "c1 d1 a1", "c:same d:same a:moved b:removed"},
		{"all new", "a1", "x1", "a:removed x:added"},
		{"from nothing", "", "a1", "a:added"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range comparePlans(blocks(tt.old), blocks(tt.now)) {
				word := d.ID + ":" + string(d.Change)
				if d.Moved && d.Change != DiffMoved {
					word += ",moved"
				}
				got = append(got, word)
			}
			if !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
