package planning

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/planning/document"
)

// lettered makes a plan of the words given, each a block: the letter is its id,
// the rest its text.
func lettered(words string) Plan {
	var p Plan
	for i, w := range strings.Fields(words) {
		start := len(p.Markdown)
		p.Markdown += w[1:]
		p.Blocks = append(p.Blocks, Block{
			ID: w[:1], Block: document.Block{Kind: document.Step, Number: i + 1, Start: start, End: len(p.Markdown)},
		})
	}
	return p
}

func TestCompare_R5_ByStep(t *testing.T) {
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
			for _, d := range Compare(lettered(tt.old), lettered(tt.now)) {
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

func TestCompare_R5_Scope(t *testing.T) {
	old := Scope{Files: []string{"a", "b"}, Commands: []string{"make"}}
	d := CompareScopes(old, Scope{Files: []string{"c", "b"}, Commands: []string{"make"}})
	if got := strings.Join(d.Files.Kept, "") + "+" + strings.Join(d.Files.Added, "") + "-" + strings.Join(d.Files.Removed, ""); got != "b+c-a" || d.Same() {
		t.Errorf("the files are %s, the same: %v", got, d.Same())
	}
	if d := CompareScopes(old, Scope{Files: []string{"b", "a"}, Commands: []string{"make"}}); !d.Same() {
		t.Errorf("another order is no change: %+v", d)
	}
}
