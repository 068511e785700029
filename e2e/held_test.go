package e2e

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/trial"
)

// A command writes beyond the plan; the server is killed while people are
// asked, and again after they have answered. The command runs once, and what
// was shown is what is written (P24, S4).
func TestKill_P24_S4_WhileAskedAboutWhatACommandWrote(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n", "b.txt": "before\n"})
	s, model := scripted(t, work,
		fakeopenai.Calls(submitPlan("p")),
		fakeopenai.Calls(call("c", "shell", object{"command": "echo run >> a.txt; echo out > b.txt; echo printed"})),
		fakeopenai.Text("done"))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	s.decide(id, s.plan(id, 1), "approve", "")
	s.status(id, "waiting")
	s.kill()
	s.start()
	waiting := s.status(id, "waiting")
	permission := waiting["permissions"].([]any)[0].(object)
	if permission["held"] == nil {
		trial.Lacks(t, "this machine can't put a layer over a folder, so the question comes before")
	}
	if detail, _ := permission["detail"].(string); !strings.Contains(detail, "-before\n+out\n") {
		t.Errorf("the question shows %q", detail)
	}
	if got := read(t, work, "b.txt"); got != "before\n" {
		t.Errorf("b.txt = %q before anybody answered", got)
	}
	s.must(http.StatusOK, "POST", "/sessions/"+id+"/permissions/"+permission["id"].(string), object{"answer": "once"})
	s.status(id, "done")
	s.kill()
	s.start()
	s.status(id, "done")
	if a, b := read(t, work, "a.txt"), read(t, work, "b.txt"); a != "old\nrun\n" || b != "out\n" {
		t.Errorf("a.txt %q, b.txt %q", a, b)
	}
	for _, m := range model.Requests()[len(model.Requests())-1].Messages() {
		if m.ToolCallID == "c" && (!strings.Contains(m.Content, "printed") || !strings.Contains(m.Content, "Now in the workspace: b.txt")) {
			t.Errorf("the command has the result %q", m.Content)
		}
	}
}
