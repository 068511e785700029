package planning

import (
	"slices"

	"countersign/internal/planning/document"
)

// Unkept is what reviewers made of an earlier version and the model did not
// keep in the next one (P27). It stands until the model keeps it, until a
// person makes something else of the same or releases it, or until the plan is
// approved without it.
type Unkept struct {
	Op     EditOp   `json:"op"`               // what the reviewer had done
	Step   string   `json:"step,omitempty"`   // the block; empty for the scope
	Number int      `json:"number,omitempty"` // of the step as the model submitted it; 0 if it left it out
	Title  string   `json:"title,omitempty"`
	By     Actor    `json:"by"`
	Text   string   `json:"text,omitempty"`  // what it was to say, for a rewrite or an insertion
	Scope  *Scope   `json:"scope,omitempty"` // for the scope
	Order  []string `json:"order,omitempty"` // of all steps, by block id, for a move
}

// OfText tells whether it is about what a step says, and not about its place,
// its absence or the scope.
func (u Unkept) OfText() bool { return u.Op == EditRewrite || u.Op == EditInsert }

// kept tells whether a plan does what was asked for.
func (u Unkept) kept(p Plan) bool {
	b, found := p.Block(u.Step)
	switch u.Op {
	case EditScope:
		return u.Scope == nil || u.Scope.Same(p.Scope)
	case EditDelete:
		return !found
	case EditMove:
		return !found || inPlace(u.Order, p.order(), u.Step)
	default:
		return found && SameText(u.Text, p.Text(b))
	}
}

// settledBy tells whether an edit of the version that did not keep it says
// what is to become of it.
func (u Unkept) settledBy(e Edit) bool {
	about := e.Step == u.Step || slices.Contains(e.Made, u.Step)
	switch {
	case e.Op == EditRelease:
		return e.Step == u.Step && kindOf(e.Of) == kindOf(u.Op)
	case u.Op == EditScope:
		return e.Op == EditScope
	case u.Op == EditMove:
		return about && (e.Op == EditMove || e.Op == EditDelete)
	default:
		return about && e.Op != EditScope && e.Op != EditMove
	}
}

// kindOf: an inserted step is rewritten and released as any other.
func kindOf(op EditOp) EditOp {
	if op == EditInsert {
		return EditRewrite
	}
	return op
}

// Outstanding returns what the model did not keep and nobody has settled yet.
// An approval settles all of it.
func (p Plan) Outstanding() []Unkept {
	if p.Status == PlanApproved {
		return nil
	}
	standing := p.Standing()
	return slices.DeleteFunc(slices.Clone(p.Unkept), func(u Unkept) bool {
		return u.kept(p) || slices.ContainsFunc(standing, u.settledBy)
	})
}

// LeftOut returns the steps that reviewers wrote and that the model did not
// bring back. One that it changed is there and says so itself: see Block.Broken.
func (p Plan) LeftOut() []Unkept {
	return slices.DeleteFunc(p.Outstanding(), func(u Unkept) bool {
		_, there := p.Block(u.Step)
		return there || !u.OfText()
	})
}

// Behind is the block of a version behind which one that is not in it, or not
// at its place, belongs; empty for the place before the first step.
func (s State) Behind(p Plan, u Unkept) string {
	order := u.Order
	if u.Op != EditMove {
		order = s.around(u.Step)
	}
	behind := ""
	for _, id := range order {
		if id == u.Step {
			break
		}
		if _, there := p.Block(id); there {
			behind = id
		}
	}
	return behind
}

// around are the blocks of the newest version that has this one, by id.
func (s State) around(step string) []string {
	for _, p := range slices.Backward(s.Plans) {
		if _, there := p.Block(step); !there {
			continue
		}
		ids := make([]string, len(p.Blocks))
		for i, b := range p.Blocks {
			ids[i] = b.ID
		}
		return ids
	}
	return nil
}

// order are the steps of the plan by their ids.
func (p Plan) order() []string {
	var ids []string
	for _, b := range p.Blocks {
		if b.Kind == document.Step {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// inPlace tells whether a step still stands behind the same one, or before the
// same one, as it was to; steps that only one of the lists has don't count.
func inPlace(asked, now []string, step string) bool {
	was, is := both(asked, now), both(now, asked)
	beside := func(list []string, by int) string {
		if i := slices.Index(list, step) + by; i >= 0 && i < len(list) {
			return list[i]
		}
		return ""
	}
	return beside(was, -1) == beside(is, -1) || beside(was, 1) == beside(is, 1)
}

func both(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return !slices.Contains(other, id) })
}
