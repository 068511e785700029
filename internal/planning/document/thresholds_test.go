package document

import (
	"cmp"
	"slices"
	"testing"
)

// measured is how alike two steps are, and whether they are the same.
type measured struct {
	value float64
	same  bool
	pair  string
}

// gap checks that a limit lies between what is the same and what is not, with
// room on both sides, and logs the pairs that are nearest to it.
func gap(t *testing.T, name string, limit, room float64, list []measured) {
	t.Helper()
	slices.SortFunc(list, func(x, y measured) int { return cmp.Compare(x.value, y.value) })
	var others, same []measured
	for _, m := range list {
		if m.same {
			same = append(same, m)
		} else {
			others = append(others, m)
		}
		if m.same != (m.value >= limit) || m.value >= limit-room && m.value < limit+room {
			t.Errorf("%s %.2f is too near to, or on the wrong side of %.2f (same step: %v): %s", name, m.value, limit, m.same, m.pair)
		}
	}
	if len(same) == 0 || len(others) == 0 {
		t.Fatalf("%s: %d pairs are the same and %d are not; that shows nothing", name, len(same), len(others))
	}
	t.Logf("%s, limit %.2f: %d pairs that are not the same, up to %.2f; %d that are, from %.2f on", name, limit, len(others), others[len(others)-1].value, len(same), same[0].value)
	for _, m := range others[max(0, len(others)-4):] {
		t.Logf("    %.2f not the same: %s", m.value, m.pair)
	}
	for _, m := range same[:min(4, len(same))] {
		t.Logf("    %.2f the same: %s", m.value, m.pair)
	}
}

// pairs calls a function for each pair of steps of the plans in testdata that
// is not settled by its words alone, after these steps of Trace. Whole tells
// that nothing was split or merged there.
func pairs(t *testing.T, after func(*aligner), each func(tr transition, a *aligner, p [2]int, same, whole bool)) {
	for _, tr := range transitions(t) {
		a := &aligner{old: tr.old, new: tr.new, to: slices.Repeat([]int{-1}, len(tr.new)), taken: make([]bool, len(tr.old))}
		a.pairSame()
		after(a)
		heirs, parents := map[int]int{}, map[int]int{}
		for p := range tr.descent {
			heirs[p[0]]++
			parents[p[1]]++
		}
		for i := range tr.old {
			for j := range tr.new {
				if p := [2]int{i, j}; a.oldLook[i].words != a.newLook[j].words {
					each(tr, a, p, tr.descent[p], heirs[i] == 1 && parents[j] == 1)
				}
			}
		}
	}
}

// The limits of likeness were chosen by these pairs: each lies where a gap is
// between steps that are the same and steps that are not.
func TestAlign_R4_ThresholdsLieInTheGap(t *testing.T) {
	var text, code, foreign []measured
	pairs(t, func(*aligner) {}, func(tr transition, a *aligner, p [2]int, same, whole bool) {
		x, y := &a.oldLook[p[0]], &a.newLook[p[1]]
		inCode := a.words.overlap(x.code, y.code)
		switch bothCode := len(x.code) > 0 && len(y.code) > 0; {
		case x.asian != y.asian:
			if !nothingSays[tr.pair(p)] {
				foreign = append(foreign, measured{inCode, same, tr.pair(p)})
			}
		case same && (!whole || inOtherWords[tr.name]), a.words.overlap(x.title, y.title) == 1: // found in other ways
		default:
			m := measured{(a.words.overlap(x.title, y.title) + 2*a.words.overlap(x.text, y.text)) / 3, same, tr.pair(p)}
			if m.value >= alike && bothCode {
				code = append(code, measured{inCode, same, tr.pair(p)})
			}
			if !bothCode || inCode >= sameCode {
				text = append(text, m)
			}
		}
	})
	gap(t, "title and text", alike, 0.05, text)
	gap(t, "code of steps that read alike", sameCode, 0.05, code)
	gap(t, "code of translated steps", translated, 0.2, foreign)
}

// inOtherWords are the versions in which each step was written anew.
var inOtherWords = map[string]bool{"limiter 1-2": true, "limiter 2-3": true, "invoice 1-2": true}

// Steps that were written anew have little in common, but with no other step
// they have anything.
func TestTrace_R4_RewordedStepsStandAlone(t *testing.T) {
	var times, shares []measured
	pairs(t, func(*aligner) {}, func(tr transition, a *aligner, p [2]int, same, whole bool) {
		x, y := &a.oldLook[p[0]], &a.newLook[p[1]]
		both, onlyX, onlyY := a.words.shared(x.text, y.text)
		if both == 0 || same && !whole || x.asian != y.asian || a.taken[p[0]] || a.to[p[1]] >= 0 || a.words.overlap(x.title, y.title) == 1 {
			return
		}
		next := 0.001
		for i := range tr.old {
			if i != p[0] {
				next = max(next, a.blend(i, p[1]))
			}
		}
		for j := range tr.new {
			if j != p[1] {
				next = max(next, a.blend(p[0], j))
			}
		}
		ratio := a.blend(p[0], p[1]) / next
		if a.blend(p[0], p[1]) < alike && !a.otherNames(x, y) && !a.otherCode(x, y) {
			times = append(times, measured{ratio, same, tr.pair(p)})
		}
		if ratio > 1/second {
			shares = append(shares, measured{both / (both + min(onlyX, onlyY)), same, tr.pair(p)})
		}
	})
	gap(t, "times more like each other than any other", 1/second, 0.5, times)
	gap(t, "share of those that stand alone", kept, 0.05, shares)
}

// The limit for parts lies between steps that were split or merged and steps
// that only share some words with a longer one.
func TestTrace_R4_ThePartsThresholdLiesInTheGap(t *testing.T) {
	var list []measured
	linked := func(a *aligner) {
		a.pairAlike()
		a.pairReworded()
	}
	pairs(t, linked, func(tr transition, a *aligner, p [2]int, same, whole bool) {
		value := 0.0
		if !a.taken[p[0]] {
			value = ownShare(parts{a.words, a.oldLook, a.newLook, a.to, len(a.old)}, p[0], p[1])
		}
		if a.to[p[1]] < 0 {
			to := make([]int, len(a.old))
			for i := range to {
				to[i] = slices.Index(a.to, i)
			}
			value = max(value, ownShare(parts{a.words, a.newLook, a.oldLook, to, len(a.old)}, p[1], p[0]))
		}
		if !(same && whole) { // what was continued is no part
			list = append(list, measured{value, same && value > 0, tr.pair(p)})
		}
	})
	gap(t, "share of a part", held, 0.05, list)
}

// ownShare is how much of a piece is in a whole, and in none else as much, also
// without what any other piece has that is linked with it or seems to be in
// there; if there is none, it counts as lone.
func ownShare(p parts, x, whole int) float64 {
	if !p.sameThings(x, whole) {
		return 0
	}
	least, weight := p.share(x, whole, -1)
	for other := range p.wholes {
		if _, w := p.share(x, other, -1); other != whole && w > (1-2*doubt)*weight {
			return 0 // it could be a part of either
		}
	}
	alone := true
	for rival := range p.pieces {
		if claim, _ := p.share(rival, whole, -1); rival == p.main[whole] || rival != x && claim >= held && p.sameThings(rival, whole) {
			own, _ := p.share(x, whole, rival)
			least, alone = min(least, own), false
		}
	}
	if alone {
		return least * held / lone
	}
	return least
}

// A step that was edited is so much more like itself than like any other one
// that the margin never decides.
func TestAlign_R4_TheMarginIsForDoubtOnly(t *testing.T) {
	best := map[string][2]float64{} // of the step itself, and of any other
	pairs(t, func(*aligner) {}, func(tr transition, a *aligner, p [2]int, same, whole bool) {
		if a.taken[p[0]] || a.to[p[1]] >= 0 || same && !whole {
			return
		}
		score := a.likeness(&a.oldLook[p[0]], &a.newLook[p[1]], countTitles(a.oldLook, a.newLook))
		for _, key := range []string{tr.name + ": " + tr.old[p[0]].Title, tr.name + ": → " + tr.new[p[1]].Title} {
			b := best[key]
			if same {
				b[0] = max(b[0], score)
			} else {
				b[1] = max(b[1], score)
			}
			best[key] = b
		}
	})
	var margins []measured
	for key, b := range best {
		if b[0] > 0 {
			margins = append(margins, measured{b[0] - b[1], true, key})
		}
	}
	slices.SortFunc(margins, func(x, y measured) int { return cmp.Compare(x.value, y.value) })
	for i, m := range margins {
		if m.value < 2*doubt {
			t.Errorf("%.2f is all that tells it from another: %s", m.value, m.pair)
		}
		if i < 5 {
			t.Logf("%.2f %s", m.value, m.pair)
		}
	}
}
