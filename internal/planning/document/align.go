package document

import (
	"cmp"
	"slices"
	"strings"
)

// Piece is a block as Align sees it.
type Piece struct{ Title, Text string }

// Align finds for every new piece the index of the old one that it continues,
// or -1. No old piece is taken twice. Pieces are found by their exact text,
// then by their words alone, then by likeness of title and text; never by
// their place or number. Where it is in doubt it says -1: what hangs on a
// piece may get lost, but it must not end up on another one. Among pieces that
// are the same, the order is kept.
func Align(old, new []Piece) []int {
	a := aligner{old: old, new: new, to: make([]int, len(new)), taken: make([]bool, len(old))}
	for j := range a.to {
		a.to[j] = -1
	}
	a.pair(func(p Piece) string { return strings.TrimSpace(p.Text) })
	a.examine()
	a.pairWords()
	a.pairAlike()
	return a.to
}

// aligner holds what is paired so far.
type aligner struct {
	old, new         []Piece
	to               []int // for each new piece, the old one
	taken            []bool
	oldLook, newLook []look
}

func (a *aligner) link(i, j int) { a.to[j], a.taken[i] = i, true }

// free lists the old pieces that are not taken, or the new ones that have none.
func (a *aligner) free() (old, new []int) {
	for i := range a.old {
		if !a.taken[i] {
			old = append(old, i)
		}
	}
	for j := range a.new {
		if a.to[j] < 0 {
			new = append(new, j)
		}
	}
	return old, new
}

// pair links pieces with the same key; the empty key is nobody's.
func (a *aligner) pair(key func(Piece) string) {
	old, new := a.free()
	a.pairKeys(old, new, keys(a.old, old, key), keys(a.new, new, key))
}

func keys(pieces []Piece, indexes []int, key func(Piece) string) []string {
	list := make([]string, len(indexes))
	for k, i := range indexes {
		list[k] = key(pieces[i])
	}
	return list
}

// pairKeys links equal keys: first the longest run that keeps the order, then
// the others from first to last.
func (a *aligner) pairKeys(old, new []int, oldKeys, newKeys []string) {
	for _, p := range inOrder(oldKeys, newKeys) {
		a.link(old[p[0]], new[p[1]])
	}
	byKey := map[string][]int{}
	for k, i := range old {
		if !a.taken[i] {
			byKey[oldKeys[k]] = append(byKey[oldKeys[k]], i)
		}
	}
	for k, j := range new {
		if same := byKey[newKeys[k]]; a.to[j] < 0 && newKeys[k] != "" && len(same) > 0 {
			a.link(same[0], j)
			byKey[newKeys[k]] = same[1:]
		}
	}
}

// maxTable bounds the work of comparing everything with everything.
const maxTable = 4 << 20

// inOrder is a longest common subsequence, as pairs of indexes.
func inOrder(a, b []string) [][2]int {
	var pairs [][2]int
	lo := 0
	for lo < min(len(a), len(b)) && a[lo] == b[lo] && a[lo] != "" {
		pairs = append(pairs, [2]int{lo, lo})
		lo++
	}
	a, b = a[lo:], b[lo:]
	if len(a)*len(b) > maxTable {
		return pairs
	}
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] && a[i] != "" {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && a[i] != "":
			pairs = append(pairs, [2]int{lo + i, lo + j})
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// examine looks at the pieces that have no exact partner.
func (a *aligner) examine() {
	a.oldLook, a.newLook = make([]look, len(a.old)), make([]look, len(a.new))
	old, new := a.free()
	if len(old) == 0 || len(new) == 0 {
		return
	}
	v := vocabulary{}
	for _, i := range old {
		a.oldLook[i] = v.look(a.old[i])
	}
	for _, j := range new {
		a.newLook[j] = v.look(a.new[j])
	}
}

// pairWords links pieces that have the same words: renumbered ones, or ones
// whose markup, case or spacing has changed.
func (a *aligner) pairWords() {
	old, new := a.free()
	oldKeys, newKeys := make([]string, len(old)), make([]string, len(new))
	for k, i := range old {
		oldKeys[k] = a.oldLook[i].words
	}
	for k, j := range new {
		newKeys[k] = a.newLook[j].words
	}
	a.pairKeys(old, new, oldKeys, newKeys)
}

// candidate is a pair that is alike enough.
type candidate struct {
	i, j  int
	score float64
}

// doubt is how much better than any other a pair has to be.
const doubt = 0.08

// pairAlike links the most alike pairs first, and none of two that are nearly
// equally good.
func (a *aligner) pairAlike() {
	old, new := a.free()
	if len(old)*len(new) > maxTable/4 {
		return
	}
	titles := countTitles(a.oldLook, old, a.newLook, new)
	var list []candidate
	byOld, byNew := map[int][]candidate{}, map[int][]candidate{}
	for _, i := range old {
		for _, j := range new {
			if score := likeness(&a.oldLook[i], &a.newLook[j], titles); score > 0 {
				c := candidate{i, j, score}
				list, byOld[i], byNew[j] = append(list, c), append(byOld[i], c), append(byNew[j], c)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range list {
		if !a.taken[c.i] && a.to[c.j] < 0 && !a.contested(c, byOld[c.i]) && !a.contested(c, byNew[c.j]) {
			a.link(c.i, c.j)
		}
	}
}

// contested tells whether another pair that is still possible is about as good
// as this one, and with a piece that is not just the same once more.
func (a *aligner) contested(c candidate, rivals []candidate) bool {
	return slices.ContainsFunc(rivals, func(r candidate) bool {
		if r.score < c.score-doubt || a.taken[r.i] || a.to[r.j] >= 0 {
			return false
		}
		return a.newLook[r.j].words != a.newLook[c.j].words || a.oldLook[r.i].words != a.oldLook[c.i].words
	})
}
