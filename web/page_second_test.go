package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

func (b *browser) says(session, step, body string) planning.Thread {
	b.t.Helper()
	b.open("/sessions/"+session+"/plan?comment="+step).submit(`form[action$="/threads"]`, "body", body)
	threads := b.state(session).Threads
	return threads[len(threads)-1]
}

func TestPlanPage_R1_EditAndDeleteOnesOwnComment(t *testing.T) {
	b, id, p := inReview(t)
	thread := b.says(id, stepID(p, 2), "Why?")
	seq := thread.Comments[0].Seq
	form := fmt.Sprintf("#edit-comment-%d form", seq)
	b.lacks("#c-" + fmt.Sprint(seq) + " .agree").lacks(form + " .hint")

	b.submit(form, "body", "  ")
	if b.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", b.status)
	}
	b.sees(fmt.Sprintf("#said-problem-%d", seq), "empty").sees(fmt.Sprintf("#edit-comment-%d[open]", seq))
	b.lacks("#reply-" + thread.ID + "[open]")
	b.submit(form, "body", "Why not **all**?").sees("#t-"+thread.ID+" .said strong", "all").sees("#t-"+thread.ID+" .when", "edited")
	b.sees("#t-"+thread.ID+" .state", "not sent yet")

	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo")).open("/sessions/" + id + "/plan").lacks(form)
	if a := bo.form(fmt.Sprintf("/sessions/%s/threads/%s/comments/%d", id, thread.ID, seq), values("body", "x"), bo.cookie); a.StatusCode != http.StatusForbidden {
		t.Errorf("somebody else edits it: %d", a.StatusCode)
	}
	b.submit(form, "delete", "yes").sees("#t-"+thread.ID, "deleted by Olivia").lacks(form).sees("#bar", "No open comments")
	b.lacks(`form[action$="/reopen"]`)
	b.open("/sessions/"+id+"/history").sees("main", "Why?", "Olivia changed a comment", "Why not **all**?", "Olivia deleted a comment")
}

func TestPlanPage_R3_TheAgentHasItAlready(t *testing.T) {
	b, id, p := inReview(t)
	thread := b.says(id, stepID(p, 2), "Why?")
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	b.rig.submit(id, samplePlan)
	form := fmt.Sprintf("#edit-comment-%d form", thread.Comments[0].Seq)
	b.open("/sessions/"+id+"/plan").sees(form+" .hint", "The agent has this comment")
	b.submit(form, "body", "Which ones?").sees("#t-"+thread.ID+" .note-words", "the next round corrects it")
	b.open("/sessions/"+id+"/feedback").sees("#letter", "Olivia corrected a comment of an earlier round. It said: ``` Why? ``` It says now: ``` Which ones? ```")
}

func TestPlanPage_R1_Agree(t *testing.T) {
	b, id, p := inReview(t)
	thread := b.says(id, stepID(p, 2), "Why?")
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo")).open("/sessions/" + id + "/plan")
	button := "#t-" + thread.ID + " .agree"
	bo.sees(button+`[aria-pressed="false"]`, "Agree").submit(`form[action$="/agree"]`)
	bo.sees(button+`[aria-pressed="true"][title="Agreed by Bo"]`, "1 agrees")
	b.open("/sessions/"+id+"/plan").sees(`#t-`+thread.ID+` .agreed[title="Agreed by Bo"]`, "1 agrees").lacks(button)
	b.open("/sessions/"+id+"/feedback").sees("#letter", "Olivia wrote, agreed by Bo:")
	bo.submit(`form[action$="/agree"]`).sees(button+`[aria-pressed="false"]`, "Agree")
}

func TestPlanPage_R6_SetTheScope(t *testing.T) {
	b, id, p := inReview(t)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo")).open("/sessions/" + id + "/scope")
	b.open("/sessions/"+id+"/plan").sees(`#edit-scope[href$="/scope"]`).open("/sessions/"+id+"/scope").sees("#scope-files", "a.go")

	b.submit("#scope-form", "files", "../x")
	if b.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", b.status)
	}
	b.sees("#scope-problem", "outside the workspace").sees("#scope-files", "../x")
	b.submit("#scope-form", "files", "a.go\nweb/", "command", "", "more", "make\ngo vet ./...")
	b.sees("#outline .files", "a.go", "web/", "make", "go vet ./...").sees("#outline .scope-by", "set by Olivia")
	b.sees(".suggest", "Olivia set what the plan may write and run").sees(".suggest .scope-change .plus", "web/", "make").sees(".suggest .scope-change .minus", "go test ./...")
	if now, _ := b.state(id).Plan(); now.SHA256 == p.SHA256 || len(now.Scope.Commands) != 2 {
		t.Errorf("the plan has %+v", now.Scope)
	}

	// The second save gets both, and three ways to go on.
	bo.submit("#scope-form", "files", "b.go")
	if bo.status != http.StatusConflict {
		t.Fatalf("status %d", bo.status)
	}
	bo.sees("[role=alert]", "Olivia changed the scope").sees("pre.out", "web/").sees("#scope-files", "b.go")
	bo.sees("a[data-close]", "Keep Olivia’s").submit("#scope-form", "merge", "both").sees("#scope-files", "a.go web/ b.go").sees("#scope-problem", "Both are in the fields")
	bo.submit("#scope-form").sees("#outline .files", "a.go", "web/", "b.go")

	b.open("/sessions/" + id + "/plan")
	first := b.state(id).Plans[0].Edits[0]
	b.submit(fmt.Sprintf(`form[action$="/edits/%d/undo"]`, first.Seq))
	if b.status != http.StatusConflict {
		t.Errorf("undo below Bo's: status %d", b.status)
	}
	b.sees(fmt.Sprintf("#undo-problem-%d", first.Seq), "Bo changed the same after that")
}

func TestPlanPage_R6_UndoByAPlainForm(t *testing.T) {
	b, id, p := inReview(t)
	two := stepID(p, 2)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open("/sessions/" + id + "/edit?op=deleted&step=" + two).submit("#edit-form").lacks("#" + two)
	bo.sees("#gone-"+two, "Change").sees("#gone-"+two+" .suggest", "Bo deleted this step")
	b.browse(b.rig.person("Chen", review.RoleReviewer, "chen")).open("/sessions/" + id + "/plan").lacks(`form[action$="/undo"]`)
	bo.submit(`form[action$="/undo"]`).sees("#"+two, "Edit a.go.").lacks("#gone-"+two).lacks(".suggest").sees("#bar", "No open comments")
	if now, _ := b.state(id).Plan(); now.SHA256 != p.SHA256 {
		t.Error("the plan is not what it was")
	}
	b.open("/sessions/"+id+"/history").sees("main", "Bo undid the deletion of a step")
	if strings.Contains(b.text("#bar"), "change by reviewers") {
		t.Error("what was undone is counted")
	}
}

// P27: what the model did not keep is in view before anybody can approve.
func TestPlanPage_P27_WhatTheModelDidNotKeep(t *testing.T) {
	b, id, p := inReview(t)
	one, three := stepID(p, 1), stepID(p, 3)
	b.open("/sessions/"+id+"/edit?step="+one).submit("#edit-form", "markdown", "## Step 1: Look\n\nRead a.go twice.")
	b.open("/sessions/"+id+"/edit?step="+three).submit("#edit-form", "markdown", "## Step 3: Ask somebody who knows\n\nThey say whether it is right.")
	b.open("/sessions/"+id+"/scope").submit("#scope-form", "files", "b.go")
	b.open("/sessions/"+id+"/feedback").sees("#letter", "Read a.go twice.", "They say whether it is right.", `"b.go"`).submit("#verdict")
	b.rig.submit(id, "# Rename Alpha\n\nSome words before.\n\n## Step 1: Look\n\nRead a.go once.\n\n## Step 2: Change\n\nEdit a.go.\n")
	b.open("/sessions/"+id+"/plan").sees("#bar .chip.bad", "The model did not keep 3 things that reviewers wrote")
	b.sees("#"+one+" .tag.bad", "the model changed this rewritten step").sees("#gone-"+three+" .tag.bad", "the model left out this step, which Olivia wrote")
	b.sees("#gone-"+three+" .out", "They say whether it is right.").sees("#outline .tag.bad", "the model did not keep what Olivia set")
	if v := b.rig.planNow(id, 2); len(v.LeftOut) != 1 || v.LeftOut[0].ID != three || v.LeftOut[0].Pinned != "Olivia" || !v.ScopeKeep.Broken {
		t.Errorf("the API says %+v, %+v", v.LeftOut, v.ScopeKeep)
	}
}

// R7: who has approved what, and when, is always in view; a stale approval says
// of which text it was.
func TestPlanPage_R7_ApprovalsAreInView(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Approvals = 2 })
	id := r.begin()
	p := r.submit(id, samplePlan)
	b := r.browse(r.owner).open("/sessions/" + id + "/plan")
	bo := b.browse(r.person("Bo", review.RoleApprover, "bo")).open("/sessions/" + id + "/plan")
	b.sees("#bar", "0 of 2 approvals")
	b.submit("#approve").sees("#bar", "1 of 2 approvals").sees("#bar .chip.ok", "Olivia").sees("#bar .chip.ok time[title]").sees("#approved")
	b.submit(`form[action$="/approval/withdraw"]`).sees("#bar", "0 of 2 approvals").lacks("#bar .chip.ok").submit("#approve")

	bo.open("/sessions/"+id+"/edit?step="+stepID(p, 1)).submit("#edit-form", "markdown", "## Step 1: Look\n\nTwice.")
	bo.sees("#bar", "0 of 2 approvals").sees("#bar .chip.warn", "Olivia: stale", p.SHA256[:8])
	bo.sees(`#bar .chip.warn[title*="The plan has been changed since"]`)
	b.open("/sessions/"+id+"/plan").lacks("#approved").submit("#approve").sees("#bar", "1 of 2 approvals").lacks("#bar .chip.warn")

	bo.open("/sessions/" + id + "/feedback").submit("#verdict")
	r.submit(id, r.planNow(id, 1).Markdown) // what Bo wrote is kept
	b.open("/sessions/"+id+"/plan").sees("#bar", "0 of 2 approvals").sees(`#bar .chip.warn[title*="approved version 1"]`, "Olivia: stale")
	b.submit("#approve")
	bo.open("/sessions/" + id + "/plan").submit("#approve")
	if st := r.state(id); st.InReview() {
		t.Error("two approvals of one text did not decide")
	}
	b.open("/sessions/"+id+"/plan").sees("#bar", "Bo approved this version").sees("#bar .chip.ok", "Olivia", "Bo")
}

func TestPlanPage_R7_RulesOfTheServer(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Rules = review.Rules{RefuseOwn: true, ThreadsBlock: true} })
	id := r.begin()
	p := r.submit(id, samplePlan)
	b := r.browse(r.owner).open("/sessions/"+id+"/plan").sees("#approve-button[disabled]").sees("#held", "somebody else has to approve")
	bo := b.browse(r.person("Bo", review.RoleApprover, "bo")).open("/sessions/" + id + "/plan").sees("#approve-button:not([disabled])").lacks("#held")
	b.says(id, stepID(p, 1), "Why?")
	bo.submit("#approve")
	if bo.status != http.StatusConflict || r.state(id).Plans[0].Status != planning.PlanInReview {
		t.Errorf("approved with an open comment: %d", bo.status)
	}
	bo.open("/sessions/"+id+"/plan").sees("#held", "Open comments").submit(`form[action$="/resolve"]`).submit("#approve")
	if r.state(id).InReview() {
		t.Error("the plan is still in review")
	}
}

func TestPlanPage_R4_QuotedWordsThatAreGone(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 1)).submit(`form[action$="/threads"]`, "body", "Which lines?", "quote", "Read a.go.")
	thread := b.state(id).Threads[0]
	b.lacks("#t-" + thread.ID + " details.fold-out")
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	b.rig.submit(id, strings.Replace(samplePlan, "Read a.go.", "Look at all of a.go and its test.", 1))
	b.open("/sessions/"+id+"/plan").sees("#t-"+thread.ID+" .fold-out", "since v2").sees("#t-"+thread.ID+" .fold-out pre", "Read a.go.")
}
