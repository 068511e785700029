package review

import (
	"encoding/json"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// notKept stands before what is asked for once more (P27).
const notKept = "Asked for before, and not kept in this version. It still stands; use it word for word."

// place is a block where it is to be: one of the plan, or a step that
// reviewers wrote and the model left out.
type place struct {
	block   planning.Block
	leftOut *planning.Unkept
}

// places are the blocks in the order that reviewers want.
func (l *letter) places() []place {
	list := make([]place, len(l.plan.Blocks))
	for i, b := range l.plan.Blocks {
		list[i].block = b
	}
	for _, u := range l.plan.Outstanding() {
		at := slices.IndexFunc(list, func(p place) bool { return p.block.ID == u.Step })
		switch {
		case u.Op == planning.EditMove && at >= 0:
			moved := list[at]
			list = slices.Delete(list, at, at+1)
			list = slices.Insert(list, l.behind(list, u), moved)
		case u.OfText() && at < 0:
			gone := place{planning.Block{ID: u.Step, Block: document.Block{Kind: document.Step}}, &u}
			list = slices.Insert(list, l.behind(list, u), gone)
		}
	}
	return list
}

// behind is the index at which something belongs.
func (l *letter) behind(list []place, u planning.Unkept) int {
	behind := l.state.Behind(l.plan, u)
	i := slices.IndexFunc(list, func(p place) bool {
		return behind == "" && p.block.Kind == document.Step || behind != "" && p.block.ID == behind
	})
	switch {
	case i < 0:
		return len(list)
	case behind == "":
		return i
	}
	for i++; i < len(list) && list[i].leftOut != nil; i++ { // several that were left out keep their order
	}
	return i
}

// unkept finds what of a block, or of the scope, was asked for and not kept.
func (l *letter) unkept(op planning.EditOp, step string) (planning.Unkept, bool) {
	for _, u := range l.plan.Outstanding() {
		if u.Step == step && (u.Op == op || op == planning.EditRewrite && u.OfText()) {
			return u, true
		}
	}
	return planning.Unkept{}, false
}

// insist asks once more for what this version did not keep of a block.
func (l *letter) insist(p place) {
	b := p.block
	if p.leftOut != nil {
		l.line("\n%s\nA step that you left out was written by %s. Keep it word for word:", notKept, person(p.leftOut.By.Name))
		l.fenced(strings.TrimRight(p.leftOut.Text, "\r\n \t"))
		return
	}
	if u, ok := l.unkept(planning.EditRewrite, b.ID); ok {
		l.line("\n%s\n%s was rewritten by %s. Keep it word for word:", notKept, subject(b.Origin, b.Title), person(u.By.Name))
		l.fenced(strings.TrimRight(u.Text, "\r\n \t"))
	}
	if u, ok := l.unkept(planning.EditDelete, b.ID); ok {
		l.line("\nAsked for before, and not done in this version. It still stands.\n%s was deleted by %s. Leave it out.",
			subject(b.Origin, b.Title), person(u.By.Name))
	}
}

// misplaced tells whether a step is not where a reviewer had put it, or is
// missing, so that its place has to be told.
func (l *letter) misplaced() bool {
	return slices.ContainsFunc(l.plan.Outstanding(), func(u planning.Unkept) bool {
		_, there := l.plan.Block(u.Step)
		return u.Op == planning.EditMove || u.OfText() && !there
	})
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
