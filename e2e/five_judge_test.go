package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// judge holds the log, the pages and what people know against each other.
func (f *five) judge() {
	f.t.Helper()
	log := f.logged()
	for _, p := range f.people {
		p.actsOnce(log)
		p.finds("in the end")
	}
	f.nothingElse(log)
	f.lettersAsShown(log)
	f.samePages()
}

// actsOnce: what the page acknowledged is in the log once, and what it did not
// acknowledge is there at most once.
func (p *reviewer) actsOnce(log []logged) {
	p.t.Helper()
	for _, n := range p.notes {
		times := 0
		for _, l := range log {
			if l.Actor.Name == p.actor && strings.Contains(l.text, n.text) {
				times++
			}
		}
		if times > 1 || times == 0 && n.state == acked {
			p.t.Errorf("%q of %s, which is %s, is in the log %d times", n.text, p.name, n.state, times)
		}
	}
	for _, d := range p.deeds {
		least, most := 0, 0
		for _, other := range p.deeds {
			if other.kind == d.kind && other.what == d.what {
				most++
				if other.acked {
					least++
				}
			}
		}
		times := 0
		for _, l := range log {
			if l.Actor.Name == p.actor && l.Kind == kindOf[d.kind] && l.what == d.what {
				times++
			}
		}
		if times < least || times > most {
			p.t.Errorf("%s did %s to %s %d times, acknowledged %d times, and it is in the log %d times", p.name, d.kind, d.what, most, least, times)
		}
	}
}

var kindOf = map[string]string{
	"resolve": "thread.resolved", "reopen": "thread.reopened", "undo": "edit.undone", "moved": "step.moved", "deleted": "step.deleted",
}

// nothingElse: every record of a person comes from something that they did.
func (f *five) nothingElse(log []logged) {
	f.t.Helper()
	for _, l := range log {
		i := slices.IndexFunc(f.people, func(p *reviewer) bool { return p.actor == l.Actor.Name })
		if i < 0 || slices.Contains([]string{"session.created", "user.message", "review.decided"}, l.Kind) {
			continue
		}
		p := f.people[i]
		byWords := slices.ContainsFunc(p.notes, func(n *note) bool { return strings.Contains(l.text, n.text) })
		byDeed := slices.ContainsFunc(p.deeds, func(d deed) bool { return kindOf[d.kind] == l.Kind && d.what == l.what })
		if !byWords && !byDeed {
			f.t.Errorf("%s did not do this: %d %s %s", p.name, l.Seq, l.Kind, l.Data)
		}
	}
}

// lettersAsShown: each feedback that was sent is, byte for byte, the result of
// the call that the agent waited on.
func (f *five) lettersAsShown(log []logged) {
	f.t.Helper()
	var got []letter
	for i, d := range of[struct{ Result string }](f.t, f.s.events(f.id), "review.decided") {
		by := ""
		if n := i; n < len(f.letters) {
			by = f.letters[n].by
		}
		got = append(got, letter{by, d.Result})
	}
	if d := cmp.Diff(f.letters, got, cmp.AllowUnexported(letter{})); d != "" {
		f.t.Errorf("R3: what the pages showed and what the agent got (+):\n%s", d)
	}
}

// samePages: all pages show the same, and so does a page that is loaded anew.
func (f *five) samePages() {
	f.t.Helper()
	fresh := f.people[0].tab(f.people[0].page)
	fresh.everyPage(fiveScript)
	fresh.open(f.people[0].page)
	fresh.until("a live page", `five.shows().live`)
	want := eval[[]string](fresh, `five.picture()`)
	if len(want) < 10 {
		f.t.Errorf("the page shows only %q", want)
	}
	for _, p := range f.people {
		var got []string
		if !p.within(10*time.Second, `JSON.stringify(five.picture()) === JSON.stringify(`+list(want)+`)`) {
			got = eval[[]string](p.browser, `five.picture()`)
			f.t.Errorf("a fresh page, and (+) the page of %s:\n%s", p.name, cmp.Diff(want, got))
		}
	}
	for _, p := range f.people {
		p.comesBack()
		if got := eval[[]string](p.browser, `five.picture()`); !slices.Equal(got, want) {
			f.t.Errorf("a fresh page, and (+) the page of %s after a reload:\n%s", p.name, cmp.Diff(want, got))
		}
	}
}

func (f *five) report(took time.Duration) {
	f.t.Helper()
	var lines []string
	for what, n := range f.counts.of {
		lines = append(lines, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(lines)
	all, known := 0, 0
	for _, p := range f.people {
		all += len(p.notes)
		for _, n := range p.notes {
			if n.state == acked {
				known++
			}
		}
	}
	f.t.Logf("%v, %d texts typed, %d acknowledged, %d versions, %d records\n%s", took.Round(time.Second), all, known,
		len(of[object](f.t, f.s.events(f.id), "plan.submitted")), len(f.s.events(f.id)), strings.Join(lines, "\n"))
}

func list(lines []string) string {
	quoted := make([]string, len(lines))
	for i, l := range lines {
		quoted[i] = quote(l)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
