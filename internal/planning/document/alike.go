package document

import (
	"cmp"
	"slices"
)

// candidate is a pair that is alike enough.
type candidate struct {
	i, j  int
	score float64
}

// doubt is how much better than any other a pair has to be.
const doubt = 0.08

// pairAlike links the most alike pairs first, and none of two that are nearly
// equally good, until nothing more can be said. So no piece gets its second
// choice for the sake of the others, as it might in an assignment of the
// greatest sum.
func (a *aligner) pairAlike() {
	old, new := a.free()
	if len(old)*len(new) > maxTable/4 {
		return
	}
	titles := countTitles(a.oldLook, a.newLook)
	var list []candidate
	byOld, byNew := map[int][]candidate{}, map[int][]candidate{}
	for _, i := range old {
		for _, j := range new {
			if a.oldLook[i].words == a.newLook[j].words {
				continue // twins that could not be told apart
			}
			if score := a.likeness(&a.oldLook[i], &a.newLook[j], titles); score > 0 {
				c := candidate{i, j, score}
				list, byOld[i], byNew[j] = append(list, c), append(byOld[i], c), append(byNew[j], c)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	oldTwins, newTwins := count(a.oldLook, old), count(a.newLook, new)
	twins := func(c candidate) bool { // as many as before: their order tells
		return oldTwins[a.oldLook[c.i].words] <= newTwins[a.newLook[c.j].words]
	}
	for again := true; again; {
		again = false
		for _, c := range list {
			if a.taken[c.i] || a.to[c.j] >= 0 || a.contested(c, byOld[c.i], twins(c)) || a.contested(c, byNew[c.j], twins(c)) || a.outdone(c, titles) {
				continue
			}
			a.link(c.i, c.j)
			again = true
		}
	}
}

// count tells how often the words of pieces occur.
func count(looks []look, indexes []int) map[string]int {
	n := map[string]int{}
	for _, i := range indexes {
		n[looks[i].words]++
	}
	return n
}

// contested tells whether another pair that is still possible is about as good
// as this one. With twins, one that is just the same once more does not count.
func (a *aligner) contested(c candidate, rivals []candidate, twins bool) bool {
	return slices.ContainsFunc(rivals, func(r candidate) bool {
		if r == c || r.score < c.score-doubt || a.taken[r.i] || a.to[r.j] >= 0 {
			return false
		}
		return !twins || a.newLook[r.j].words != a.newLook[c.j].words || a.oldLook[r.i].words != a.oldLook[c.i].words
	})
}

// outdone tells whether one of the two is no less like a piece that is linked
// already: then it is rather something new that is worded like that one, beside
// which the other has gone.
func (a *aligner) outdone(c candidate, titles map[string][2]int) bool {
	x, y := &a.oldLook[c.i], &a.newLook[c.j]
	for j, i := range a.to {
		if i < 0 {
			continue
		}
		if other := &a.oldLook[i]; other.words != x.words && a.likeness(other, y, titles) >= c.score {
			return true
		}
		if other := &a.newLook[j]; other.words != y.words && a.likeness(x, other, titles) >= c.score {
			return true
		}
	}
	return false
}

// What decides on likeness. Where these limits lie among the pairs of real plans
// is shown by TestAlign_R4_ThresholdsLieInTheGap.
const (
	// alike is for title and text, the text counting twice.
	alike = 0.58
	// sameCode is for what stands in code, and for paths: with less in common,
	// the same is done to something else.
	sameCode = 0.3
	// translated is for the same where nothing else can be compared.
	translated = 0.5
)

// likeness is 0 for pieces that are not taken for the same, and grows with how
// alike they are, up to 2.
func (a *aligner) likeness(x, y *look, titles map[string][2]int) float64 {
	if x.asian != y.asian {
		return a.translation(x, y)
	}
	if a.otherNames(x, y) {
		return 0
	}
	title, text := a.words.overlap(x.title, y.title), a.words.overlap(x.text, y.text)
	if title == 1 && titles[x.key] == [2]int{1, 1} {
		told, _, _ := a.words.shared(x.title, y.title)
		if text >= 0.1 || told >= 2*a.words.rarest(len(a.old)) {
			return 1 + text // the one step with this title, before and after
		}
	}
	if both := (title + 2*text) / 3; both >= alike && !a.otherCode(x, y) {
		return both
	}
	return 0
}

// otherNames tells whether the titles name files or identifiers, and not the
// same: then the same is done to something else.
func (a *aligner) otherNames(x, y *look) bool {
	return len(x.names) > 0 && len(y.names) > 0 && a.words.overlap(x.names, y.names) == 0
}

// otherCode says the same of what stands in code.
func (a *aligner) otherCode(x, y *look) bool {
	return len(x.code) > 0 && len(y.code) > 0 && a.words.overlap(x.code, y.code) < sameCode
}

// translation compares pieces in different scripts by their code and paths. A
// step without any can't be told from another one.
func (a *aligner) translation(x, y *look) float64 {
	both, _, _ := a.words.shared(x.code, y.code)
	alike := a.words.overlap(x.code, y.code)
	if alike < translated || both < a.words.rarest(max(len(a.old), len(a.new))) {
		return 0
	}
	return alike
}
