package e2e

import (
	"net/http"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// TestLive_AMessageInReviewIsMarkedUntilTheAgentHasIt: one who writes while a
// plan waits sees that it is not there yet, and sees when it is.
func TestLive_AMessageInReviewIsMarkedUntilTheAgentHasIt(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}),
		fakeopenai.Calls(submitPlan("p1")), fakeopenai.Calls(submitPlan("p2")))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/activity")
	b.sees("#say")
	if eval[bool](b, `document.querySelector(".undelivered") !== null`) {
		t.Error("the task, which the agent has, is marked")
	}
	b.keys("#say textarea", "By the way")
	b.click("#say button")
	b.reads(".feed .person", "By the way")
	b.reads(".feed .undelivered", "not delivered to the agent yet")
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"body": "Shorter."})
	if status, answer := s.decide(id, s.plan(id, 1), "request_changes", ""); status != http.StatusOK {
		t.Fatalf("request changes: %d %v", status, answer)
	}
	b.until("the mark to go", `document.querySelector(".undelivered") === null`)
	b.reads(".feed .person", "By the way")
}
