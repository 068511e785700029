package e2e

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/five.js
var fiveScript string

// reviewer is one of the five, with a browser and a cable of their own.
type reviewer struct {
	*browser
	five   *five
	name   string // as their notes begin
	actor  string // as the log calls them
	page   string // address of the plan, over the cable
	wire   *wire
	chance *rand.Rand
	number int // of notes so far
	notes  []*note
	deeds  []deed // those without words
}

// note is a text that somebody typed, and what they know of it.
type note struct {
	what  string // the deed that it belongs to
	text  string
	state noteState
}

type noteState string

const (
	typed   noteState = "typed"    // nothing was acknowledged: it must still be there
	acked   noteState = "acked"    // the page took it
	givenUp noteState = "given up" // by its author, in a conflict
)

// deed is something without words: what was done, to what.
type deed struct {
	kind, what string
	acked      bool
}

// everyPage runs a script at the start of every page to come.
func (b *browser) everyPage(script string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.t.Fatal(err)
	}
}

// next is a new text of this person, unlike all others.
func (p *reviewer) next(what string) *note {
	p.number++
	n := &note{what: what, text: fmt.Sprintf("%s-%d: typed in pieces, the end.", p.name, p.number), state: typed}
	p.notes = append(p.notes, n)
	return n
}

// write types a new text into the field that the page has taken, in pieces, as
// it comes from fingers. Where a text of theirs waits already it writes nothing,
// and that is sent.
func (p *reviewer) write(what, begin, lead string) bool {
	p.t.Helper()
	if strings.Contains(eval[string](p.browser, `five.value()`), ": typed in pieces") && p.holdsOwn() {
		return true
	}
	if !eval[bool](p.browser, `five.begin(`+begin+`)`) {
		p.five.counts.add(what + ": no focus")
		return false
	}
	n := p.next(what)
	text := lead + n.text
	for len(text) > 0 {
		k := min(len(text), 1+p.chance.IntN(12))
		if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text[:k]}); err != nil {
			p.t.Fatal(err)
		}
		text = text[k:]
	}
	if !eval[bool](p.browser, `five.has(`+quote(n.text)+`)`) {
		where := eval[string](p.browser, `five.where(`+quote(n.text)+`)`)
		p.t.Errorf("%s: %s typed %q, and the field has %q (it is in %q)", what, p.name, n.text, eval[string](p.browser, `five.value()`), where)
	}
	return true
}

// holdsOwn tells whether the field has a text of theirs that is not sent.
func (p *reviewer) holdsOwn() bool {
	value := eval[string](p.browser, `five.value()`)
	for _, n := range p.notes {
		if n.state == typed && strings.Contains(value, n.text) {
			return true
		}
	}
	return false
}

// send presses the button and waits for what comes of it. The texts that were
// in the field are acknowledged if the page says so.
func (p *reviewer) send(what string) string {
	p.t.Helper()
	return p.await(what, eval[string](p.browser, `five.send()`))
}

func (p *reviewer) await(what, sent string) string {
	p.t.Helper()
	var how string
	eventually(p.t, p.name+": an answer to "+what, func() bool {
		how = eval[string](p.browser, `five.outcome()`)
		return how != ""
	})
	short, _, _ := strings.Cut(how, ":")
	p.five.counts.add(what + " " + short)
	if how == "done" {
		p.mark(sent, acked)
	}
	if strings.HasPrefix(how, "refused") {
		p.t.Logf("%s: %s: %s", p.name, what, how)
	}
	return how
}

// mark says what has become of the texts of theirs in what was sent.
func (p *reviewer) mark(sent string, state noteState) {
	for _, n := range p.notes {
		if n.state == typed && strings.Contains(sent, n.text) {
			n.state = state
		}
	}
}

// presses does something without words, by a button whose form has an address
// like the pattern.
func (p *reviewer) presses(kind, pattern string) {
	p.t.Helper()
	path := eval[string](p.browser, fmt.Sprintf(`five.button(%s, %d)`, quote(pattern), p.dice()))
	if path == "" {
		return
	}
	how := p.send(kind)
	parts := strings.Split(path, "/")
	p.deeds = append(p.deeds, deed{kind, parts[len(parts)-2], how == "done"})
}

func (p *reviewer) dice() int { return p.chance.IntN(1000) }

// logged is a record of the session, read for the five.
type logged struct {
	eventJSON
	text string // what its author typed
	what string // the thread, step or edit that it is about
}

// logged is the log, with what somebody typed in each record and what it is
// about.
func (f *five) logged() []logged {
	f.t.Helper()
	var all []logged
	for _, e := range f.s.events(f.id) {
		var d struct {
			Body, After, Note, Thread, Step string
			Edit                            int64
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			f.t.Fatal(err)
		}
		l := logged{e, d.Body + d.After + d.Note, d.Thread + d.Step}
		if d.Edit != 0 {
			l.what = fmt.Sprint(d.Edit)
		}
		all = append(all, l)
	}
	return all
}
