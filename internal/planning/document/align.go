package document

// Piece is a block as Trace sees it.
type Piece struct{ Title, Text string }

// Descent says what became of the old pieces in a new text.
type Descent struct {
	// Old is, for every new piece, the index of the old one that it continues,
	// or -1. No old piece is continued twice.
	Old []int
	// Heirs are, for every old piece, the new ones that hold it: the one that
	// continues it first, then those that took over a part of it. Several old
	// pieces may have gone into one new piece, and one into several.
	Heirs [][]int
}

// Trace finds what became of each old piece. Pieces are found by their exact
// text without its number, then by their words alone, then by likeness of
// title and text; never by their place or number. Where it is in doubt it says
// that there is nothing: what hangs on a piece may get lost, but it must not
// end up on another one. Among pieces that are the same, the order tells.
func Trace(old, new []Piece) Descent {
	a := aligner{old: old, new: new, to: make([]int, len(new)), taken: make([]bool, len(old))}
	for j := range a.to {
		a.to[j] = -1
	}
	if a.pairSame() {
		a.pairAlike()
		a.pairTwins(a.same, true)
		a.pairReworded()
		a.inherit()
	}
	return a.descent()
}

// pairSame links pieces of the same text or the same words. It returns false
// if there is nothing left to link.
func (a *aligner) pairSame() bool {
	exact := keysOf(a.old, a.new, func(p Piece) string { return WithoutNumber(p.Text) })
	a.pairSingle(exact)
	if !a.examine() {
		return false
	}
	a.pairTwins(exact, false)
	a.same = keys{make([]string, len(a.old)), make([]string, len(a.new))}
	for i := range a.old {
		a.same.old[i] = a.oldLook[i].words
	}
	for j := range a.new {
		a.same.new[j] = a.newLook[j].words
	}
	a.pairSingle(a.same)
	a.pairTwins(a.same, false)
	return true
}

// aligner holds what is paired so far.
type aligner struct {
	old, new         []Piece
	to               []int // for each new piece, the old one
	taken            []bool
	oldLook, newLook []look
	words            vocabulary
	same             keys    // the words of each piece
	heirs            [][]int // for each old piece, new ones that hold a part of it
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

// examine looks at all pieces, also at those that are paired: they tell which
// words are common. It returns false if there is nothing left to pair.
func (a *aligner) examine() bool {
	if old, new := a.free(); len(old) == 0 && len(new) == 0 || len(a.old) == 0 || len(a.new) == 0 {
		return false
	}
	a.oldLook, a.newLook = make([]look, len(a.old)), make([]look, len(a.new))
	a.words.ids = map[string]int{}
	for i, p := range a.old {
		a.oldLook[i] = a.words.look(p)
	}
	for j, p := range a.new {
		a.newLook[j] = a.words.look(p)
	}
	a.words.weigh(a.oldLook, a.newLook)
	return true
}

// descent puts the heir that continues a piece first.
func (a *aligner) descent() Descent {
	d := Descent{Old: a.to, Heirs: make([][]int, len(a.old))}
	for j, i := range a.to {
		if i >= 0 {
			d.Heirs[i] = []int{j}
		}
	}
	for i, list := range a.heirs {
		for _, j := range list {
			if a.to[j] != i {
				d.Heirs[i] = append(d.Heirs[i], j)
			}
		}
	}
	return d
}
