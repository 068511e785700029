package document

import (
	"cmp"
	"slices"
)

const (
	// held is how much of a part has to be in the whole for the part to have
	// come out of it or to have gone into it.
	held = 0.5
	// evidence is how much they have to have in common, counted in words that
	// no other piece has: a few words may be there by chance.
	evidence = 4
)

// share is how much of a piece is in another one: of all of it, or, if others
// have a claim on that one too, of what it has and they have not.
type share struct {
	part   int     // index of the piece
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
		list = slices.DeleteFunc(list, func(s share) bool { return a.to[s.part] >= 0 })
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
// the one with the largest share first.
func (p parts) find(free []int) map[int][]share {
	claims := map[int][]share{}
	for _, x := range free {
		if whole, weight := p.best(x); whole >= 0 {
			claims[whole] = append(claims[whole], share{x, weight})
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
		list = slices.DeleteFunc(slices.Clone(list), func(s share) bool {
			return slices.ContainsFunc(rivals, func(r int) bool { return r != s.part && !p.own(s.part, whole, r) })
		})
		slices.SortStableFunc(list, func(x, y share) int { return cmp.Compare(y.weight, x.weight) })
		claims[whole] = list
	}
	return claims
}

// best finds the whole that a piece is most probably a part of, or -1.
func (p parts) best(x int) (whole int, weight float64) {
	whole, second := -1, 0.0
	for w := range p.wholes {
		if !p.sameThings(x, w) {
			continue
		}
		both, alone, _ := p.words.shared(p.pieces[x].text, p.wholes[w].text)
		if both > weight {
			second = weight
			whole, weight = w, both
			if both < held*(both+alone) || both < evidence*p.words.rarest(p.count) {
				whole = -1
			}
		} else {
			second = max(second, both)
		}
	}
	if second > (1-2*doubt)*weight {
		return -1, 0
	}
	return whole, weight
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

// own tells whether what a piece has and a rival has not is in the whole: a
// step that is only worded like its neighbour is no part of what became of
// that.
func (p parts) own(x, whole, rival int) bool {
	var mine []int
	for _, f := range p.pieces[x].text {
		if _, has := slices.BinarySearch(p.pieces[rival].text, f); !has {
			mine = append(mine, f)
		}
	}
	both, alone, _ := p.words.shared(mine, p.wholes[whole].text)
	return both >= held*(both+alone) && both >= evidence*p.words.rarest(p.count)
}
