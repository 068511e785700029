package templates

import (
	"context"
	"fmt"
	"strconv"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// ComparePage holds two texts of a plan against each other.
type ComparePage struct {
	Page
	State    planning.State
	From, To planning.Plan // Version 0 stands for none
	Choices  []PlanText    // what can be compared, oldest first
	Side     bool          // in two columns
}

// PlanText is one that can be chosen: a version as it stands, or one that it
// had before.
type PlanText struct {
	Point string // how the address names it
	planning.Plan
	Submitted bool // as the agent sent it, before reviewers changed it
	Between   bool // as it was for a while
}

// Point is how an address names a text: its version, and for one that is not
// how the version stands the beginning of its hash too.
func Point(p planning.Plan, stands bool) string {
	if stands {
		return strconv.Itoa(p.Version)
	}
	return strconv.Itoa(p.Version) + "-" + p.SHA256[:min(pointHash, len(p.SHA256))]
}

const pointHash = 12 // characters; more than enough within one version

// pointIn is how an address names a text of a session's plan.
func pointIn(s planning.State, text planning.Plan) string {
	stands, _ := s.PlanVersion(text.Version)
	return Point(text, stands.SHA256 == text.SHA256)
}

func (p ComparePage) chosen(c PlanText, of planning.Plan) bool {
	return c.Version == of.Version && c.SHA256 == of.SHA256
}

// address is that of this page, one way or the other.
func (p ComparePage) address(side bool) string {
	view := "inline"
	if side {
		view = "side"
	}
	return fmt.Sprintf("/sessions/%s/compare?from=%s&to=%s&view=%s", p.State.ID, pointIn(p.State, p.From), pointIn(p.State, p.To), view)
}

func choiceWords(ctx context.Context, c PlanText) string {
	switch {
	case c.Submitted:
		return tr(ctx, "v%d, as the agent sent it", c.Version)
	case c.Between:
		return tr(ctx, "v%d, between two changes", c.Version)
	case c.First != nil:
		return tr(ctx, "v%d, with the reviewers’ changes", c.Version)
	default:
		return tr(ctx, "v%d", c.Version)
	}
}

// compared is a block of either text, rendered.
type compared struct {
	planning.StepDiff
	old, now string // HTML of the two columns; one of them is empty for what came or went
	inline   string // HTML of the one column
	columns  bool   // the two are shown
}

// alone tells whether there is but one text.
func (p ComparePage) alone() bool { return len(p.Choices) < 2 || p.From.Version == 0 }

// comparedGroup is one block that differs, the place that one has left, or a
// run of blocks that are the same.
type comparedGroup struct {
	one  *compared
	left *planning.StepDiff
	same []compared
}

// steps counts the steps of a run.
func (g comparedGroup) steps() int {
	n := 0
	for _, c := range g.same {
		if c.Kind == document.Step {
			n++
		}
	}
	return n
}

// groups renders both texts, in the order of the newer one.
func (p ComparePage) groups() []comparedGroup {
	links := [2]string{references(p.From.Markdown), references(p.To.Markdown)}
	diffs := planning.Compare(p.From, p.To)
	left := p.left(diffs)
	list := left[""]
	for _, d := range diffs {
		c := p.compared(d, links)
		switch {
		case d.Change != planning.DiffSame:
			list = append(list, comparedGroup{one: &c})
		case len(list) == 0 || len(list[len(list)-1].same) == 0:
			list = append(list, comparedGroup{same: []compared{c}})
		default:
			last := &list[len(list)-1]
			last.same = append(last.same, c)
		}
		list = append(list, left[d.ID]...)
	}
	return list
}

// left are the places that steps have moved away from, by the block before
// them that has not; "" stands for the beginning.
func (p ComparePage) left(diffs []planning.StepDiff) map[string][]comparedGroup {
	moved, stays := map[string]*planning.StepDiff{}, map[string]bool{}
	for i, d := range diffs {
		if d.Moved {
			moved[d.ID] = &diffs[i]
		} else if d.Change != planning.DiffAdded {
			stays[d.ID] = true
		}
	}
	places, behind := map[string][]comparedGroup{}, ""
	for _, b := range p.From.Blocks {
		switch d := moved[b.ID]; {
		case d != nil && b.Kind == document.Step:
			places[behind] = append(places[behind], comparedGroup{left: d})
		case stays[b.ID]:
			behind = b.ID
		}
	}
	return places
}

func (p ComparePage) compared(d planning.StepDiff, links [2]string) compared {
	c := compared{StepDiff: d}
	if b, ok := p.From.Block(d.ID); ok {
		c.old = blockHTML(p.From, b, links[0])
	}
	if b, ok := p.To.Block(d.ID); ok {
		c.now = blockHTML(p.To, b, links[1])
	}
	c.inline, c.columns = c.now, p.Side
	if d.Change == planning.DiffRemoved {
		c.inline = c.old
	}
	if d.Change != planning.DiffChanged {
		return c
	}
	words, ok := compareWords(c.old, c.now)
	switch {
	case !ok:
		c.columns = true // else one could not see what there was
	case p.Side:
		c.old, c.now = words.sides()
	default:
		c.inline = words.inline()
	}
	return c
}

// difference counts what became of the steps; a step that moved and changed
// counts as both.
type difference struct{ changed, moved, added, removed, text int }

func differenceOf(groups []comparedGroup) difference {
	var n difference
	for _, g := range groups {
		if g.one == nil { // the same, or counted where it stands now
			continue
		}
		if g.one.Kind != document.Step {
			n.text++
			continue
		}
		if g.one.Moved {
			n.moved++
		}
		switch g.one.Change {
		case planning.DiffChanged:
			n.changed++
		case planning.DiffAdded:
			n.added++
		case planning.DiffRemoved:
			n.removed++
		}
	}
	return n
}

// movedWords say from where to where a step moved.
func movedWords(ctx context.Context, c compared) string {
	switch {
	case c.Kind != document.Step:
		return tr(ctx, "moved")
	case c.Number < c.Was:
		return tr(ctx, "moved up, from %d to %d", c.Was, c.Number)
	case c.Number > c.Was:
		return tr(ctx, "moved down, from %d to %d", c.Was, c.Number)
	default:
		return tr(ctx, "moved, others took its place")
	}
}
