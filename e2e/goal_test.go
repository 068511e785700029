package e2e

import (
	"net/http"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// goal asks for a change of a session's goal, on the revision given.
func (s *server) goal(id, op string, revision int, more object) (int, object) {
	s.t.Helper()
	body := object{"op": op}
	if revision > 0 {
		body["ref"] = object{"id": "g1", "revision": revision}
	}
	for name, value := range more {
		body[name] = value
	}
	return s.api("POST", "/sessions/"+id+"/goal", body)
}

// A goal of three rounds runs three rounds and stops; paused in the second and
// killed, it waits; a stale revision is refused with the current one.
func TestGoal_G2_G4_G5_ThreeRoundsAPauseAndAKill(t *testing.T) {
	t.Parallel()
	s, model := scripted(t, workspace(t, nil), fakeopenai.Text("hello"), fakeopenai.Text("one"), fakeopenai.Turn{Text: "half of round tw", Stall: true})
	id := s.task("hello", object{"mode": "normal"})
	s.status(id, "done")
	if status, answer := s.goal(id, "create", 0, object{"objective": "green tests", "max_rounds": 3}); status != http.StatusOK {
		t.Fatalf("create: %d %v", status, answer)
	}
	model.Await(3)
	if status, answer := s.goal(id, "pause", 1, nil); status != http.StatusOK {
		t.Fatalf("pause: %d %v", status, answer)
	}
	s.kill()
	s.start()
	now := s.status(id, "paused")["goal"].(object)
	if now["phase"] != "paused" || now["rounds"] != 2.0 || now["revision"] != 2.0 {
		t.Errorf("after the restart the goal is %v", now)
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("it ran on by itself: %d requests", n)
	}
	status, answer := s.goal(id, "complete", 1, nil)
	current, _ := answer["error"].(object)["current"].(object)
	if status != http.StatusConflict || current["revision"] != 2.0 || current["phase"] != "paused" {
		t.Errorf("a stale revision: %d %v", status, answer)
	}
	model.Add(fakeopenai.Text("two"), fakeopenai.Text("three"))
	s.must(http.StatusOK, "POST", "/sessions/"+id+"/resume", nil)
	if g := s.status(id, "done")["goal"].(object); g["rounds"] != 2.0 {
		t.Errorf("a paused goal went on: %v", g)
	}
	if status, answer := s.goal(id, "resume", 2, nil); status != http.StatusOK {
		t.Fatalf("resume: %d %v", status, answer)
	}
	model.Await(5)
	if g := s.status(id, "done")["goal"].(object); g["rounds"] != 3.0 || g["phase"] != "active" {
		t.Errorf("in the end the goal is %v", g)
	}
	if n := len(of[object](t, s.events(id), "goal.round_started")); n != 3 || model.Left() != 0 {
		t.Errorf("%d rounds, %d turns left over", n, model.Left())
	}
}
