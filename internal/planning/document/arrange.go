package document

import (
	"slices"
	"strings"

	"countersign/internal/fault"
)

// insert writes the source with a new block at an index. A step in a list with
// no blank lines between its items gets none either, unless blank asks for it.
func (o *outline) insert(at int, text, eol string, blank bool) string {
	left, right := o.Source, ""
	if at < len(o.Blocks) {
		left, right = o.Source[:o.Blocks[at].Start], o.Source[o.Blocks[at].Start:]
	}
	trail := ""
	if at > 0 {
		_, _, trail = cut(o.Text(at - 1))
	}
	gap := 2
	if !blank && o.tight(at) {
		gap = 1
	}
	if left != "" {
		left += pad(trail, gap, eol)
	}
	if right == "" {
		return left + text + trail
	}
	if !o.inList(at) {
		gap = 2
	}
	return left + text + strings.Repeat(eol, gap) +
		right
}

// pad is the line ends that a trail lacks to have n of them.
func pad(trail string, n int, eol string) string {
	return strings.Repeat(eol, max(n-strings.Count(trail, "\n"), 0))
}

// inList tells whether block i is a step that is a list item.
func (o *outline) inList(i int) bool {
	return i >= 0 && i < len(o.Blocks) && o.Blocks[i].Kind == Step && (o.rule == orderedItems || o.rule == taskItems)
}

// tight tells whether a new item at this index goes into a list that has no
// blank lines between its items.
func (o *outline) tight(at int) bool {
	one := func(i int) bool {
		_, _, trail := cut(o.Text(i))
		return strings.Count(trail, "\n") <= 1
	}
	switch {
	case o.inList(at - 1):
		// The last item of a list says nothing; the one before it does.
		return one(at-1) && (o.inList(at) || !o.inList(at-2) || one(at-2))
	case o.inList(at):
		return one(at)
	}
	return false
}

// chunk is a block's text without the blank lines behind it, and these.
type chunk struct{ body, trail string }

// reorder puts the blocks in another order, or leaves some out. How blank
// lines are best spread depends on what stands where; the first way that keeps
// all blocks what they are is taken.
func (o *outline) reorder(order []int) (string, error) {
	lead, _, _ := cut(o.Text(0))
	eol := lineEnd(o.Source)
	old := make([]chunk, len(o.Blocks))
	for i := range old {
		_, old[i].body, old[i].trail = cut(o.Text(i))
	}
	own := make([]chunk, len(order))    // each block with its own blank lines
	places := make([]chunk, len(order)) // blank lines stay in their places
	for k, i := range order {
		own[k] = old[i]
		places[k] = chunk{old[i].body, old[k].trail}
	}
	ways := [][]chunk{own}
	if len(order) == len(old) {
		ways = append(ways, places)
		if o.withinList(order) || order[len(order)-1] != len(old)-1 {
			slices.Reverse(ways)
		}
	}
	var sources []string
	for _, gap := range []int{1, 2} {
		for _, way := range ways {
			sources = append(sources, lead+o.join(order, way, gap, eol))
		}
	}
	return o.firstKept(sources, func(n *outline) error { return o.checkOrder(n, order) })
}

// withinList tells whether only items of lists have changed their places.
func (o *outline) withinList(order []int) bool {
	for k, i := range order {
		if k != i && !o.inList(i) {
			return false
		}
	}
	return true
}

// join writes chunks one after another. Two that did not stand together before
// get a blank line between them; two items of a list get gap line ends.
func (o *outline) join(order []int, chunks []chunk, gap int, eol string) string {
	var b strings.Builder
	for k, c := range chunks {
		b.WriteString(c.body)
		b.WriteString(c.trail)
		if k+1 == len(chunks) {
			break
		}
		want := 1
		if order[k+1] != order[k]+1 {
			want = 2
			if o.inList(order[k]) && o.inList(order[k+1]) {
				want = gap
			}
		}
		b.WriteString(pad(c.trail, want, eol))
	}
	return b.String()
}

// firstKept returns the first source that passes the check, or the fault that
// the first one has.
func (o *outline) firstKept(sources []string, check func(*outline) error) (string, error) {
	var first error
	planned := CheckPlan(o.Source) == nil
	for _, source := range sources {
		if len(source) > MaxPlan && len(source) > len(o.Source) {
			return "", fault.New(fault.TooLarge, "The plan would be longer than %d MB.", MaxPlan>>20).At("markdown")
		}
		n := outlineOf(source)
		err := check(&n)
		if err == nil && planned && CheckPlan(source) != nil {
			err = fault.New(fault.Invalid, "The plan would have no title. Its first line must stay a heading such as “# Title”.")
		}
		if err == nil {
			return source, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}
