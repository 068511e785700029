package review

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// edits lists the reviewers' own changes, each text once, as it ended up, and
// again what they had asked for before and this version did not keep.
func (l *letter) edits() {
	reordered := false
	places := l.places()
	for i := 0; i < len(places); {
		first := l.madeBy(places[i].block.ID)
		if first == nil {
			l.insist(places[i])
			i++
			continue
		}
		// One edit may have made several blocks; they are told as one text.
		text, by := "", first.By.Name
		for ; i < len(places) && l.madeBy(places[i].block.ID) == first; i++ {
			text += l.plan.Text(places[i].block)
			by = l.lastEditor(places[i].block.ID, by)
		}
		switch {
		case first.Op == planning.EditInsert:
			reordered = true
			l.line("\nA step was inserted by %s. Keep it word for word:", person(by))
		case planning.SameText(first.Before, text):
			continue // it was undone again
		default:
			l.line("\n%s was rewritten by %s. Keep it word for word:", subject(first.Number, first.Title), person(by))
		}
		l.fenced(strings.TrimRight(text, "\r\n \t"))
	}
	for _, e := range l.plan.Edits {
		if e.Op == planning.EditDelete && !l.reviewersOwn(e.Step) {
			l.line("\n%s was deleted by %s. Leave it out.", subject(e.Number, e.Title), person(e.By.Name))
		}
		reordered = reordered || e.Op == planning.EditMove
	}
	l.scope()
	switch {
	case l.misplaced():
		l.line("\nThe reviewers asked for another order before, and it still stands. The steps are to be, in this order: %s.", order(places))
	case reordered:
		l.line("\nThe steps are now, in this order: %s.", order(places))
	}
}

// scope says what the plan may change and run, if reviewers set it in this
// version, or before and the model did not keep it.
func (l *letter) scope() {
	const set = "What the plan may change and run was set by %s. Submit it with exactly this:"
	if u, ok := l.unkept(planning.EditScope, ""); ok {
		l.line("\n%s\n"+set, notKept, person(u.By.Name))
		l.fenced(submittedAs(*u.Scope))
		return
	}
	l.scopeSet("\n" + set)
}

// scopeSet says what the reviewers made of the scope, if it is another one now,
// in the words of the tool that submits it.
func (l *letter) scopeSet(format string) {
	for _, e := range slices.Backward(l.plan.Edits) {
		if e.Op != planning.EditScope {
			continue
		}
		if l.plan.First.Scope.Same(l.plan.Scope) {
			return
		}
		l.line(format, person(e.By.Name))
		l.fenced(submittedAs(l.plan.Scope))
		return
	}
}

// madeBy is the first edit of this version that the block's text comes from,
// or nil.
func (l *letter) madeBy(block string) *planning.Edit {
	for i, e := range l.plan.Edits {
		if slices.Contains(e.Made, block) {
			return &l.plan.Edits[i]
		}
	}
	return nil
}

// lastEditor is who changed the block's text last, or else otherwise.
func (l *letter) lastEditor(block, otherwise string) string {
	for _, e := range l.plan.Edits {
		if slices.Contains(e.Made, block) {
			otherwise = e.By.Name
		}
	}
	return otherwise
}

// reviewersOwn tells whether the block was never the agent's.
func (l *letter) reviewersOwn(block string) bool {
	e := l.madeBy(block)
	return e != nil && (e.Op == planning.EditInsert || e.Step != block)
}

// order names the steps by the numbers that the agent gave them.
func order(places []place) string {
	var numbers []string
	for _, p := range places {
		switch {
		case p.block.Kind != document.Step:
		case p.block.Origin > 0:
			numbers = append(numbers, fmt.Sprint(p.block.Origin))
		default:
			numbers = append(numbers, "new")
		}
	}
	return strings.Join(numbers, ", ")
}
