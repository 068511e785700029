package document

// The limits for steps that were put in other words altogether, as a model
// likes to do; see TestTrace_R4_RewordedStepsStandAlone.
const (
	// kept is how much of one of the two has to be in the other.
	kept = 0.33
	// keptUntitled is the same if neither titles nor code say so too.
	keptUntitled = 0.65
	// keptEvidence is what both have, counted in words that no other piece has.
	keptEvidence = 3
	// second is how like any other piece one of the two may be, compared with
	// how like they are to each other.
	second = 0.3
)

// pairReworded links pieces that are not much alike but far more than either
// is like any other piece, also one that is linked already.
func (a *aligner) pairReworded() {
	old, new := a.free()
	if len(old) == 0 || len(new) == 0 || len(old)*len(a.new)+len(new)*len(a.old) > maxTable/4 {
		return
	}
	byOld, byNew := map[int]ranking{}, map[int]ranking{}
	for _, i := range old {
		for j := range a.new {
			byOld[i] = byOld[i].with(j, a.blend(i, j))
		}
	}
	for _, j := range new {
		for i := range a.old {
			byNew[j] = byNew[j].with(i, a.blend(i, j))
		}
	}
	for _, i := range old {
		j := byOld[i].first
		if a.to[j] < 0 && byNew[j].first == i && byOld[i].alone() && byNew[j].alone() && a.reworded(i, j) {
			a.link(i, j)
		}
	}
}

// ranking is the best of the pieces that one was compared with, and how good
// the best of the others is.
type ranking struct {
	first      int
	best, next float64
}

func (r ranking) with(piece int, value float64) ranking {
	if value > r.best {
		return ranking{piece, value, r.best}
	}
	r.next = max(r.next, value)
	return r
}

func (r ranking) alone() bool { return r.best > 0 && r.next <= second*r.best }

// blend is how like title and text of two pieces are, from 0 to 1.
func (a *aligner) blend(i, j int) float64 {
	x, y := &a.oldLook[i], &a.newLook[j]
	return (a.words.overlap(x.title, y.title) + 2*a.words.overlap(x.text, y.text)) / 3
}

// reworded tells whether two pieces have enough in common to be the same.
func (a *aligner) reworded(i, j int) bool {
	x, y := &a.oldLook[i], &a.newLook[j]
	if x.asian != y.asian || a.otherNames(x, y) || a.otherCode(x, y) {
		return false
	}
	both, onlyX, onlyY := a.words.shared(x.text, y.text)
	share, limit := both/(both+min(onlyX, onlyY)), kept
	if a.words.overlap(x.title, y.title) == 0 && a.words.overlap(x.code, y.code) < translated {
		limit = keptUntitled
	}
	return share >= limit && both >= keptEvidence*a.words.rarest(max(len(a.old), len(a.new)))
}
