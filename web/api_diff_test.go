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
		{"the same", "aOne bOne", "aOne bOne", "a:same b:same"},
		{"changed", "aOne bOne", "aOne bTwo", "a:same b:changed"},
		{"added", "aOne bOne", "aOne xOne bOne", "a:same x:added b:same"},
		{"removed in front", "aOne bOne", "bOne", "a:removed b:same"},
		{"removed behind", "aOne bOne cOne", "aOne", "a:same b:removed c:removed"},
		{"one moved to the front", "aOne bOne cOne dOne", "dOne aOne bOne cOne", "d:moved a:same b:same c:same"},
		{"one moved to the end", "aOne bOne cOne dOne", "bOne cOne dOne aOne", "b:same c:same d:same a:moved"},
		{"moved and changed", "aOne bOne cOne", "cTwo aOne bOne", "c:changed,moved a:same b:same"},
		{"removed behind one that moved", "aOne bOne cOne dOne", "cOne dOne aOne", "c:same d:same a:moved b:removed"},
		{"all new", "aOne", "xOne", "a:removed x:added"},
		{"renumbered", "a1. b2.", "b1. a2.", "b:same a:moved"},
		{"from nothing", "", "aOne", "a:added"},
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
