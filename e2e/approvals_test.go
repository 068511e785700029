package e2e

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// TestReview_R7_TwoOfThreeWithARewriteInBetween: the first approval is stale
// and says so, and nothing runs until two people stand on the same text.
func TestReview_R7_TwoOfThreeWithARewriteInBetween(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n"})
	s, model := scripted(t, work,
		fakeopenai.Calls(submitPlan("plan1")),
		fakeopenai.Calls(call("w", "write_file", object{"path": "a.txt", "content": "new\n"})),
		fakeopenai.Text("All done."),
	)
	ana, bo, chen := s.member("Ana", "approver"), s.member("Bo", "approver"), s.member("Chen", "approver")
	id := s.task("change a", object{"approvals": 2})
	s.status(id, "in_review")
	p := s.plan(id, 1)
	plan := "/sessions/" + id + "/plans/1"
	approve := func(sha string) object { return object{"verdict": "approve", "sha256": sha} }

	ana.must(http.StatusOK, "POST", plan+"/decision", approve(p.SHA256))
	rewritten := chen.must(http.StatusOK, "PUT", plan+"/steps/"+p.Steps[0].ID, object{"markdown": "1. Edit a.txt with care", "base": p.SHA256})
	if got := names(t, rewritten["approvals"]); len(got) != 0 {
		t.Errorf("after the rewrite the approvals of %v stand", got)
	}
	stale, _ := rewritten["stale"].([]any)
	if got := names(t, rewritten["stale"]); len(got) != 1 || got[0] != "Ana" || stale[0].(object)["sha256"] != p.SHA256 {
		t.Errorf("stale is %v", stale)
	}
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.reads("#bar .chip.warn", "Ana: stale")

	// What changes under the pointer can't be approved in that moment (P15).
	b.until("the connection", `document.querySelector("#live .on")`)
	eval[bool](b, `(new MutationObserver((seen) => {
		if (seen.some((m) => m.target.id === "bar")) window.locked = document.getElementById("approve-button").disabled;
	}).observe(document.body, { subtree: true, attributeFilter: ["data-sha"] }), true)`)
	rewritten = chen.must(http.StatusOK, "PUT", plan+"/steps/"+p.Steps[0].ID, object{"markdown": "1. Edit a.txt with much care", "base": rewritten["sha256"]})
	b.until("the new text", `window.locked !== undefined`)
	if !eval[bool](b, `window.locked`) {
		t.Error("the button takes a click as soon as the text under it has changed")
	}
	b.until("the button", `!document.getElementById("approve-button").disabled`)

	now := rewritten["sha256"].(string)
	bo.must(http.StatusConflict, "POST", plan+"/decision", approve(p.SHA256)) // of the text that was
	bo.must(http.StatusOK, "POST", plan+"/decision", approve(now))
	b.reads("#bar", "1 of 2 approvals")
	nothingRuns := func() {
		t.Helper()
		if got := s.must(http.StatusOK, "GET", "/sessions/"+id, nil)["status"]; got != "in_review" {
			t.Fatalf("the session is %v", got)
		}
		if len(of[object](t, s.events(id), "review.decided")) != 0 || len(model.Requests()) != 1 || read(t, work, "a.txt") != "old\n" {
			t.Fatal("something runs")
		}
	}
	nothingRuns()
	bo.must(http.StatusOK, "DELETE", plan+"/approval", nil)
	b.reads("#bar", "0 of 2 approvals")
	chen.must(http.StatusOK, "POST", plan+"/decision", approve(now))
	nothingRuns()

	ana.must(http.StatusOK, "POST", plan+"/decision", approve(now))
	s.status(id, "done")
	if read(t, work, "a.txt") != "new\n" {
		t.Error("the plan did not run")
	}
	decided := of[struct{ SHA256, Result string }](t, s.events(id), "review.decided")
	if len(decided) != 1 || decided[0].SHA256 != now || !strings.Contains(decided[0].Result, "Approved by Chen and Ana.") || !strings.Contains(decided[0].Result, "Edit a.txt with much care") {
		t.Errorf("decided: %+v", decided)
	}
}
