package document

import "cmp"

// keys are what pieces are compared by: those with the same key are the same.
// The empty key is nobody's.
type keys struct{ old, new []string }

func keysOf(old, new []Piece, key func(Piece) string) keys {
	k := keys{make([]string, len(old)), make([]string, len(new))}
	for i, p := range old {
		k.old[i] = key(p)
	}
	for j, p := range new {
		k.new[j] = key(p)
	}
	return k
}

// places lists where each key occurs among the pieces that are free.
func (a *aligner) places(k keys) (old, new map[string][]int) {
	oldFree, newFree := a.free()
	old, new = map[string][]int{}, map[string][]int{}
	for _, i := range oldFree {
		old[k.old[i]] = append(old[k.old[i]], i)
	}
	for _, j := range newFree {
		new[k.new[j]] = append(new[k.new[j]], j)
	}
	delete(old, "")
	delete(new, "")
	return old, new
}

// pairSingle links pieces whose key occurs once on each side, linked ones
// included.
func (a *aligner) pairSingle(k keys) {
	oldCount, newCount := map[string]int{}, map[string]int{}
	for _, key := range k.old {
		oldCount[key]++
	}
	for _, key := range k.new {
		newCount[key]++
	}
	old, new := a.places(k)
	for key, at := range old {
		if to := new[key]; len(to) > 0 && oldCount[key] == 1 && newCount[key] == 1 {
			a.link(at[0], to[0])
		}
	}
}

// maxTable bounds the work of comparing everything with everything.
const maxTable = 4 << 20

// pairTwins links pieces whose key occurs several times, by the order in which
// they stand among those that are linked already. Of two old ones that could
// both be the new one, neither is taken, unless they stand side by side; of two
// new ones, the first is taken. At last, those that were moved are linked as
// long as twins keep their order.
func (a *aligner) pairTwins(k keys, last bool) {
	old, new := a.places(k)
	twins := false
	for key, at := range old {
		twins = twins || len(new[key]) > 0 && len(at)+len(new[key]) > 2
	}
	if !twins {
		return
	}
	for _, p := range a.inOrder(k, old) {
		a.link(p[0], p[1])
	}
	if !last {
		return
	}
	old, new = a.places(k)
	for key, at := range old {
		to := new[key]
		if len(at) > len(to) {
			continue // which of them is gone?
		}
		for n, i := range at {
			if a.keepsOrder(k, i, to[n]) {
				a.link(i, to[n])
			}
		}
	}
}

// keepsOrder tells whether a link would leave pieces that are the same in the
// order in which they were.
func (a *aligner) keepsOrder(k keys, i, j int) bool {
	for l, h := range a.to {
		if h >= 0 && k.old[h] == k.old[i] && cmp.Compare(h, i) != cmp.Compare(l, j) {
			return false
		}
	}
	return true
}

// The worth of a pair in inOrder: twins in their order explain more than one
// other piece that stayed where it was.
const (
	anchorWorth = 4
	twinWorth   = 5
)

// inOrder finds the twins that are in every best way to read the new pieces as
// the old ones in their order (a longest common subsequence).
func (a *aligner) inOrder(k keys, old map[string][]int) [][2]int {
	rows, cols := len(a.old), len(a.new)
	if rows*cols > maxTable {
		return nil
	}
	worth := func(i, j int) int32 {
		switch {
		case a.to[j] == i:
			return anchorWorth
		case a.to[j] < 0 && !a.taken[i] && k.old[i] != "" && k.old[i] == k.new[j]:
			return twinWorth
		}
		return 0
	}
	before, behind := orderTables(rows, cols, worth)
	width := cols + 1
	best := func(i, j int) bool {
		return before[i*width+j]+worth(i, j)+behind[(i+1)*width+j+1] == behind[0]
	}
	var pairs [][2]int
	done := make([]bool, rows)
	for j := range cols {
		var could []int
		for _, i := range old[k.new[j]] {
			if a.to[j] < 0 && best(i, j) {
				could = append(could, i)
			}
		}
		if len(could) > 0 && !done[could[0]] && could[len(could)-1]-could[0] == len(could)-1 {
			pairs, done[could[0]] = append(pairs, [2]int{could[0], j}), true
		}
	}
	return pairs
}

// orderTables holds the worth of the best common subsequence before and from
// each pair of places on.
func orderTables(rows, cols int, worth func(i, j int) int32) (before, behind []int32) {
	width := cols + 1
	before, behind = make([]int32, (rows+1)*width), make([]int32, (rows+1)*width)
	for i := range rows {
		for j := range cols {
			best := max(before[i*width+j+1], before[(i+1)*width+j])
			before[(i+1)*width+j+1] = max(best, takeIf(before[i*width+j], worth(i, j)))
		}
	}
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			best := max(behind[(i+1)*width+j], behind[i*width+j+1])
			behind[i*width+j] = max(best, takeIf(behind[(i+1)*width+j+1], worth(i, j)))
		}
	}
	return before, behind
}

func takeIf(rest, worth int32) int32 {
	if worth == 0 {
		return 0
	}
	return rest + worth
}
