package review

import (
	"strings"
	"testing"

	"countersign/internal/planning"

	"github.com/google/go-cmp/cmp"
)

func TestReview_R3_FeedbackIsWordForWord(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.comment(bo, "t1", 2, "What if it was paused\nwhile already running?")
	d.ok(Reply(d.s, chen, "t1", "Let it finish, I'd say."))
	d.comment(ana, "t2", 0, "Shorter, please.")
	d.ok(Comment(d.s, ana, NewComment{Thread: "t3", Version: 1, Step: d.step(4).ID, Quote: "Write tests", Body: "Also across a restart."}))
	d.comment(ana, "t4", 1, "Settled among us.")
	d.ok(Resolve(d.s, bo, "t4"))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(3).ID, Markdown: "3. Commands, ```idempotent```"}))

	const want = "The plan was reviewed by Ana, Bo and Chen. Please change it and submit it again with submit_plan.\n" +
		"Whatever stands between two lines of backticks is a quotation.\n" +
		"\nOn the plan as a whole:\nAna wrote:\n```\nShorter, please.\n```\n" +
		"\nOn step 2 `Skip paused jobs`:\nBo wrote:\n```\nWhat if it was paused\nwhile already running?\n```\nChen wrote:\n```\nLet it finish, I'd say.\n```\n" +
		"\nOn step 4 `Write tests`:\nQuoted from it:\n```\nWrite tests\n```\nAna wrote:\n```\nAlso across a restart.\n```\n" +
		"\nStep 3 `Add commands` was rewritten by Bo. Keep it word for word:\n````\n3. Commands, ```idempotent```\n````\n" +
		"\nNote from Bo:\n```\nThanks!\n```\n"
	preview := Feedback(d.s, bo, planning.VerdictRequestChanges, "Thanks!")
	if diff := cmp.Diff(want, preview); diff != "" {
		t.Errorf("feedback (-want +got):\n%s", diff)
	}
	d.ok(d.verdict(bo, planning.VerdictRequestChanges, "Thanks!"))
	if got := d.plan().Decision.Result; got != preview {
		t.Errorf("the agent gets something else than the page showed:\n%s", cmp.Diff(preview, got))
	}
}

func TestReview_R3_EachEditIsToldOnceAsItEndedUp(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. First try"}))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Second try"}))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditDelete, Step: d.step(2).ID}))
	d.ok(d.edit(ana, NewEdit{Op: planning.EditInsert, After: d.step(2).ID, Markdown: "Look again"}))
	d.ok(d.edit(ana, NewEdit{Op: planning.EditMove, Step: d.step(1).ID, After: d.step(4).ID}))
	got := Feedback(d.s, ana, planning.VerdictRequestChanges, "")
	for _, want := range []string{
		"Step 1 `Store the state` was rewritten by Chen. Keep it word for word:\n```\n1. Second try\n```\n",
		"Step 2 `Skip paused jobs` was deleted by Bo. Leave it out.\n",
		"A step was inserted by Ana. Keep it word for word:\n",
		"Look again",
		"The steps are now, in this order: 3, new, 4, 1.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the feedback lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "First try") || strings.Count(got, "was rewritten") != 1 {
		t.Errorf("an edit that was overtaken is told:\n%s", got)
	}
}

func TestPlan_P26_ApprovedAsRewritten(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go", "b.go")
	d.comment(bo, "t1", 1, "Mind the old rows.")
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Leave paused jobs out"}))
	d.ok(d.verdict(ana, planning.VerdictApprove, ""))
	result := d.plan().Decision.Result
	for _, want := range []string{
		"Approved by Ana. Carry out exactly this plan now.\n",
		"This is the final text:\n```\n" + d.plan().Markdown + "```\n",
		"Only these files may be changed: `a.go`, `b.go`\n",
		"On step 1 `Store the state`:\nBo wrote:\n```\nMind the old rows.\n```\n",
	} {
		if !strings.Contains(result, want) {
			t.Errorf("the agent does not get %q:\n%s", want, result)
		}
	}
}

func TestReview_R4_WhatBecameOfEachComment(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.comment(bo, "changed", 2, "Which jobs?")
	d.comment(bo, "ignored", 3, "Why?")
	d.comment(bo, "gone", 4, "No tests, please.")
	d.comment(bo, "whole", 0, "Shorter.")
	first := d.plan()
	ids := map[int]string{1: d.step(1).ID, 2: d.step(2).ID, 3: d.step(3).ID}
	d.ok(d.verdict(ana, planning.VerdictRequestChanges, ""))
	d.submit("# Pause jobs\n\nWhy we do it.\n\n1. Add commands\n2. Store the state\n3. Skip paused jobs when they are due\n")

	second := d.plan()
	for number, want := range map[int]string{1: ids[3], 2: ids[1], 3: ids[2]} {
		if got := d.step(number).ID; got != want {
			t.Errorf("step %d has id %s, want %s", number, got, want)
		}
	}
	if d.step(1).Was != 3 || d.step(1).Change != planning.ChangeNone || d.step(3).Change != planning.ChangeText {
		t.Errorf("steps: %+v", second.Steps())
	}
	check := func(id string, answered int, detached, open bool) {
		t.Helper()
		th, _ := d.s.Thread(id)
		if th.Answered != answered || th.Detached != detached || th.Open() != open {
			t.Errorf("thread %s: answered %d, detached %v, open %v", id, th.Answered, th.Detached, th.Open())
		}
	}
	check("changed", 2, false, false)
	check("ignored", 0, false, true)
	check("gone", 2, true, false)
	check("whole", 0, false, true)
	if got := Markdown(d.s, nil); !strings.Contains(got, "On the plan as a whole (open; the plan changed in version 2):") {
		t.Errorf("the history does not say what became of the comment on the plan:\n%s", got)
	}
	if th, _ := d.s.Thread("gone"); th.OldText != first.Text(first.Steps()[3]) {
		t.Errorf("the detached thread keeps %q", th.OldText)
	}
	if got := Feedback(d.s, ana, planning.VerdictRequestChanges, ""); !strings.Contains(got, "On step 1 `Add commands`, opened on version 1:\nBo wrote in an earlier round:\n```\nWhy?\n```\n") ||
		!strings.Contains(got, "On the plan as a whole, opened on version 1:\nBo wrote in an earlier round:\n```\nShorter.\n```\n") || strings.Contains(got, "Which jobs?") {
		t.Errorf("the next round carries what is answered, or lacks what is open:\n%s", got)
	}
}

func TestPlan_P27_RewrittenStepsAreHeldAgainstTheNextVersion(t *testing.T) {
	for name, c := range map[string]struct {
		step   string
		broken bool
	}{
		"kept":               {"2. Leave *paused* jobs out", false},
		"kept, renumbered":   {"3. Leave *paused* jobs out", false},
		"changed by a blank": {"2. Leave  *paused* jobs out", true},
		"changed by a word":  {"2. Leave *all paused* jobs out", true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 1)
			d.submit(firstPlan)
			id := d.step(2).ID
			d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: id, Markdown: "2. Leave *paused* jobs out"}))
			d.ok(d.verdict(ana, planning.VerdictRequestChanges, ""))
			d.submit("# Pause jobs\n\n1. Store the state\n" + c.step + "\n")
			b, ok := d.plan().Block(id)
			if !ok || b.Pinned != "Bo" || b.Broken != c.broken {
				t.Errorf("block %+v, found %v; want it pinned by Bo, broken %v", b, ok, c.broken)
			}
		})
	}
}
