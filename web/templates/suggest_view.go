package templates

import (
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
)

func (p PlanPage) mayRelease(u planning.Unkept) bool {
	return p.open() && review.MayRelease(p.Person, u)
}

func (p PlanPage) mayUndo(e planning.Edit) bool { return p.open() && review.MayUndo(p.Person, e) }

func (p PlanPage) undoProblem(e planning.Edit) string {
	if p.Compose.Edit == e.Seq {
		return p.Compose.Problem
	}
	return ""
}

// scopeLine is an entry that an edit of the scope took out or put in.
type scopeLine struct {
	class, sign string
	spoken      lang.Key
	text        string
}

func scopeLines(before, after planning.Scope) []scopeLine {
	var lines []scopeLine
	d := planning.CompareScopes(before, after)
	for _, list := range []planning.ListDiff{d.Files, d.Commands} {
		for _, old := range list.Removed {
			lines = append(lines, scopeLine{"minus", "−", "no longer", old})
		}
		for _, now := range list.Added {
			lines = append(lines, scopeLine{"plus", "+", "new", now})
		}
	}
	return lines
}

// told: the page shows it whether or not changes are marked.
func (b block) told() bool { return len(b.unkept)+len(b.edits) > 0 }

// gone lists the steps that are no more, by the block they followed: those that
// reviewers deleted in this version, those that the model left out though a
// reviewer wrote them, and all others of the version that this one is compared
// with.
func (p PlanPage) gone() map[string][]block {
	g := goneSteps{p.Plan, map[string][]block{}, map[string]bool{}}
	for _, e := range p.Plan.Standing() {
		if e.Op == planning.EditDelete && p.Plan.First != nil {
			b := planning.Block{ID: e.Step}
			b.Title = e.Title
			g.add(p.Plan.First.Blocks, block{Block: b, old: e.Before, edits: []planning.Edit{e}})
		}
	}
	for _, u := range p.Plan.LeftOut() {
		b := planning.Block{ID: u.Step, Pinned: u.By.Name}
		b.Title = u.Title
		g.put(p.State.Behind(p.Plan, u), block{Block: b, old: u.Text, unkept: []planning.Unkept{u}})
	}
	for _, b := range p.From.Blocks {
		if _, still := p.Plan.Block(b.ID); !still {
			g.add(p.From.Blocks, block{Block: b, old: p.From.Text(b)})
		}
	}
	return g.after
}

type goneSteps struct {
	plan  planning.Plan
	after map[string][]block
	known map[string]bool
}

// add puts a block that is gone behind the nearest one before it that is still
// there.
func (g goneSteps) add(order []planning.Block, b block) {
	after := ""
	for _, other := range order {
		if other.ID == b.ID {
			break
		}
		if _, still := g.plan.Block(other.ID); still {
			after = other.ID
		}
	}
	g.put(after, b)
}

// put shows a block that is gone behind one that is there.
func (g goneSteps) put(after string, b block) {
	text := strings.TrimSpace(b.old)
	if text == "" || g.known[b.ID] {
		return
	}
	g.known[b.ID] = true
	b.removed = titleOr(b.Block, text)
	g.after[after] = append(g.after[after], b)
}
