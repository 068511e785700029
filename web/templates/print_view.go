package templates

import (
	"context"
	"fmt"

	"countersign/internal/planning"
)

// PrintPage is one version of a plan with who approved it, to be put on paper.
type PrintPage struct {
	Page
	State planning.State
	Plan  planning.Plan
}

func (p PrintPage) approved() bool { return p.Plan.Status == planning.PlanApproved }

// plan is the version as the plan page would show it, without marks.
func (p PrintPage) plan() PlanPage { return PlanPage{Page: p.Page, State: p.State, Plan: p.Plan} }

// threads are those that belong to the version: made on it or before.
func (p PrintPage) threads() []planning.Thread {
	var list []planning.Thread
	for _, t := range p.State.Threads {
		if t.Version <= p.Plan.Version && !t.Withdrawn() {
			list = append(list, t)
		}
	}
	return list
}

// about says what a thread was made on.
func (p PrintPage) about(ctx context.Context, t planning.Thread) string {
	b, here := p.Plan.Block(t.Step)
	switch {
	case t.Step == "":
		return tr(ctx, "On the plan as a whole, v%d", t.Version)
	case here && b.Number > 0:
		return tr(ctx, "On step %d, %s, v%d", b.Number, visible(b.Title), t.Version)
	default:
		return tr(ctx, "On %s, v%d", visible(t.StepTitle), t.Version)
	}
}

// compareLink leads from a record of the history to what it changed in the
// plan; it is empty for records of other things.
func compareLink(r planning.Record) string {
	payload, err := r.Payload()
	if err != nil {
		return ""
	}
	texts := func(version int, from, to string) string {
		point := func(sha string) string { return Point(planning.Plan{Version: version, SHA256: sha}, false) }
		return fmt.Sprintf("compare?from=%s&to=%s", point(from), point(to))
	}
	switch p := payload.(type) {
	case planning.PlanSubmitted:
		if p.Version > 1 {
			return fmt.Sprintf("compare?from=%d&to=%s", p.Version-1, Point(planning.Plan{Version: p.Version, SHA256: p.SHA256}, false))
		}
	case planning.StepEdited:
		return texts(p.Version, p.Base, p.SHA256)
	case planning.ScopeEdited:
		return texts(p.Version, p.Base, p.SHA256)
	case planning.EditUndone:
		return texts(p.Version, p.Base, p.SHA256)
	}
	return ""
}
