package planning

import (
	"slices"

	"countersign/internal/fault"
)

// Undo takes an edit of the newest version back: what comes out is the version
// as it was submitted, with all other edits that stand. It fails with
// fault.NotFound for an edit that is not there, and with fault.Conflict for
// one that was undone already, or where a later edit builds on it; the
// sentence names whose.
func Undo(s State, seq int64) (EditUndone, error) {
	p, _ := s.Plan()
	e, ok := p.Edit(seq)
	switch {
	case !ok:
		return EditUndone{}, fault.New(fault.NotFound, "There is no such change to this version of the plan.")
	case e.Undone != nil:
		return EditUndone{}, fault.New(fault.Conflict, "%s has already undone this.", e.Undone.By.Name)
	}
	if later, found := p.inTheWay(e); found {
		return EditUndone{}, laterChange(later)
	}
	was, err := p.without(e)
	if err != nil {
		return EditUndone{}, err
	}
	return EditUndone{
		Version: p.Version, Edit: seq, Op: e.Op, Step: e.Step, Number: e.Number, Title: e.Title, Base: p.SHA256,
		PlanTitle: was.Title, Markdown: was.Markdown, Scope: was.Scope, SHA256: Hash(was.Markdown, was.Scope), Blocks: was.Blocks,
	}, nil
}

// inTheWay is the last edit after e that has to do with the same.
func (p Plan) inTheWay(e Edit) (Edit, bool) {
	touched := e.touched()
	for _, later := range slices.Backward(p.Standing()) {
		switch {
		case later.Seq <= e.Seq:
			return Edit{}, false
		case later.Op == EditScope && e.Op == EditScope, later.about(touched),
			e.Op == EditMove && later.behind(touched): // it would move along
			return later, true
		}
	}
	return Edit{}, false
}

func laterChange(e Edit) error {
	f := fault.New(fault.Conflict, "%s changed the same after that; undo that change first.", e.By.Name)
	if e.Op == EditInsert || e.Op == EditMove {
		f = fault.New(fault.Conflict, "%s moved or inserted a step here after that; undo that change first.", e.By.Name)
	}
	return f.With(map[string]any{"edit": e.Seq, "op": e.Op, "title": e.Title, "by": e.By.Name, "at": e.At})
}

// without makes the edits of the version again, all but one and those that
// were undone.
func (p Plan) without(e Edit) (Plan, error) {
	was := Plan{
		Version: p.Version, Markdown: p.Submitted, Title: p.First.Title, Scope: p.First.Scope, Blocks: p.First.Blocks, Unkept: p.Unkept,
	}
	standing := p.Standing()
	for _, other := range standing {
		if other.Seq == e.Seq {
			continue
		}
		if err := was.redo(other); err != nil {
			return was, laterChange(other)
		}
	}
	if standing[len(standing)-1].Seq == e.Seq {
		return was, nil // exactly what was there before it
	}
	if other, changed := p.changedBeside(was, e); changed {
		return was, fault.New(fault.Conflict, "This can't be undone by itself: it would change “%s” as well. Rewrite the step instead.", other.Title)
	}
	return was, nil
}

// redo makes an edit on the version as it is here.
func (p *Plan) redo(e Edit) error {
	if e.Op == EditScope {
		p.Scope = e.Scopes.After
		return nil
	}
	if e.Op == EditRelease {
		p.Blocks = p.unpinned(e.Of, e.Step)
		return nil
	}
	if e.Redo == nil { // of a time when that was not kept
		return fault.New(fault.Conflict, "This change can't be made again.")
	}
	made, err := PlanEdit{Op: e.Op, Step: e.Step, After: e.Redo.After, Markdown: e.Redo.Typed, By: e.By.Name}.on(*p, e.Redo.Next)
	if err != nil {
		return err
	}
	p.Markdown, p.Blocks, p.Title = made.Markdown, made.Blocks, made.PlanTitle
	return nil
}

// changedBeside finds a block that the edit is not about and that would read
// differently without it.
func (p Plan) changedBeside(was Plan, e Edit) (Block, bool) {
	touched := e.touched()
	for _, b := range p.Blocks {
		if slices.Contains(touched, b.ID) {
			continue
		}
		before, found := was.Block(b.ID)
		if !found || !SameText(p.Text(b), was.Text(before)) {
			return b, true
		}
	}
	return Block{}, false
}
