package web

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// team makes three more people, who sign in with the tokens bo, chen and dora.
func (r *rig) team() {
	r.t.Helper()
	r.person("Bo", review.RoleApprover, "bo")
	r.person("Chen", review.RoleReviewer, "chen")
	r.person("Dora", review.RoleApprover, "dora")
}

func (r *rig) planNow(session string, version int) planView {
	r.t.Helper()
	return read[planView](r.api("GET", fmt.Sprintf("/sessions/%s/plans/%d", session, version), nil).is(200))
}

func TestAPI_R1_CommentsAreChangedByWhoeverMadeThem(t *testing.T) {
	r := newRig(t)
	r.team()
	id := r.begin()
	p := r.submit(id, samplePlan)
	got := read[threadView](r.api("POST", "/sessions/"+id+"/plans/1/threads", threadBody{Step: p.Steps()[1].ID, Body: "Which lines?"}, as("chen")).is(201))
	said := fmt.Sprintf("/threads/%s/comments/%d", got.ID, got.Comments[0].Seq)

	r.api("PUT", said, editCommentBody{Body: "x"}).fails(403, fault.Forbidden, "")
	r.api("DELETE", said, nil).fails(403, fault.Forbidden, "")
	r.api("PUT", said, editCommentBody{Body: " "}, as("chen")).fails(422, fault.Invalid, "body")
	got = read[threadView](r.api("PUT", said, editCommentBody{Body: "Which files?"}, as("chen")).is(200))
	if c := got.Comments[0]; c.Body != "Which files?" || !c.Edited() {
		t.Errorf("edited: %+v", c)
	}
	for range 2 { // agreeing is what one does or not, however often it is said
		got = read[threadView](r.api("PUT", said+"/agreement", nil, as("bo")).is(200))
	}
	if c := got.Comments[0]; len(c.Agreed) != 1 || c.Agreed[0].Name != "Bo" {
		t.Errorf("agreed: %+v", c)
	}
	r.api("GET", "/sessions/"+id+"/plans/1/feedback", nil).is(200).says(`Chen wrote, agreed by Bo:`)
	got = read[threadView](r.api("DELETE", said+"/agreement", nil, as("bo")).is(200))
	if len(got.Comments[0].Agreed) != 0 {
		t.Errorf("no longer agreed: %+v", got.Comments[0])
	}
	got = read[threadView](r.api("DELETE", said, nil, as("chen")).is(200))
	if c := got.Comments[0]; !c.Deleted() || c.Body != "" || got.Open {
		t.Errorf("deleted: %+v", got)
	}
	r.api("DELETE", said, nil, as("chen")).fails(409, fault.Conflict, "")
	r.api("PUT", "/threads/"+got.ID+"/comments/999", editCommentBody{Body: "x"}).fails(404, fault.NotFound, "")
	r.api("PUT", "/threads/"+got.ID+"/comments/x", editCommentBody{Body: "x"}).fails(404, fault.NotFound, "")
	// The log keeps what was said.
	r.api("GET", "/sessions/"+id+"/events", nil).is(200).says("Which lines?").says("Which files?").says("comment.deleted")
}

func TestAPI_R6_ScopeAndUndo(t *testing.T) {
	r := newRig(t)
	r.team()
	id := r.begin()
	p := r.submit(id, samplePlan)
	plan := "/sessions/" + id + "/plans/1"
	r.api("PUT", plan+"/scope", scopeBody{Files: []string{"../x"}, Base: p.SHA256}).fails(422, fault.Invalid, "files")
	r.api("PUT", plan+"/scope", scopeBody{Files: []string{"b.go"}}).fails(422, fault.Invalid, "base")
	got := read[planView](r.api("PUT", plan+"/scope", scopeBody{Files: []string{"a.go", "b.go"}, Commands: []string{"make"}, Base: p.SHA256}, as("chen")).is(200))
	if strings.Join(got.Files, " ") != "a.go b.go" || got.Commands[0] != "make" || got.SHA256 == p.SHA256 || got.ScopeKeep.By != "Chen" {
		t.Errorf("scope: %+v", got)
	}
	a := r.api("PUT", plan+"/scope", scopeBody{Files: []string{"c.go"}, Base: p.SHA256}).is(409)
	if now, _ := read[errorBody](a).Error.Current.(map[string]any); now["by"] != "Chen" || fmt.Sprint(now["files"]) != "[a.go b.go]" {
		t.Errorf("the conflict carries %v", now)
	}
	undo := fmt.Sprintf("%s/edits/%d/undo", plan, got.Edits[0].Seq)
	r.api("POST", undo, nil, as("bo")).fails(403, fault.Forbidden, "")
	got = read[planView](r.api("POST", undo, nil, as("chen")).is(200))
	if got.SHA256 != p.SHA256 || got.Edits[0].Undone == nil || got.ScopeKeep != nil {
		t.Errorf("undone: %+v", got)
	}
	r.api("POST", undo, nil, as("chen")).fails(409, fault.Conflict, "")
	r.api("POST", plan+"/edits/999/undo", nil).fails(404, fault.NotFound, "")

	step := plan + "/steps/" + p.Steps()[0].ID
	one := read[planView](r.api("PUT", step, rewriteBody{Markdown: "## Step 1: Look\n\nTwice.\n", Base: p.SHA256}, as("bo")).is(200))
	r.api("PUT", step, rewriteBody{Markdown: "## Step 1: Look\n\nThrice.\n", Base: one.SHA256}, as("chen")).is(200)
	a = r.api("POST", fmt.Sprintf("%s/edits/%d/undo", plan, one.Edits[1].Seq), nil, as("bo"))
	if message := a.fails(409, fault.Conflict, ""); !strings.Contains(message, "Chen") {
		t.Errorf("it does not say whose change stands in the way: %s", message)
	}
}

// 2 of 3 approvals with a rewrite in between: the first approval is stale and
// says so, and nothing is decided until two stand on the same hash.
func TestAPI_R7_TwoApprovalsOfTheSameText(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Approvals = 2 })
	r.team()
	id := r.begin()
	p := r.submit(id, samplePlan)
	plan := "/sessions/" + id + "/plans/1"
	approve := func(token, sha string) answer {
		return r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: sha}, as(token))
	}
	approve("bo", p.SHA256).is(200)
	now := read[planView](r.api("PUT", plan+"/steps/"+p.Steps()[0].ID, rewriteBody{Markdown: "## Step 1: Look\n\nTwice.\n", Base: p.SHA256}, as("chen")).is(200))
	if len(now.Approvals) != 0 || len(now.Stale) != 1 || now.Stale[0].By.Name != "Bo" || now.Stale[0].SHA256 != p.SHA256 {
		t.Errorf("after the rewrite: stands %+v, stale %+v", now.Approvals, now.Stale)
	}
	approve("dora", p.SHA256).fails(409, fault.Conflict, "")
	approve("dora", now.SHA256).is(200)
	if st := read[sessionView](r.api("GET", "/sessions/"+id, nil)); st.Status != planning.StatusInReview {
		t.Fatalf("with one approval of each text the session is %s", st.Status)
	}
	r.api("DELETE", plan+"/approval", nil, as("dora")).is(200)
	r.api("DELETE", plan+"/approval", nil, as("dora")).fails(409, fault.Conflict, "")
	approve("bo", now.SHA256).is(200)
	if st := read[sessionView](r.api("GET", "/sessions/"+id, nil)); st.Status != planning.StatusInReview {
		t.Fatalf("a withdrawn approval was counted: the session is %s", st.Status)
	}
	end := read[planView](approve("dora", now.SHA256).is(200))
	if end.Status != planning.PlanApproved || len(end.Approvals) != 2 || len(end.Stale) != 0 {
		t.Errorf("at the end: %+v", end.planLine)
	}
	r.api("DELETE", plan+"/approval", nil, as("dora")).fails(409, fault.Conflict, "")
}

func TestAPI_R7_RulesOfTheServer(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Rules = review.Rules{RefuseOwn: true, ThreadsBlock: true} })
	r.team()
	id := r.begin()
	p := r.submit(id, samplePlan)
	plan := "/sessions/" + id + "/plans/1"
	decide := func(token string) answer {
		return r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: p.SHA256}, as(token))
	}
	decide(r.token).fails(403, fault.Forbidden, "")
	thread := read[threadView](r.api("POST", plan+"/threads", threadBody{Body: "Why?"}, as("chen")).is(201))
	decide("bo").fails(409, fault.Conflict, "")
	r.api("POST", "/threads/"+thread.ID+"/resolve", nil, as("chen")).is(200)
	decide("bo").is(200)
}
