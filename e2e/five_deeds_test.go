package e2e

import (
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// deeds are what one of the five may do, with how often they stand in a deck of
// cards that is shuffled and dealt again and again.
var deeds = []struct {
	name  string
	cards int
}{
	{"comment", 3}, {"quote", 2}, {"reply", 2}, {"resolve", 2}, {"rewrite", 3}, {"move", 2}, {"insert", 2},
	{"delete", 1}, {"undo", 2}, {"correct", 2}, {"hasty", 1}, {"reload", 2}, {"offline", 2}, {"cut", 2},
}

func (p *reviewer) does(what string) {
	p.t.Helper()
	p.five.counts.add(what)
	switch what {
	case "comment", "quote", "reply", "correct", "rewrite", "insert":
		if p.starts(what) {
			p.finish(what)
		}
	case "move", "delete":
		p.arranges(what)
	case "resolve":
		kind := []string{"resolve", "reopen"}[p.chance.IntN(2)]
		p.presses(kind, "/"+kind+"$")
	case "undo":
		p.presses("undo", `/undo$`)
	case "hasty":
		p.hurries()
	case "reload":
		p.reloads()
	case "offline":
		p.loses()
	case "cut":
		p.cutOff()
	}
}

// starts opens a form and types into it.
func (p *reviewer) starts(what string) bool {
	p.t.Helper()
	n := p.dice()
	switch what {
	case "rewrite":
		return p.opens(eval[string](p.browser, fmt.Sprintf(`five.edit(%d)`, n)), "rewritten") && p.write(what, `"keep"`, "\n\n")
	case "insert":
		if eval[int](p.browser, `five.steps().length`) > 16 {
			return false
		}
		return p.opens(eval[string](p.browser, fmt.Sprintf(`five.edit(%d)`, n)), "inserted") && p.write(what, `null`, "")
	case "correct":
		return eval[bool](p.browser, fmt.Sprintf(`five.said(%d) !== null`, n)) && p.write(what, `""`, "")
	case "reply":
		return eval[bool](p.browser, fmt.Sprintf(`five.reply(%d) !== null`, n)) && p.write(what, `null`, "")
	default:
		return eval[bool](p.browser, fmt.Sprintf(`five.comment(%d, %v) !== null`, n, what == "quote")) && p.write(what, `null`, "")
	}
}

// opens waits for the form of an edit, which "Rewrite" has been pressed for.
// The step may go away meanwhile.
func (p *reviewer) opens(step, op string) bool {
	p.t.Helper()
	if step == "" {
		return false
	}
	if !p.within(3*time.Second, fmt.Sprintf(`five.takeEdit(%s, "rewritten") !== null`, quote(step))) {
		p.five.counts.add(op + ": no form")
		p.goesBack()
		return false
	}
	if op == "rewritten" {
		return true
	}
	return eval[bool](p.browser, fmt.Sprintf(`five.more(%s, %s)`, quote(step), quote(op))) &&
		p.within(3*time.Second, fmt.Sprintf(`five.takeEdit(%s, %s) !== null`, quote(step), quote(op)))
}

// goesBack returns to the plan where a page of its own has opened instead: the
// step that one wanted to edit is not there any more.
func (p *reviewer) goesBack() {
	p.t.Helper()
	if !eval[bool](p.browser, `location.pathname.endsWith("/plan")`) {
		p.comesBack()
	}
}

// within tells whether an expression comes true in this time.
func (p *reviewer) within(limit time.Duration, expression string) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok, err := run(p.browser, chromedp.Evaluate[bool](`Boolean(`+expression+`)`)); err == nil && ok {
			return true
		}
	}
	return false
}

// finish sends what is typed, and answers what comes back for as long as
// something does.
func (p *reviewer) finish(what string) string {
	p.t.Helper()
	how := p.send(what)
	for i := 0; i < 4 && (how == "conflict" || how == "sheet"); i++ {
		how = p.chooses(how)
	}
	return how
}

// chooses answers a conflict, or presses once more what came back as a dialog.
func (p *reviewer) chooses(how string) string {
	p.t.Helper()
	if how == "sheet" {
		eval[string](p.browser, `five.sheet()`)
		return p.send("again")
	}
	mine := eval[string](p.browser, `five.conflict()`)
	switch p.chance.IntN(3) {
	case 0:
		p.five.counts.add("conflict: keep theirs")
		eval[bool](p.browser, `(five.theirs(), true)`)
		p.mark(mine, givenUp)
		return "theirs"
	case 1:
		p.five.counts.add("conflict: put mine")
		return p.await("conflict", eval[string](p.browser, `five.send("")`))
	}
	p.five.counts.add("conflict: edit both into one")
	eval[string](p.browser, `five.send("both")`)
	if !p.within(patience, `five.sheet() !== null`) {
		p.t.Errorf("%s: both texts did not come", p.name)
		return "lost"
	}
	eval[bool](p.browser, `(five.merge(`+quote(mine)+`), true)`)
	return p.send("merge")
}

// arranges moves or deletes a step.
func (p *reviewer) arranges(what string) {
	p.t.Helper()
	op := what + "d"
	if what == "delete" && eval[int](p.browser, `five.steps().length`) < 8 {
		return
	}
	step := eval[string](p.browser, fmt.Sprintf(`five.edit(%d)`, p.dice()))
	if !p.opens(step, op) || what == "move" && !eval[bool](p.browser, fmt.Sprintf(`five.moveTo(%d)`, p.dice())) {
		return
	}
	how := p.send(what)
	for i := 0; i < 3 && how == "sheet"; i++ {
		how = p.chooses(how)
	}
	p.deeds = append(p.deeds, deed{op, step, how == "done"})
	if how == "sheet" || how == "conflict" {
		p.comesBack()
	}
}
