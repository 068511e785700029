package planning

import (
	"slices"

	"countersign/internal/planning/document"
)

// Difference says what became of a step from one version to another.
type Difference string

// The differences. A step that has been changed and moved is DiffChanged, with
// Moved set.
const (
	DiffSame    Difference = "same" // but for its numeral, which belongs to its place
	DiffChanged Difference = "changed"
	DiffMoved   Difference = "moved"
	DiffAdded   Difference = "added"
	DiffRemoved Difference = "removed"
)

// StepDiff is one block of either version.
type StepDiff struct {
	ID     string        `json:"id"`
	Kind   document.Kind `json:"kind"`
	Change Difference    `json:"change"`
	Moved  bool          `json:"moved,omitempty"` // it stands at another place among the steps that both have
	Title  string        `json:"title"`
	Number int           `json:"number,omitempty"` // in the newer version
	Was    int           `json:"was,omitempty"`    // in the older one
	Before string        `json:"before"`           // Markdown
	After  string        `json:"after"`
}

// Compare compares two texts of a plan block by block, in the order of the
// newer one; blocks that are gone come behind the neighbour that they stood
// behind. The zero Plan stands for no plan.
func Compare(old, now Plan) []StepDiff {
	moved, gone := movedBlocks(old, now), goneBlocks(old, now)
	diffs := append([]StepDiff{}, gone[""]...)
	for _, b := range now.Blocks {
		d := StepDiff{ID: b.ID, Kind: b.Kind, Title: b.Title, Number: b.Number, After: now.Text(b)}
		was, had := old.Block(b.ID)
		if had {
			d.Was, d.Before, d.Moved = was.Number, old.Text(was), moved[b.ID]
		}
		switch {
		case !had:
			d.Change = DiffAdded
		case !SameText(d.Before, d.After):
			d.Change = DiffChanged
		case d.Moved:
			d.Change = DiffMoved
		default:
			d.Change = DiffSame
		}
		diffs = append(append(diffs, d), gone[b.ID]...)
	}
	return diffs
}

// goneBlocks are the blocks of the old version that are not in the new one, by
// the block that they stood behind; "" stands for the beginning.
func goneBlocks(old, now Plan) map[string][]StepDiff {
	stays := make(map[string]bool, len(now.Blocks))
	for _, b := range now.Blocks {
		stays[b.ID] = true
	}
	gone, behind := map[string][]StepDiff{}, ""
	for _, b := range old.Blocks {
		if stays[b.ID] {
			behind = b.ID
			continue
		}
		gone[behind] = append(gone[behind], StepDiff{
			ID: b.ID, Kind: b.Kind, Change: DiffRemoved, Title: b.Title, Was: b.Number, Before: old.Text(b),
		})
	}
	return gone
}

// movedBlocks are those that have to be taken out so that the rest stands in
// the same order in both versions: as few as possible.
func movedBlocks(old, now Plan) map[string]bool {
	place := make(map[string]int, len(old.Blocks))
	for i, b := range old.Blocks {
		place[b.ID] = i
	}
	var ids []string
	var places []int
	for _, b := range now.Blocks {
		if i, had := place[b.ID]; had {
			ids, places = append(ids, b.ID), append(places, i)
		}
	}
	moved := map[string]bool{}
	keep := increasing(places)
	for i, id := range ids {
		if !keep[i] {
			moved[id] = true
		}
	}
	return moved
}

// increasing marks the entries of a longest increasing subsequence. Plans have
// a few hundred blocks, so the plain quadratic way is good enough.
func increasing(list []int) []bool {
	keep := make([]bool, len(list))
	length, before := make([]int, len(list)), make([]int, len(list))
	best := -1
	for i := range list {
		length[i], before[i] = 1, -1
		for j := range i {
			if list[j] < list[i] && length[j]+1 > length[i] {
				length[i], before[i] = length[j]+1, j
			}
		}
		if best < 0 || length[i] > length[best] {
			best = i
		}
	}
	for ; best >= 0; best = before[best] {
		keep[best] = true
	}
	return keep
}

// ScopeDiff is what became of the scope.
type ScopeDiff struct {
	Files    ListDiff `json:"files"`
	Commands ListDiff `json:"commands"`
}

// Same tells whether nothing did.
func (d ScopeDiff) Same() bool { return d.Files.same() && d.Commands.same() }

// ListDiff compares two lists whose order does not matter. None of the three
// is nil.
type ListDiff struct {
	Kept    []string `json:"kept"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

func (d ListDiff) same() bool { return len(d.Added)+len(d.Removed) == 0 }

// CompareScopes compares what two texts of a plan may write and run.
func CompareScopes(old, now Scope) ScopeDiff {
	return ScopeDiff{compareLists(old.Files, now.Files), compareLists(old.Commands, now.Commands)}
}

func compareLists(old, now []string) ListDiff {
	d := ListDiff{[]string{}, []string{}, []string{}}
	for _, s := range now {
		if slices.Contains(old, s) {
			d.Kept = append(d.Kept, s)
		} else {
			d.Added = append(d.Added, s)
		}
	}
	for _, s := range old {
		if !slices.Contains(now, s) {
			d.Removed = append(d.Removed, s)
		}
	}
	return d
}
