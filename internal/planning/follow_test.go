package planning

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning/document"
)

// placed is a thread and where a careful person would put it in each later
// version.
type placed struct {
	on    int    // the version that it is made on
	step  int    // number of the step there
	quote string // words quoted from the step
	path  string // the number of its step in each later version; "-" stands for Detached
	gone  int    // the version in which the quoted words are no longer there; 0 if they stay
	why   string
}

// The plans are in testdata; descent.tsv beside them says which step came of
// which.
func TestReview_R4_EachThreadIsWhereItBelongs(t *testing.T) {
	for name, c := range map[string]struct {
		versions int
		threads  []placed
	}{
		"attachments": {5, attachmentThreads},
		"scheduler":   {3, schedulerThreads},
		"login":       {3, loginThreads},
		"limiter":     {3, limiterThreads},
		"invoice":     {2, invoiceThreads},
		"report":      {2, reportThreads},
		"search":      {2, searchThreads},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRounds(t)
			for v := 1; v <= c.versions; v++ {
				r.submit(planText(t, name, v))
				for n, want := range c.threads {
					if want.on < v {
						r.check(n, want, v)
					} else if want.on == v {
						r.open(n, want)
					}
				}
				r.sendBack()
			}
		})
	}
}

func planText(t *testing.T, name string, version int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("testdata/%s/v%d.md", name, version))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rounds is a session in which one version after the other is sent back.
type rounds struct {
	t *testing.T
	s State
}

func newRounds(t *testing.T) *rounds {
	r := &rounds{t: t}
	for _, p := range created(ModePlan) {
		r.add(p)
	}
	return r
}

func (r *rounds) add(p Payload) {
	r.t.Helper()
	rec, err := NewRecord("x", r.s.Seq+1, time.Unix(r.s.Seq, 0), Event{ana, p})
	if err != nil {
		r.t.Fatal(err)
	}
	if r.s, err = r.s.Apply(rec); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rounds) submit(markdown string) Plan {
	r.t.Helper()
	call := fmt.Sprintf("c%d", len(r.s.Plans)+1)
	r.add(ModelMessage{Calls: []ToolCall{{ID: call, Name: "submit_plan"}}, Seen: r.s.Seq})
	p, err := NewVersion(r.s, markdown, Scope{})
	if err != nil {
		r.t.Fatal(err)
	}
	p.Call = call
	r.add(p)
	r.add(RunParked{Wait: WaitReview})
	plan, _ := r.s.Plan()
	return plan
}

func (r *rounds) sendBack() {
	r.t.Helper()
	p, _ := r.s.Plan()
	r.add(ReviewDecided{Version: p.Version, SHA256: p.SHA256, Verdict: VerdictRequestChanges, Call: p.Call})
}

func (r *rounds) open(n int, want placed) {
	r.t.Helper()
	p, _ := r.s.Plan()
	b := p.Steps()[want.step-1]
	if want.quote != "" && !document.Holds(p.Text(b), want.quote) {
		r.t.Fatalf("step %d of version %d does not say %q:\n%s", want.step, p.Version, want.quote, p.Text(b))
	}
	r.add(ThreadOpened{Thread: fmt.Sprint(n), Version: p.Version, Step: b.ID, Quote: want.quote, Body: want.why})
}

func (r *rounds) check(n int, want placed, version int) {
	r.t.Helper()
	p, _ := r.s.Plan()
	th, _ := r.s.Thread(fmt.Sprint(n))
	path := strings.Fields(want.path)
	place := path[version-want.on-1]
	got := "-"
	if b, ok := p.Block(th.Step); ok {
		got = fmt.Sprint(b.Number)
	}
	if got != place || th.Detached != (place == "-") {
		r.t.Errorf("made on step %d of version %d (“%s”): on step %s of version %d, detached %v; it should be on %s: %s",
			want.step, want.on, th.StepTitle, got, version, th.Detached, place, want.why)
	}
	if th.Detached && !strings.Contains(th.OldText, r.lastText(th)) {
		r.t.Errorf("“%s”: Detached keeps %q", th.StepTitle, th.OldText)
	}
	gone := want.gone
	if gone > version {
		gone = 0
	}
	if th.QuoteGone != gone || (gone > 0) != document.Holds(th.QuotedIn, want.quote) && want.quote != "" {
		r.t.Errorf("made on step %d of version %d, quoting %q: in version %d the quote is gone since %d, want %d; it was in %q",
			want.step, want.on, want.quote, version, th.QuoteGone, gone, th.QuotedIn)
	}
}

// lastText is the text of a thread's step in the last version that had it.
func (r *rounds) lastText(th Thread) string {
	text := "it was never there"
	for _, p := range r.s.Plans {
		if b, ok := p.Block(th.Step); ok {
			text = p.Text(b)
		}
	}
	return text
}
