package planning

import (
	"strings"
	"testing"
)

// A comment that was answered by leaving its step out is open again when the
// step is back, and "Detached" no longer holds it.
func TestReview_R4_AStepThatIsBackBringsItsThreads(t *testing.T) {
	r := newRounds(t)
	with := "# T\n\n1. Read the lexer and its tests\n2. Drop the table of old tokens\n3. Ship it to the first customers\n"
	r.submit(with)
	r.open(0, placed{step: 2, why: "Leave this out."})
	r.sendBack()
	r.submit(strings.Replace(with, "2. Drop the table of old tokens\n", "", 1))
	if th, _ := r.s.Thread("0"); !th.Detached || th.Answered != 2 || th.Open() {
		t.Errorf("left out: %+v", th)
	}
	r.sendBack()
	p := r.submit(with)
	th, _ := r.s.Thread("0")
	if b, ok := p.Block(th.Step); !ok || b.Number != 2 || b.Change != ChangeNew || th.Detached || th.OldText != "" || !th.Open() {
		t.Errorf("back: %+v on %+v", th, b)
	}
}

// A thread that went to another block with its part of the step was answered
// by that change.
func TestReview_R4_ASplitAnswersAThreadThatMoved(t *testing.T) {
	r := newRounds(t)
	for v := 1; v <= 2; v++ {
		r.submit(planText(t, "attachments", v))
		if v == 1 {
			r.open(0, placed{step: 18, quote: "replication lag", why: "Make this a step."})
			r.sendBack()
		}
	}
	if th, _ := r.s.Thread("0"); th.Answered != 2 || th.Open() || len(th.Trail) != 1 {
		t.Errorf("after the split: %+v", th)
	}
}

// A reviewer cuts a step in two: the thread goes with the words that it
// quotes, and comes back when the cut is undone.
func TestReview_R4_AQuoteFollowsAReviewersCut(t *testing.T) {
	r := newRounds(t)
	p := r.submit("# T\n\n1. Read the lexer. Then write tests for every token.\n2. Ship it\n")
	one := p.Steps()[0].ID
	r.open(0, placed{step: 1, quote: "tests for every token", why: "Which?"})
	r.open(1, placed{step: 1, quote: "Read the lexer", why: "Why?"})
	e, err := ApplyEdit(r.s, PlanEdit{Op: EditRewrite, Step: one, Markdown: "1. Read the lexer.\n2. Write tests for every token.", By: "Ana"})
	if err != nil {
		t.Fatal(err)
	}
	r.add(e)
	number := func(thread string) int {
		p, _ := r.s.Plan()
		th, _ := r.s.Thread(thread)
		b, _ := p.Block(th.Step)
		return b.Number
	}
	if number("0") != 2 || number("1") != 1 {
		t.Errorf("after the cut on steps %d and %d", number("0"), number("1"))
	}
	undone, err := Undo(r.s, r.s.Seq)
	if err != nil {
		t.Fatal(err)
	}
	r.add(undone)
	th, _ := r.s.Thread("0")
	if number("0") != 1 || number("1") != 1 || len(th.Trail) != 0 || th.Detached || th.QuoteGone != 0 {
		t.Errorf("after undoing it: %+v", th)
	}
}

// A reviewer's rewrite takes the quoted words out of the step: the thread
// stays there and keeps what it quoted from; put in again, they are there.
func TestReview_R4_AQuoteThatARewriteTakesOut(t *testing.T) {
	r := newRounds(t)
	p := r.submit("# T\n\n1. Read the lexer twice\n2. Ship it\n")
	one := p.Steps()[0].ID
	r.open(0, placed{step: 1, quote: "twice", why: "Once."})
	for _, c := range []struct {
		text string
		gone int
		in   string
	}{{"1. Read the lexer once", 1, "1. Read the lexer twice\n"}, {"1. Read the lexer, **twice**", 0, ""}} {
		e, err := ApplyEdit(r.s, PlanEdit{Op: EditRewrite, Step: one, Markdown: c.text, By: "Ana"})
		if err != nil {
			t.Fatal(err)
		}
		r.add(e)
		if th, _ := r.s.Thread("0"); th.Step != one || th.Detached || th.QuoteGone != c.gone || th.QuotedIn != c.in {
			t.Errorf("%q: %+v", c.text, th)
		}
	}
}

// A step that a reviewer rewrote and the model merged into another one was not
// kept; the one that it went into has no pin of its own.
func TestPlan_P27_ARewriteThatWasMergedIsLeftOut(t *testing.T) {
	r := newRounds(t)
	p := r.submit(planText(t, "attachments", 2))
	one := p.Steps()[19].ID
	e, err := ApplyEdit(r.s, PlanEdit{Op: EditRewrite, Step: one, By: "Ana", Markdown: "## Step 20: Let the copy go on where it stopped\n\n" +
		"The last finished id is kept in the table `backfill_progress`. Starting `cmd/backfill` again begins behind it. Starting it twice at once fails on an advisory lock."})
	if err != nil {
		t.Fatal(err)
	}
	r.add(e)
	r.sendBack()
	p = r.submit(planText(t, "attachments", 3))
	if list := p.LeftOut(); len(list) != 1 || list[0].Step != one || len(p.Outstanding()) != 1 {
		t.Errorf("left out: %+v, not kept: %+v", list, p.Outstanding())
	}
}
