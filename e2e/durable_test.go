package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// Kill -9 in the middle of each phase: everything acknowledged is there,
// nothing runs by itself, Resume goes on, no command runs twice (S3, S4).

func TestKill_S4_WhilePlanning(t *testing.T) {
	t.Parallel()
	s, model := scripted(t, workspace(t, nil), fakeopenai.Turn{Text: "let me see", Stall: true})
	id := s.task("change a", nil)
	model.Await(1)
	s.kill()
	s.start()
	s.status(id, "paused")
	if n := len(model.Requests()); n != 1 {
		t.Fatalf("it ran on by itself: %d requests", n)
	}
	model.Add(fakeopenai.Calls(submitPlan("p")))
	s.must(http.StatusOK, "POST", "/sessions/"+id+"/resume", nil)
	s.status(id, "in_review")
}

func TestKill_S3_S4_WhileInReview(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n"})
	s, model := scripted(t, work, fakeopenai.Calls(submitPlan("p")))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	p := s.plan(id, 1)
	for i := range 5 {
		s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"step": p.Steps[0].ID, "body": fmt.Sprintf("comment %d", i)})
		before := s.events(id)
		s.kill()
		s.start()
		after := s.events(id)
		if len(after) != len(before) {
			t.Fatalf("the log had %d events, now it has %d", len(before), len(after))
		}
		s.status(id, "in_review")
	}
	if got := s.plan(id, 1); len(got.Threads) != 5 {
		t.Errorf("%d threads, want 5", len(got.Threads))
	}
	model.Add(fakeopenai.Calls(call("w", "write_file", object{"path": "a.txt", "content": "new\n"})), fakeopenai.Text("done"))
	if status, answer := s.decide(id, p, "approve", ""); status != http.StatusOK {
		t.Fatalf("approve: %d %v", status, answer)
	}
	s.status(id, "done")
	if got := read(t, work, "a.txt"); got != "new\n" {
		t.Errorf("a.txt = %q", got)
	}
}

func TestKill_S4_WhileExecuting(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "", "other.txt": ""})
	const command = "echo run >> a.txt; sleep 300"
	s, model := scripted(t, work,
		fakeopenai.Calls(call("p", "submit_plan", object{"plan": aPlan, "files": []string{"a.txt"}, "commands": []string{command}})),
		fakeopenai.Calls(call("c", "shell", object{"command": command})))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	s.decide(id, s.plan(id, 1), "approve", "")
	eventually(t, "the command to write", func() bool { return read(t, work, "a.txt") != "" || started(t, s, id) })
	s.kill()
	s.start()
	s.status(id, "paused")
	model.Add(fakeopenai.Text("done"))
	s.must(http.StatusOK, "POST", "/sessions/"+id+"/resume", nil)
	s.status(id, "done")
	if n := strings.Count(read(t, work, "a.txt"), "run"); n > 1 {
		t.Errorf("the command ran %d times", n)
	}
	for _, m := range model.Requests()[len(model.Requests())-1].Messages() {
		if m.ToolCallID == "c" && !strings.Contains(m.Content, "unknown") {
			t.Errorf("the cut-off call has the result %q", m.Content)
		}
	}
}

func started(t *testing.T, s *server, id string) bool {
	return len(of[object](t, s.events(id), "tool.started")) > 0
}

func TestStop_EndsCleanly(t *testing.T) {
	t.Parallel()
	s, model := scripted(t, workspace(t, nil), fakeopenai.Turn{Text: "let me see", Stall: true})
	id := s.task("change a", nil)
	model.Await(1)
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.start()
	s.status(id, "paused")
}
