package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// edits lists the reviewers' own changes, each text once, as it ended up.
func (l *letter) edits() {
	reordered := false
	for i := 0; i < len(l.plan.Blocks); {
		first := l.madeBy(l.plan.Blocks[i].ID)
		if first == nil {
			i++
			continue
		}
		// One edit may have made several blocks; they are told as one text.
		text, by := "", first.By.Name
		for ; i < len(l.plan.Blocks) && l.madeBy(l.plan.Blocks[i].ID) == first; i++ {
			text += l.plan.Text(l.plan.Blocks[i])
			by = l.lastEditor(l.plan.Blocks[i].ID, by)
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
	l.scope("\nWhat the plan may change and run was set by %s. Submit it with exactly this:")
	if reordered {
		l.line("\nThe steps are now, in this order: %s.", l.order())
	}
}

// scope says what the reviewers made of the scope, if it is another one now, in
// the words of the tool that submits it.
func (l *letter) scope(format string) {
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

// submittedAs is a scope as JSON, as submit_plan takes it.
func submittedAs(scope planning.Scope) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	lists := struct {
		Files    []string `json:"files"`
		Commands []string `json:"commands"`
	}{full(scope.Files), full(scope.Commands)}
	if err := e.Encode(lists); err != nil { // strings always encode
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
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
func (l *letter) order() string {
	var numbers []string
	for _, b := range l.plan.Blocks {
		switch {
		case b.Kind != document.Step:
		case b.Origin > 0:
			numbers = append(numbers, fmt.Sprint(b.Origin))
		default:
			numbers = append(numbers, "new")
		}
	}
	return strings.Join(numbers, ", ")
}
