package web

import (
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// edits carries one change of a reviewer out, by the page's own form.
func (b *browser) edits(id, step, op string, fields ...string) *browser {
	b.t.Helper()
	return b.open("/sessions/"+id+"/edit?step="+step+"&op="+op).submit("#edit-form", fields...)
}

func TestPlanPage_P27_TheTagSaysWhatAReviewerDid(t *testing.T) {
	b, id, p := inReview(t)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	b.edits(id, stepID(p, 1), "rewritten", "markdown", "## Step 1: Look twice\n")
	b.edits(id, stepID(p, 3), "moved", "after", stepID(p, 1))
	b.edits(id, stepID(p, 2), "inserted", "markdown", "## Step 4: Say so\n")
	plan, _ := b.state(id).Plan()
	added := plan.Steps()[3].ID
	b.open("/sessions/" + id + "/plan")
	for step, want := range map[string]string{
		stepID(p, 1): "rewritten by Olivia", stepID(p, 3): "moved by Olivia", added: "added by Olivia",
	} {
		if got := b.text("#" + step + " .tag.rewrite"); got != want {
			t.Errorf("%s is tagged %q, want %q", step, got, want)
		}
	}
	b.lacks("#" + stepID(p, 2) + " .tag.rewrite")
	bo.edits(id, added, "rewritten", "markdown", "## Step 4: Say it well\n").sees("#"+added+" .tag", "added by Olivia, rewritten by Bo")

	plan, _ = b.state(id).Plan()
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	b.rig.submit(id, plan.Markdown)
	b.open("/sessions/"+id+"/plan").sees("#"+added+" .tag", "added by Olivia, rewritten by Bo · kept word for word")
	b.sees("#"+stepID(p, 1)+" .tag", "rewritten by Olivia · kept word for word").lacks("#" + stepID(p, 3) + " .tag.rewrite")
}

func TestPlanPage_P24_AFileWhoseStepIsGoneIsMarked(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	const markdown = "# Two files\n\n1. Edit `a.go`.\n2. Edit `web/b.go` and pkg/c_test.go.\n3. Look.\n"
	st := r.state(id)
	v, err := planning.NewVersion(st, markdown, planning.Scope{Files: []string{"a.go", "src/web/b.go", "pkg/**", "never.go"}})
	r.must(err)
	v.Call = "c"
	st = r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "submit_plan", Arguments: "{}"}}, Seen: st.Seq}, v, planning.RunParked{Wait: planning.WaitReview})
	p, _ := st.Plan()
	b := r.browse(r.owner).open("/sessions/" + id + "/plan")
	marks := func() (list []string) {
		for _, li := range b.doc.Find("#outline .files").First().Find("li").EachIter() {
			list = append(list, strings.Join(strings.Fields(li.Text()), " "))
		}
		return list
	}
	want := func(what string, list ...string) {
		t.Helper()
		if got := strings.Join(marks(), "|"); got != strings.Join(list, "|") {
			t.Errorf("%s: %q, want %q", what, got, list)
		}
	}
	want("as submitted", "a.go", "src/web/b.go", "pkg/**", "never.go no step names it")
	b.lacks("#bar .chip.warn")
	b.edits(id, stepID(p, 2), "deleted").open("/sessions/" + id + "/plan")
	want("its step deleted", "a.go", "src/web/b.go no step names it any more", "pkg/** no step names it any more", "never.go no step names it")
	b.sees("#bar .chip.warn", "May write 2 files that no step names any more")
	b.edits(id, stepID(p, 1), "rewritten", "markdown", "1. Edit another.").open("/sessions/" + id + "/plan")
	want("its step rewritten", "a.go no step names it any more", "src/web/b.go no step names it any more", "pkg/** no step names it any more", "never.go no step names it")
}

func TestVerdict_R7_OfTwoApprovalsTheFirstDoesNotRun(t *testing.T) {
	r := newRig(t)
	id := read[sessionView](r.api("POST", "/sessions", createBody{Task: "Rename", Approvals: 2}).is(201)).ID
	r.submit(id, samplePlan)
	a, b := r.browse(r.owner), r.browse(r.person("Bo", review.RoleApprover, "bo"))
	a.open("/sessions/"+id+"/plan").sees("#approve-button", "Approve (1 of 2)").lacks("#approved")
	a.submit("#approve").sees("#bar", "1 of 2 approvals").sees("#approved", "You approved this version").lacks("#approve").lacks("#note")
	a.sees(`#bar a[href$="/feedback"]`).open("/").sees("#others .card").lacks("#waiting")
	if title := a.doc.Find("title").Text(); strings.HasPrefix(title, "(") {
		t.Errorf("the title of who has approved is %q", title)
	}
	b.open("/").sees("#waiting .card").open("/sessions/"+id+"/plan").sees("#approve-button", "Approve & run")

	// A rewrite makes the approval stale, and the button comes back.
	p, _ := r.state(id).Plan()
	b.edits(id, stepID(p, 1), "rewritten", "markdown", "## Step 1: Look twice\n").sees("#approve-button", "Approve (1 of 2)")
	a.open("/sessions/"+id+"/plan").sees("#approve-button", "Approve (1 of 2)").lacks("#approved")
	a.open("/").sees("#waiting .card")

	a.open("/sessions/"+id+"/plan?comment="+stepID(p, 2)).submit(`form[action$="/threads"]`, "body", "Open")
	a.submit("#approve").sees("#verdict", "once the others that are needed have come")
	a.submit("#verdict")
	b.open("/sessions/"+id+"/plan").sees("#approve-button", "Approve & run").submit("#approve").sees("#verdict", "runs as it stands").submit("#verdict")
	if p, _ := r.state(id).Plan(); p.Status != planning.PlanApproved {
		t.Errorf("with both approvals the plan is %s", p.Status)
	}
}

func TestPlanPage_R1_CommentIsNamedShortly(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	long := strings.Repeat("very long words ", 30)
	p := r.submit(id, "# Names\n\nLead.\n\n1. Short `code`\n2. "+long+"\n\nBetween: "+long+"\n\nAnd more.\n")
	b := r.browse(r.owner).open("/sessions/" + id + "/plan")
	seen := map[string]bool{}
	for _, block := range p.Blocks {
		name, _ := b.doc.Find("#" + block.ID + ` [data-do="comment"]`).Attr("aria-label")
		if n := len([]rune(name)); n > 62 || seen[name] || !strings.HasPrefix(name, "Comment on ") {
			t.Errorf("%s is called %q, %d characters", block.ID, name, n)
		}
		seen[name] = true
	}
	for _, want := range []string{"Comment on the plan", "Comment on step 1, Short code"} {
		if !seen[want] {
			t.Errorf("nothing is called %q: %v", want, seen)
		}
	}
}

func TestActivity_WhatTheAgentHasNotGotIsMarked(t *testing.T) {
	b, id, _ := inReview(t)
	b.open("/sessions/" + id + "/activity").lacks(".undelivered")
	b.submit("#say", "text", "By the way").sees(".feed .person:last-child .undelivered", "not delivered to the agent yet")
	if n := b.doc.Find(".undelivered").Length(); n != 1 {
		t.Errorf("%d messages are marked, want the last one", n)
	}

	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	b.open("/sessions/" + id + "/activity").sees(".undelivered")
	b.rig.agent(id, planning.ModelMessage{Text: "I see.", Seen: b.state(id).Seq})
	b.open("/sessions/" + id + "/activity").lacks(".undelivered")
}
