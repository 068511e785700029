package review

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// again sends the plan back and hands in the next version.
func (d *desk) again(markdown string, files ...string) planning.Plan {
	d.t.Helper()
	d.ok(d.verdict(ana, planning.VerdictRequestChanges, ""))
	return d.submit(markdown, files...)
}

// letter is what the agent would get now.
func (d *desk) letter() string { return Feedback(d.s, ana, planning.VerdictRequestChanges, "") }

func (d *desk) says(want ...string) {
	d.t.Helper()
	for _, w := range want {
		if !strings.Contains(d.letter(), w) {
			d.t.Errorf("the letter lacks %q:\n%s", w, d.letter())
		}
	}
}

func (d *desk) release(by Person, step string, of planning.EditOp) ([]planning.Event, error) {
	return Release(d.s, by, NewRelease{Version: d.plan().Version, Step: step, Of: of})
}

// outstanding are the ops of what still stands.
func (d *desk) outstanding() string {
	var ops []string
	for _, u := range d.plan().Outstanding() {
		ops = append(ops, string(u.Op))
	}
	return strings.Join(ops, " ")
}

func (d *desk) stands(want string) {
	d.t.Helper()
	if got := d.outstanding(); got != want {
		d.t.Errorf("version %d: outstanding %q, want %q", d.plan().Version, got, want)
	}
}

const insisting = "Asked for before, and not kept in this version. It still stands; use it word for word.\n"

func TestPlan_P27_WhatWasNotKeptIsAskedForAgainUntilItIs(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Leave paused jobs out of `Next`"}))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditInsert, After: d.step(2).ID, Markdown: "3. Ask the people who run it"}))
	for range 2 { // it is as stubborn twice
		d.again("# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Leave paused jobs out of the list\n3. Add commands\n4. Write tests\n")
		d.stands("rewritten inserted")
		d.says(insisting+"Step 2 `Leave paused jobs out of the list` was rewritten by Bo. Keep it word for word:\n```\n2. Leave paused jobs out of `Next`\n```\n",
			insisting+"A step that you left out was written by Chen. Keep it word for word:\n```\n3. Ask the people who run it\n```\n",
			"The steps are to be, in this order: 1, 2, new, 3, 4.")
	}
	d.again("# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Leave paused jobs out of `Next`\n3. Ask the people who run it\n4. Add commands\n5. Write tests\n")
	d.stands("")
	if strings.Contains(d.letter(), "word for word") {
		t.Errorf("it is asked for though it was kept:\n%s", d.letter())
	}
	if b := d.step(3); b.Pinned != "Chen" || b.Broken {
		t.Errorf("the step that came back: %+v", b)
	}
}

func TestPlan_P27_ADeletedStepThatCameBack(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	four := d.step(4).ID
	d.ok(d.edit(bo, NewEdit{Op: planning.EditDelete, Step: four}))
	d.again(firstPlan)
	if d.step(4).ID != four {
		t.Fatalf("it came back as %s, it was %s", d.step(4).ID, four)
	}
	d.stands("deleted")
	d.says("It still stands.\nStep 4 `Write tests` was deleted by Bo. Leave it out.")
	d.ok(d.release(bo, four, ""))
	d.stands("")
	d.again(firstPlan)
	d.stands("")
	if strings.Contains(d.letter(), "deleted") {
		t.Errorf("asked for after its release:\n%s", d.letter())
	}
}

// Another step in the place of a deleted one is not the deleted one.
func TestPlan_P27_AnotherStepIsNotTheDeletedOne(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	d.ok(d.edit(bo, NewEdit{Op: planning.EditDelete, Step: d.step(4).ID}))
	d.again("# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Skip paused jobs\n3. Add commands\n4. Describe the new flag in the manual\n")
	d.stands("")
}

func TestPlan_P27_AMoveThatWasTakenBack(t *testing.T) {
	for name, c := range map[string]struct{ plan, want string }{
		"as it was before": {firstPlan, "moved"},
		"as it was put":    {"# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Write tests\n3. Skip paused jobs\n4. Add commands\n", ""},
		"another moved":    {"# Pause jobs\n\nWhy we do it.\n\n1. Write tests\n2. Skip paused jobs\n3. Add commands\n4. Store the state\n", ""},
		"left out":         {"# Pause jobs\n\nWhy we do it.\n\n1. Store the state\n2. Skip paused jobs\n3. Add commands\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 1)
			d.submit(firstPlan)
			four, one := d.step(4).ID, d.step(1).ID
			d.ok(d.edit(chen, NewEdit{Op: planning.EditMove, Step: four, After: one}))
			d.again(c.plan)
			d.stands(c.want)
			if c.want == "" {
				return
			}
			d.says("The reviewers asked for another order before, and it still stands. The steps are to be, in this order: 1, 4, 2, 3.")
			if behind := d.s.Behind(d.plan(), d.plan().Outstanding()[0]); behind != one {
				t.Errorf("it belongs behind %s, want %s", behind, one)
			}
			d.ok(d.edit(ana, NewEdit{Op: planning.EditMove, Step: four, After: one}))
			d.stands("")
			d.says("The steps are now, in this order: 1, 4, 2, 3.")
		})
	}
}

func TestPlan_P27_AScopeIsAskedForAgain(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go")
	d.ok(d.scope(chen, []string{"c.go"}, nil))
	d.again(firstPlan, "a.go")
	d.again(firstPlan, "a.go")
	d.stands("scope")
	d.says(insisting + "What the plan may change and run was set by Chen. Submit it with exactly this:\n```\n{\n  \"files\": [\n    \"c.go\"")
	d.ok(d.release(chen, "", planning.EditScope))
	d.stands("")
	if d.plan().ScopeKeep != nil || strings.Contains(d.letter(), "c.go") {
		t.Errorf("after its release: %+v\n%s", d.plan().ScopeKeep, d.letter())
	}
	d.ok(d.undo(chen, d.lastEdit()))
	d.stands("scope")
}

func TestPlan_P27_WhoMayTakeTheAgentsText(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	two := d.step(2).ID
	dora := Person{ID: "5", Name: "Dora", Role: RoleReviewer}
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: two, Markdown: "2. Skip paused jobs, always"}))
	d.again(firstPlan)
	for _, p := range []Person{guest, dora} {
		_, err := d.release(p, two, "")
		wantCode(t, p.Name, err, fault.Forbidden)
	}
	_, err := d.release(chen, d.step(1).ID, "")
	wantCode(t, "nothing to release", err, fault.NotFound)
	hash := d.plan().SHA256
	d.ok(d.release(bo, two, planning.EditRewrite))
	d.stands("")
	if b, _ := d.plan().Block(two); b.Pinned != "" || b.Broken || d.plan().SHA256 != hash {
		t.Errorf("after the release: %+v", b)
	}
	_, err = d.release(chen, two, "")
	wantCode(t, "a second time", err, fault.Conflict)
	if !strings.Contains(Markdown(d.s, d.log), "Bo took the agent's text of step 2") {
		t.Errorf("the export does not say so:\n%s", Markdown(d.s, d.log))
	}
	_, err = d.undo(chen, d.lastEdit())
	wantCode(t, "somebody else's release undone", err, fault.Forbidden)
	release := d.lastEdit()
	d.ok(d.undo(bo, release))
	d.stands("rewritten")
	if b, _ := d.plan().Block(two); b.Pinned != "Chen" || !b.Broken {
		t.Errorf("after undoing it: %+v", b)
	}
	d.ok(d.release(chen, two, ""))
	d.again(firstPlan)
	d.stands("")
	if strings.Contains(d.letter(), "Chen") {
		t.Errorf("asked for after its release:\n%s", d.letter())
	}
}

func TestPlan_P27_PuttingATextBackPinsItAnew(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan)
	two := d.step(2).ID
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: two, Markdown: "2. Skip paused jobs, always"}))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditInsert, After: two, Markdown: "3. Ask the people who run it"}))
	inserted := d.step(3).ID
	d.again(firstPlan)
	lost := d.plan().LeftOut()[0]
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: two, Markdown: d.plan().Outstanding()[0].Text}))
	d.ok(d.edit(bo, NewEdit{Op: planning.EditInsert, After: d.s.Behind(d.plan(), lost), Markdown: lost.Text}))
	d.stands("")
	if b := d.step(3); b.ID != inserted || b.Pinned != "Bo" || b.Number != 3 {
		t.Errorf("put back as %+v, it was %s", b, inserted)
	}
	if b, _ := d.plan().Block(two); b.Pinned != "Chen" || b.Broken {
		t.Errorf("rewritten again: %+v", b)
	}
	if strings.Contains(d.letter(), "Asked for before") {
		t.Errorf("the letter insists on what stands in the plan:\n%s", d.letter())
	}
	d.ok(d.undo(bo, d.lastEdit()))
	d.stands("inserted")
}

// Who approves a plan takes it as it is.
func TestPlan_P27_AnApprovalEndsTheInsisting(t *testing.T) {
	d := newDesk(t, 1)
	d.submit(firstPlan, "a.go")
	d.ok(d.edit(chen, NewEdit{Op: planning.EditRewrite, Step: d.step(2).ID, Markdown: "2. Skip paused jobs, always"}))
	d.ok(d.edit(chen, NewEdit{Op: planning.EditDelete, Step: d.step(4).ID}))
	d.ok(d.scope(chen, []string{"c.go"}, nil))
	d.again(firstPlan, "a.go")
	d.stands("rewritten deleted scope")
	d.ok(d.verdict(bo, planning.VerdictApprove, ""))
	d.submit(firstPlan, "a.go")
	d.stands("")
	if b := d.step(2); b.Pinned != "" || b.Broken || d.plan().ScopeKeep != nil {
		t.Errorf("in the version after it: %+v, %+v", b, d.plan().ScopeKeep)
	}
}
