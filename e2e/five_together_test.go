package e2e

import (
	"fmt"
	"sync"
)

// duel lets two people rewrite the same step at the same time. Who saves second
// is asked.
func (f *five) duel(a, b *reviewer) {
	f.t.Helper()
	f.counts.add("duel")
	step := eval[string](a.browser, fmt.Sprintf(`five.steps()[%d %% five.steps().length] ?? ""`, f.chance.IntN(1000)))
	var open, done sync.WaitGroup
	for _, p := range []*reviewer{a, b} {
		open.Add(1)
		done.Go(func() {
			ready := p.opens(eval[string](p.browser, `five.editStep(`+quote(step)+`)`), "rewritten") && p.write("duel", `"keep"`, "\n\n")
			open.Done()
			open.Wait()
			if ready {
				p.finish("duel")
			}
		})
	}
	done.Wait()
}

// sendFeedback looks at the text that the agent would get, and sends just that.
func (p *reviewer) sendFeedback() {
	p.t.Helper()
	f := p.five
	f.counts.add("feedback")
	p.until(p.name+": a plan to decide on", `five.openLetter()`) // the page may be behind
	before := eval[int](p.browser, `five.shows().version`)
	p.until(p.name+": the letter", `five.letter() !== null`)
	if p.chance.IntN(2) == 0 {
		p.write("note", `null`, "")
	}
	p.until(p.name+": the feedback to go", `(() => {
		const text = five.sendLetter();
		if (text) globalThis.sent = [text, five.value()];
		return five.letter() === null && five.shows().version >= `+fmt.Sprint(before)+` })()`)
	sent := eval[[]string](p.browser, `globalThis.sent`)
	p.mark(sent[1], acked)
	f.letters = append(f.letters, letter{p.actor, sent[0]})
	p.until(p.name+": the next version", fmt.Sprintf(`five.shows().version > %d`, before))
}
