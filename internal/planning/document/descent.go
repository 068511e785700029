package document

import (
	"cmp"
	"slices"
)

const (
	// held is how much of a part has to be in the whole for the part to have
	// come out of it or to have gone into it.
	held = 0.4
	// lone is the same for the only part of something that nothing continues:
	// it may as well be another step that took its place.
	lone = 2 * held
	// evidence is how much they have to have in common, counted in words that
	// no other piece has: a few words may be there by chance.
	evidence = 4
)

// claim says that a piece seems to be a part of another one.
type claim struct {
	part   int     // index of the piece
	share  float64 // how much of it is in the other one, from 0 to 1
	weight float64 // of what both have
}

// inherit finds the old pieces that went into a new one beside the one that it
// continues (merged), and the new ones that were cut from an old one (split).
func (a *aligner) inherit() {
	a.heirs = make([][]int, len(a.old))
	old, new := a.free()
	if max(len(old)*len(a.new), len(new)*len(a.old)) > maxTable/4 {
		return
	}
	follower := make([]int, len(a.old)) // the new piece that continues an old one
	for i := range follower {
		follower[i] = slices.Index(a.to, i)
		if i > 0 && follower[i] < 0 && follower[i-1] >= 0 && a.oldLook[i].words == a.oldLook[i-1].words {
			follower[i] = follower[i-1]
			a.heirs[i] = append(a.heirs[i], follower[i]) // it stood there twice, side by side
		}
	}
	merged := parts{a.words, a.oldLook, a.newLook, a.to, len(a.old)}.find(old)
	split := parts{a.words, a.newLook, a.oldLook, follower, len(a.old)}.find(new)
	for j, list := range merged {
		for _, s := range list {
			a.heirs[s.part] = append(a.heirs[s.part], j)
		}
		if a.to[j] < 0 && len(list) > 0 {
			a.link(list[0].part, j)
		}
	}
	for i, list := range split {
		list = slices.DeleteFunc(list, func(s claim) bool { return a.to[s.part] >= 0 })
		for _, s := range list {
			a.heirs[i] = append(a.heirs[i], s.part)
		}
		if !a.taken[i] && len(list) > 0 {
			a.link(i, list[0].part)
		}
	}
}

// parts is one direction of inherit: which pieces of one side are parts of
// which of the other side.
type parts struct {
	words  vocabulary
	pieces []look
	wholes []look
	main   []int // for each whole, the piece that is linked with it, or -1
	count  int
}

// find returns, for each whole, those of the free pieces that are parts of it,
// the one that has most of it first.
func (p parts) find(free []int) map[int][]claim {
	claims := map[int][]claim{}
	for _, x := range free {
		if whole, c := p.best(x); whole >= 0 {
			claims[whole] = append(claims[whole], c)
		}
	}
	for whole, list := range claims {
		rivals := make([]int, 0, len(list)+1)
		for _, s := range list {
			rivals = append(rivals, s.part)
		}
		if p.main[whole] >= 0 {
			rivals = append(rivals, p.main[whole])
		}
		list = slices.DeleteFunc(slices.Clone(list), func(s claim) bool {
			return slices.ContainsFunc(rivals, func(r int) bool { return r != s.part && !p.own(s.part, whole, r) })
		})
		if len(list) == 1 && p.main[whole] < 0 && list[0].share < lone {
			list = nil
		}
		slices.SortStableFunc(list, func(x, y claim) int { return cmp.Compare(y.weight, x.weight) })
		claims[whole] = list
	}
	return claims
}

// best finds the whole that a piece is most probably a part of, or -1.
func (p parts) best(x int) (whole int, c claim) {
	whole, second := -1, 0.0
	for w := range p.wholes {
		if !p.sameThings(x, w) {
			continue
		}
		share, weight := p.share(x, w, -1)
		if weight <= c.weight {
			second = max(second, weight)
			continue
		}
		whole, c, second = w, claim{x, share, weight}, c.weight
	}
	if second > (1-2*doubt)*c.weight || !p.enough(c.share, c.weight) {
		return -1, c
	}
	return whole, c
}

// own tells whether what a piece has and a rival has not is in the whole: a
// step that is only worded like its neighbour is no part of what became of
// that.
func (p parts) own(x, whole, rival int) bool { return p.enough(p.share(x, whole, rival)) }

func (p parts) enough(share, weight float64) bool {
	return share >= held && weight >= evidence*p.words.rarest(p.count)
}

// share is how much of a piece is in a whole, from 0 to 1, and what that
// weighs. What a rival has too is left out; -1 stands for no rival.
func (p parts) share(x, whole, rival int) (share, weight float64) {
	mine := p.pieces[x].text
	if rival >= 0 {
		mine = slices.DeleteFunc(slices.Clone(mine), func(f int) bool {
			_, has := slices.BinarySearch(p.pieces[rival].text, f)
			return has
		})
	}
	both, alone, _ := p.words.shared(mine, p.wholes[whole].text)
	if both == 0 {
		return 0, 0
	}
	return both / (both + alone), both
}

// sameThings tells whether a part is about files and identifiers that are in
// the whole too.
func (p parts) sameThings(x, whole int) bool {
	piece, all := &p.pieces[x], &p.wholes[whole]
	if both, alone, _ := p.words.shared(piece.names, all.text); both == 0 && alone > 0 {
		return false
	}
	both, alone, _ := p.words.shared(piece.code, all.code)
	return both >= held*(both+alone)
}
