package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func TestVerdict_R3_WhatThePageShowsIsWhatTheAgentGets(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 2)).submit(`form[action$="/threads"]`, "body", "Skip vendor/\nand <b>tests</b>")
	b.open("/sessions/"+id+"/edit?step="+stepID(p, 3)).submit("#edit-form", "markdown", "## Step 3: Check\n\nRun `go vet`.")
	b.open("/sessions/"+id+"/feedback").submit("#verdict", "preview", "yes", "note", "Thanks.\nBe quick.")
	shown := b.doc.Find("#letter").Text()
	b.sees("#verdict .chip", "1 open comment", "1 change by reviewers").submit("#verdict")
	st := b.state(id)
	plan, _ := st.Plan()
	if plan.Decision == nil || plan.Decision.Verdict != planning.VerdictRequestChanges {
		t.Fatalf("the decision is %+v", plan.Decision)
	}
	if plan.Decision.Result != shown {
		t.Errorf("shown:\n%s\nsent:\n%s", shown, plan.Decision.Result)
	}
	if b.at != "/sessions/"+id+"/plan" {
		t.Errorf("after feedback one is at %s", b.at)
	}
	b.sees("#bar", "Olivia asked for changes").lacks("#approve")
}

func TestVerdict_R3_ACommentThatCameInBetweenIsShownFirst(t *testing.T) {
	b, id, _ := inReview(t)
	b.open("/sessions/" + id + "/feedback")
	other := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	other.open("/sessions/"+id+"/plan?comment=s1").submit(`form[action$="/threads"]`, "body", "Wait for me")
	b.submit("#verdict")
	if b.status != http.StatusConflict || !b.state(id).InReview() {
		t.Fatalf("status %d, in review %v", b.status, b.state(id).InReview())
	}
	b.sees("#verdict .problem", "has changed").sees("#letter", "Wait for me").submit("#verdict")
	if b.state(id).InReview() {
		t.Error("the second time it is sent")
	}
}

// TestVerdict_R3_ARewriteThatCameInBetweenIsShownFirst: it changes the plan's
// hash too, and the text that comes back can be sent.
func TestVerdict_R3_ARewriteThatCameInBetweenIsShownFirst(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/" + id + "/feedback")
	b.rewrite(b.rig.person("Bo", review.RoleReviewer, "bo"), id, stepID(p, 1), "## Step 1: Look\n\nRead c.go.")
	b.submit("#verdict", "note", "Mine")
	if b.status != http.StatusConflict || !b.state(id).InReview() {
		t.Fatalf("status %d, in review %v", b.status, b.state(id).InReview())
	}
	b.sees("#verdict .problem", "has changed").sees("#letter", "Read c.go.").sees("#verdict-note", "Mine").submit("#verdict")
	if b.state(id).InReview() {
		t.Error("the second time it is sent")
	}
}

func TestVerdict_ApprovingWithOpenThreadsAsksOnce(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 1)).submit(`form[action$="/threads"]`, "body", "Still open")
	b.submit("#approve", "note", "Go")
	if !b.state(id).InReview() {
		t.Fatal("approved without asking")
	}
	b.sees("#verdict h1", "Approve with open comments?").sees("#letter", "Still open", "Go").submit("#verdict")
	plan, _ := b.state(id).Plan()
	if plan.Status != planning.PlanApproved || plan.Decision.Note != "Go" {
		t.Fatalf("the plan is %s, note %q", plan.Status, plan.Decision.Note)
	}
	if b.at != "/sessions/"+id+"/activity" {
		t.Errorf("after the approval one is at %s", b.at)
	}
	b.sees("#feed .seal", "Countersigned by Olivia", plan.SHA256[:8]).sees("#todo", "Look")
}

func TestVerdict_P16_ApprovingWhatHasChangedRunsNothing(t *testing.T) {
	b, id, p := inReview(t)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open("/sessions/"+id+"/edit?step="+stepID(p, 1)).submit("#edit-form", "markdown", "## Step 1: Look\n\nElsewhere.")
	b.submit("#approve")
	if b.status != http.StatusConflict || !b.state(id).InReview() {
		t.Fatalf("status %d, in review %v", b.status, b.state(id).InReview())
	}
	b.sees("#alert[role=alert]", "The plan has changed since you saw it").sees("#"+stepID(p, 1)+" .prose", "Elsewhere.")
	b.submit("#approve")
	if b.state(id).InReview() {
		t.Error("the text that is shown now can't be approved")
	}
}

func TestVerdict_P17_TheSecondIsToldWhoDecided(t *testing.T) {
	b, id, _ := inReview(t)
	chen := b.browse(b.rig.person("Chen", review.RoleApprover, "chen")).open("/sessions/" + id + "/plan")
	chen.submit("#approve")
	b.submit("#approve")
	if b.status != http.StatusConflict {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#alert", "Chen has approved this version").sees("#bar", "Chen approved this version")
}

func TestVerdict_StopAsksAndEnds(t *testing.T) {
	b, id, _ := inReview(t)
	b.open("/sessions/"+id+"/feedback?verdict=abandon").sees("#verdict h1", "Stop this session?").submit("#verdict")
	if !b.state(id).Abandoned() {
		t.Error("it goes on")
	}
	b.sees("#bar", "Olivia stopped the session")
	b.open("/sessions/" + id + "/activity").lacks("#say")
}

func TestVerdict_P15_OnlyAClearYesApproves(t *testing.T) {
	b, id, p := inReview(t)
	for _, fields := range []url.Values{
		values("version", "1", "sha256", p.SHA256),
		values("version", "1", "sha256", p.SHA256, "verdict", "yes"),
		values("version", "1", "verdict", "approve"),
		values("version", "1", "verdict", "approve", "sha256", strings.Repeat("0", 64)),
		values("version", "x", "verdict", "approve", "sha256", p.SHA256),
		values("verdict", "approve", "sha256", p.SHA256),
	} {
		a := b.form("/sessions/"+id+"/decision", fields, b.cookie)
		if a.StatusCode < 400 || !b.state(id).InReview() {
			t.Errorf("%v: %d, in review %v", fields, a.StatusCode, b.state(id).InReview())
		}
	}
}
