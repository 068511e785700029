package e2e

import (
	"fmt"
	"strings"
	"time"
)

// hurries goes on typing while a comment is being sent. What the field takes
// must not be lost.
func (p *reviewer) hurries() {
	p.t.Helper()
	if !p.starts("comment") {
		return
	}
	n := p.next("hasty")
	answer := eval[[]any](p.browser, `five.hasty(`+quote(" "+n.text)+`)`)
	if took, _ := answer[1].(bool); !took {
		n.state = givenUp // the page did not let them type
	}
	sent, _ := answer[0].(string)
	p.await("hasty", sent)
}

// reloads types, and loads the page anew in the middle of it.
func (p *reviewer) reloads() {
	p.t.Helper()
	if !p.starts([]string{"comment", "reply", "rewrite", "insert", "correct"}[p.chance.IntN(5)]) {
		return
	}
	time.Sleep(time.Duration(p.chance.IntN(300)) * time.Millisecond)
	p.comesBack()
	if p.chance.IntN(2) == 0 {
		p.sendsLater("reload")
	}
}

// comesBack loads the page anew: all that they typed is there again.
func (p *reviewer) comesBack() {
	p.t.Helper()
	p.open(p.page)
	p.until(p.name+": a page", `globalThis.five?.shows().version > 0`)
	p.finds("after a reload")
}

// finds checks that every text that was not acknowledged can still be read.
func (p *reviewer) finds(when string) {
	p.t.Helper()
	for _, n := range p.notes {
		if n.state != typed {
			continue
		}
		if !p.within(10*time.Second, `!["", "kept"].includes(five.where(`+quote(n.text)+`))`) {
			where := eval[string](p.browser, `five.where(`+quote(n.text)+`)`)
			p.t.Errorf("R6: %s: %q of %s (%s) is in no field (it is in %q)", when, n.text, p.name, n.what, where)
		}
	}
}

// sendsLater sends a text that was left, wherever it stands now.
func (p *reviewer) sendsLater(what string) {
	p.t.Helper()
	for _, n := range p.notes {
		if n.state == typed && eval[string](p.browser, `five.where(`+quote(n.text)+`)`) != "kept" {
			p.finish(what)
			return
		}
	}
}

// loses types without a connection, presses the button, and once more when the
// connection is back.
func (p *reviewer) loses() {
	p.t.Helper()
	if !p.starts([]string{"comment", "reply", "rewrite"}[p.chance.IntN(3)]) {
		return
	}
	p.wire.pull()
	p.until(p.name+": the banner", `document.querySelector("#connection .banner")`)
	how := p.send("offline")
	if !strings.HasPrefix(how, "refused") {
		p.t.Errorf("%s sent without a connection, and the page says %q", p.name, how)
	}
	eval[string](p.browser, fmt.Sprintf(`five.edit(%d)`, p.dice())) // what can't be opened now leaves the page alone
	p.starts("comment")                                             // and a comment is typed all the same
	time.Sleep(time.Duration(p.chance.IntN(2000)) * time.Millisecond)
	p.wire.plug()
	p.until(p.name+": the connection", `five.shows().live`)
	p.five.counts.add("reconnection")
	p.sendsLater("offline")
}

// cutOff loses the connection in the moment of sending: nobody knows whether
// it has arrived. One presses again, and it is there once.
func (p *reviewer) cutOff() {
	p.t.Helper()
	if !p.starts([]string{"comment", "reply", "rewrite", "insert"}[p.chance.IntN(4)]) {
		return
	}
	sent := eval[string](p.browser, `five.send()`)
	time.Sleep(time.Duration(p.chance.IntN(25)) * time.Millisecond)
	p.wire.pull()
	how := p.await("cut", sent)
	time.Sleep(time.Duration(p.chance.IntN(500)) * time.Millisecond)
	p.wire.plug()
	p.five.counts.add("reconnection")
	if strings.HasPrefix(how, "refused") {
		p.until(p.name+": the connection", `five.shows().live`)
		p.finish("cut again")
	}
}
