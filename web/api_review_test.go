package web

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

func TestAPI_PlanInFull(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.api("GET", "/sessions/"+id+"/plans", nil).is(200).says(`{"plans":[]}`)
	r.api("GET", "/sessions/"+id+"/plans/1", nil).fails(404, fault.NotFound, "")
	p := r.submit(id, samplePlan)
	got := read[planView](r.api("GET", "/sessions/"+id+"/plans/1", nil).is(200))
	if got.Version != 1 || got.Status != planning.PlanInReview || got.SHA256 != p.SHA256 || got.Markdown != samplePlan ||
		strings.Join(got.Files, " ") != "a.go" || len(got.Commands) != 1 || got.Threads == nil || got.Decision != nil {
		t.Errorf("got %+v", got)
	}
	if len(got.Steps) != 3 || got.Steps[1].Number != 2 || got.Steps[1].Title != "Change" || !strings.Contains(got.Steps[1].Markdown, "Edit a.go.") {
		t.Errorf("steps are %+v", got.Steps)
	}
	var all strings.Builder
	for _, s := range append(got.Texts, got.Steps...) {
		all.WriteString(s.Markdown)
	}
	if all.String() != samplePlan {
		t.Errorf("texts and steps together are %q", all.String())
	}
	for _, bad := range []string{"0", "2", "x", "-1"} {
		r.api("GET", "/sessions/"+id+"/plans/"+bad, nil).fails(404, fault.NotFound, "")
	}
	line := read[sessionView](r.api("GET", "/sessions/"+id, nil))
	if line.Status != planning.StatusInReview || line.Plan == nil || line.Plan.SHA256 != p.SHA256 || line.Plan.Steps != 3 {
		t.Errorf("the session says %+v", line.Plan)
	}
}

// R1, R6: an edit names the text it was made on; one made on an older text
// gets what there is now, and nothing is changed.
func TestAPI_R6_Edits(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, samplePlan)
	path := "/sessions/" + id + "/plans/1/steps"
	steps := p.Steps()
	got := read[planView](r.api("PUT", path+"/"+steps[1].ID, rewriteBody{Markdown: "## Step 2: Change\n\nEdit b.go.\n", Base: p.SHA256}).is(200))
	if got.SHA256 == p.SHA256 || got.Steps[1].Pinned != "Olivia" || !strings.Contains(got.Steps[1].Markdown, "b.go") || len(got.Edits) != 1 {
		t.Errorf("rewritten: %+v", got.Steps[1])
	}
	a := r.api("PUT", path+"/"+steps[1].ID, rewriteBody{Markdown: "mine", Base: p.SHA256}).is(409)
	now, _ := read[errorBody](a).Error.Current.(map[string]any)
	if text, _ := now["markdown"].(string); !strings.Contains(text, "b.go") {
		t.Errorf("the conflict does not carry the other text: %v", now)
	}
	r.api("PUT", path+"/"+steps[1].ID, rewriteBody{Markdown: "mine"}).fails(422, fault.Invalid, "base")
	r.api("PUT", path+"/s999", rewriteBody{Markdown: "mine", Base: got.SHA256}).is(404)

	got = read[planView](r.api("POST", path, insertBody{After: steps[2].ID, Markdown: "## Step 4: Tell\n\nSay so.\n", Base: got.SHA256}).is(201))
	if len(got.Steps) != 4 || got.Steps[3].Title != "Tell" {
		t.Fatalf("inserted: %+v", got.Steps)
	}
	got = read[planView](r.api("POST", path+"/"+got.Steps[3].ID+"/move", moveBody{After: steps[0].ID, Base: got.SHA256}).is(200))
	if got.Steps[1].Title != "Tell" {
		t.Fatalf("moved: %+v", got.Steps)
	}
	base := got.SHA256
	got = read[planView](r.api("DELETE", path+"/"+got.Steps[1].ID, deleteBody{Base: base}).is(200))
	if len(got.Steps) != 3 {
		t.Fatalf("deleted: %+v", got.Steps)
	}
	r.api("DELETE", path+"/"+steps[0].ID+"?base="+base, nil).fails(409, fault.Conflict, "")
	got = read[planView](r.api("DELETE", path+"/"+steps[0].ID+"?base="+got.SHA256, nil).is(200))
	if len(got.Steps) != 2 || len(got.Edits) != 5 {
		t.Errorf("at the end: %d steps, %d edits", len(got.Steps), len(got.Edits))
	}
}

func TestAPI_R1_Threads(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, samplePlan)
	path := "/sessions/" + id + "/plans/1/threads"
	step := p.Steps()[1].ID
	got := read[threadView](r.api("POST", path, threadBody{Step: step, Quote: "Edit a.go.", Body: "Which lines?"}).is(201))
	if got.ID == "" || got.Step != step || got.Quote != "Edit a.go." || !got.Open || got.Comments[0].By.Name != "Olivia" {
		t.Errorf("opened: %+v", got)
	}
	r.api("POST", path, threadBody{Body: "About all of it."}).is(201)
	r.api("POST", path, threadBody{Step: step, Body: "  "}).fails(422, fault.Invalid, "body")
	r.api("POST", path, threadBody{Step: "s999", Body: "x"}).is(404)
	thread := "/threads/" + got.ID
	got = read[threadView](r.api("POST", thread+"/replies", replyBody{Body: "All of them."}).is(201))
	if len(got.Comments) != 2 {
		t.Errorf("replied: %+v", got)
	}
	if got = read[threadView](r.api("POST", thread+"/resolve", nil).is(200)); got.Open || !got.Resolved {
		t.Errorf("resolved: %+v", got)
	}
	if got = read[threadView](r.api("POST", thread+"/reopen", nil).is(200)); !got.Open {
		t.Errorf("reopened: %+v", got)
	}
	r.api("POST", "/threads/nothing/replies", replyBody{Body: "x"}).fails(404, fault.NotFound, "")
	if v := read[planView](r.api("GET", "/sessions/"+id+"/plans/1", nil)); len(v.Threads) != 2 || v.OpenThreads != 2 {
		t.Errorf("the plan has %d threads, %d open", len(v.Threads), v.OpenThreads)
	}
}

// R3: what is shown as the agent's text is what the decision stores for it,
// byte for byte.
func TestAPI_R3_FeedbackIsWhatTheAgentGets(t *testing.T) {
	r := newRig(t)
	for _, verdict := range []planning.Verdict{planning.VerdictRequestChanges, planning.VerdictApprove, planning.VerdictAbandon} {
		id := r.begin()
		p := r.submit(id, samplePlan)
		plan := "/sessions/" + id + "/plans/1"
		r.api("POST", plan+"/threads", threadBody{Step: p.Steps()[0].ID, Body: "Read *b.go* too, <now>."}).is(201)
		p2 := read[planView](r.api("PUT", plan+"/steps/"+p.Steps()[2].ID, rewriteBody{Markdown: "## Step 3: Check\n\nRun go vet.\n", Base: p.SHA256}).is(200))
		shown := read[feedbackView](r.api("GET", plan+"/feedback?note=Good%20luck.&verdict="+string(verdict), nil).is(200))
		if verdict == planning.VerdictRequestChanges && !strings.Contains(shown.Text, "Read *b.go* too, <now>.") {
			t.Errorf("the comment is not there word for word: %s", shown.Text)
		}
		got := read[planView](r.api("POST", plan+"/decision", decisionBody{Verdict: verdict, SHA256: p2.SHA256, Note: "Good luck."}).is(200))
		if got.Decision == nil || got.Decision.Result != shown.Text {
			t.Errorf("%s: shown %q, got %+v", verdict, shown.Text, got.Decision)
		}
		r.api("GET", plan+"/feedback", nil).fails(409, fault.Conflict, "")
		// A comment that comes too late is refused, not lost in silence.
		r.api("POST", plan+"/threads", threadBody{Body: "Too late."}).fails(409, fault.Conflict, "")
	}
}

// P16: an approval is for exactly the text that was seen.
func TestAPI_P16_StaleApproval(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, samplePlan)
	plan := "/sessions/" + id + "/plans/1"
	r.api("POST", plan+"/decision", decisionBody{Verdict: "yes", SHA256: p.SHA256}).fails(422, fault.Invalid, "verdict")
	r.api("POST", plan+"/decision", decisionBody{SHA256: p.SHA256}).fails(422, fault.Invalid, "verdict")
	r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove}).fails(422, fault.Invalid, "sha256")
	r.api("PUT", plan+"/steps/"+p.Steps()[0].ID, rewriteBody{Markdown: "## Step 1: Look\n\nTwice.\n", Base: p.SHA256}).is(200)
	a := r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: p.SHA256}).is(409)
	now, _ := read[errorBody](a).Error.Current.(map[string]any)
	if now["sha256"] == "" || now["sha256"] == p.SHA256 || now["edits"] == nil {
		t.Errorf("the conflict does not say what changed: %v", now)
	}
	// Another session's plan, the same version and text.
	other := r.begin()
	q := r.submit(other, samplePlan+"\nMore.\n")
	r.api("POST", "/sessions/"+other+"/plans/1/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: p.SHA256}).fails(409, fault.Conflict, "")
	// A version that is no longer the newest.
	second := r.submit(id, samplePlan+"\nMore.\n")
	r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: second.SHA256}).fails(409, fault.Conflict, "")
	for _, s := range []string{id, other} {
		if got := read[sessionView](r.api("GET", "/sessions/"+s, nil)); got.Status != planning.StatusInReview {
			t.Errorf("%s is %s", s, got.Status)
		}
	}
	_ = q
}

// P17: approve and request changes at the same moment.
func TestAPI_P17_ExactlyOneWins(t *testing.T) {
	r := newRig(t)
	r.person("Ann", review.RoleApprover, "ann")
	r.person("Ben", review.RoleApprover, "ben")
	id := r.begin()
	verdicts := map[string]planning.Verdict{"ann": planning.VerdictApprove, "ben": planning.VerdictRequestChanges}
	wins := map[string]int{}
	for round := range 100 {
		p := r.submit(id, fmt.Sprintf("%s\nRound %d.\n", samplePlan, round))
		path := fmt.Sprintf("%s/sessions/%s/plans/%d/decision", apiPrefix, id, p.Version)
		answers := map[string]answer{}
		var wg sync.WaitGroup
		var mu sync.Mutex
		start := make(chan struct{})
		for token, verdict := range verdicts {
			wg.Go(func() {
				<-start
				body := fmt.Sprintf(`{"verdict":%q,"sha256":%q}`, verdict, p.SHA256)
				a := r.do("POST", path, strings.NewReader(body), as(token))
				mu.Lock()
				answers[token] = a
				mu.Unlock()
			})
		}
		close(start)
		wg.Wait()
		ann, ben := answers["ann"].StatusCode, answers["ben"].StatusCode
		winner := map[[2]int]string{{200, 409}: "ann", {409, 200}: "ben"}[[2]int{ann, ben}]
		if winner == "" {
			t.Fatalf("round %d: %d and %d", round, ann, ben)
		}
		wins[winner]++
		st, err := r.db.State(context.Background(), id)
		r.must(err)
		if now, _ := st.Plan(); now.Decision == nil || now.Decision.Verdict != verdicts[winner] || st.Calls[0].State != planning.CallDone {
			t.Fatalf("round %d: %s won, but the plan says %+v", round, winner, now.Decision)
		}
	}
	t.Logf("wins: %v", wins)
}

func TestAPI_R5_Diff(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.submit(id, samplePlan)
	r.api("POST", "/sessions/"+id+"/messages", messageBody{Text: "Go on."})
	r.submit(id, strings.Replace(samplePlan, "Edit a.go.", "Edit a.go and b.go.", 1)+"\n## Step 4: Report\n\nSay what was done.\n")
	steps := func(query string) map[string]planning.StepDiff {
		byTitle := map[string]planning.StepDiff{}
		for _, s := range read[diffView](r.api("GET", "/sessions/"+id+"/plans/2/diff?"+query, nil).is(200)).Steps {
			byTitle[s.Title] = s
		}
		return byTitle
	}
	got := steps("")
	if got["Look"].Change != planning.DiffSame || got["Report"].Change != planning.DiffAdded || got["Change"].Change != planning.DiffChanged ||
		!strings.Contains(got["Change"].Before, "Edit a.go.") || !strings.Contains(got["Change"].After, "b.go") {
		t.Errorf("got %+v", got)
	}
	if all := steps("from=0"); all["Look"].Change != planning.DiffAdded {
		t.Errorf("against nothing: %+v", all)
	}
	r.api("GET", "/sessions/"+id+"/plans/2/diff?from=9", nil).fails(404, fault.NotFound, "")
	r.api("GET", "/sessions/"+id+"/plans/2/diff?from=x", nil).fails(422, fault.Invalid, "from")
}
