package review

import (
	"strings"
	"testing"

	"countersign/internal/planning"
)

func TestReview_R3_ARewriteThatMadeTwoStepsIsToldWhole(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. First half\n3. Second half"}))
	if n := len(d.plan().Steps()); n != 5 {
		t.Fatalf("%d steps, want 5", n)
	}
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(3).ID, Markdown: "3. Second half, better"}))
	got := Feedback(d.s, ana, planning.VerdictRequestChanges, "")
	if !strings.Contains(got, "Step 2 `Skip paused jobs` was rewritten by Chen. Keep it word for word:\n```\n2. First half\n3. Second half, better\n```\n") {
		t.Errorf("the feedback lacks a part of the rewrite:\n%s", got)
	}
	if strings.Count(got, "word for word") != 1 || strings.Contains(got, "in this order") {
		t.Errorf("one rewrite is told as several:\n%s", got)
	}
}

func TestReview_R3_WhatWasUndoneIsNotTold(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Something else"}))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(1).ID, Markdown: "1. Store the state"}))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditInsert, After: d.step(1).ID, Markdown: "New"}))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditDelete, Step: d.step(2).ID}))
	if got := Feedback(d.s, ana, planning.VerdictRequestChanges, ""); strings.Contains(got, "word for word") || strings.Contains(got, "deleted") {
		t.Errorf("the feedback tells what was undone:\n%s", got)
	}
}

// Texts that come to stand together become one block; every step keeps its id.
func TestReview_R4_MovingBetweenTextsKeepsIdentities(t *testing.T) {
	const plan = "# T\n\nIntro.\n\n1. Alpha\n\nBetween one.\n\n2. Beta\n\nBetween two.\n\n3. Gamma\n"
	for name, e := range map[string]func(d *desk) NewEdit{
		"move":   func(d *desk) NewEdit { return NewEdit{Op: planning.EditMove, Step: d.step(2).ID, After: d.step(3).ID} },
		"delete": func(d *desk) NewEdit { return NewEdit{Op: planning.EditDelete, Step: d.step(2).ID} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 1)
			d.submit(plan)
			before := map[string]string{}
			for _, b := range d.plan().Steps() {
				before[b.Title] = b.ID
			}
			d.comment(bo, "t", 3, "on gamma")
			d.ok(d.edit(bo, e(d)))
			for _, b := range d.plan().Steps() {
				if before[b.Title] != b.ID || b.Pinned != "" || b.Change == planning.ChangeNew {
					t.Errorf("%s is now %s (pinned by %q, %s), it was %s", b.Title, b.ID, b.Pinned, b.Change, before[b.Title])
				}
			}
			if th, _ := d.s.Thread("t"); th.Detached {
				t.Error("the thread on Gamma is detached")
			}
		})
	}
}

func TestPlan_P27_APinHoldsOverSeveralVersions(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	id := d.step(2).ID
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: id, Markdown: "2. Leave paused jobs out of the list"}))
	for _, c := range []struct {
		step   string
		broken bool
	}{
		{"2. Leave paused jobs out of that list", true},
		{"2. Leave paused jobs out of that list", true}, // again the same wrong text
		{"2. Leave paused jobs out of the list", false},
	} {
		d.ok(d.verdict(ana, planning.VerdictRequestChanges, "no"))
		d.submit("# Pause jobs\n\n1. Store the state\n" + c.step + "\n3. Add commands\n")
		b, ok := d.plan().Block(id)
		if !ok || b.Pinned != "Bo" || b.Broken != c.broken {
			t.Errorf("version %d, %q: pinned by %q, broken %v, found %v", d.plan().Version, c.step, b.Pinned, b.Broken, ok)
		}
	}
}

func TestPlan_SameText(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"2. Do it\n", "3. Do it", true},
		{"## Step 2: Do it\n\nx\n", "## Step 3: Do it\n\nx", true},
		{"**2.** Do it", "**3.** Do it", true},
		{"- [ ] Keep 30 days", "- [ ] Keep 1 days", false},
		{"2. Keep 30 days", "2. Keep 1 days", false},
		{"## Keep 30 days", "## Keep 1 days", false},
		{"Port 80", "Port 81", false},
	} {
		if got := planning.SameText(c.a, c.b); got != c.same {
			t.Errorf("SameText(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
