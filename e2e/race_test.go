package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/trial"
)

// TestPlan_P17_OneVerdictWins sends approve and request changes at the same
// moment, many times over.
func TestPlan_P17_OneVerdictWins(t *testing.T) {
	t.Parallel()
	rounds := trial.Often(300, 1000)
	s, model := scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}))
	model.Otherwise(fakeopenai.Turn{From: func(r fakeopenai.Request) fakeopenai.Turn {
		if len(r.Tools()) > 0 && offers(r, "submit_plan") {
			return fakeopenai.Calls(submitPlan("p"))
		}
		return fakeopenai.Text("done")
	}})
	id := s.task("change a", nil)
	wins := map[string]int{}
	version := 0
	for i := range rounds {
		if s.status(id, "in_review", "done")["status"] == "done" {
			id, version = s.task("change a", nil), 0
			s.status(id, "in_review")
		}
		version++
		winner := s.duel(id, s.plan(id, version), i)
		wins[winner]++
	}
	if wins["approve"]+wins["request_changes"] != rounds {
		t.Errorf("wins: %v", wins)
	}
	t.Logf("%d rounds: %v", rounds, wins)
}

func offers(r fakeopenai.Request, tool string) bool {
	for _, o := range r.Tools() {
		if o.Name == tool {
			return true
		}
	}
	return false
}

// duel returns the verdict that won and fails the test unless exactly one did
// and the other was told so.
func (s *server) duel(id string, p planJSON, round int) string {
	s.t.Helper()
	verdicts := []string{"approve", "request_changes"}
	codes := make([]int, 2)
	var start, end sync.WaitGroup
	start.Add(1)
	for i, v := range verdicts {
		end.Go(func() {
			start.Wait()
			codes[i] = s.send(fmt.Sprintf("/sessions/%s/plans/%d/decision", id, p.Version), object{"verdict": v, "sha256": p.SHA256})
		})
	}
	start.Done()
	end.Wait()
	decided := 0
	for _, d := range of[struct{ Version int }](s.t, s.events(id), "review.decided") {
		if d.Version == p.Version {
			decided++
		}
	}
	if decided != 1 || codes[0]+codes[1] != http.StatusOK+http.StatusConflict {
		s.t.Fatalf("round %d: %d decisions, answers %v", round, decided, codes)
	}
	if codes[0] == http.StatusOK {
		return verdicts[0]
	}
	return verdicts[1]
}

// send is api for use in goroutines: it reports only the status.
func (s *server) send(path string, body any) int {
	data, err := json.Marshal(body)
	if err != nil {
		return 0
	}
	req, err := http.NewRequest("POST", s.base+"/api/v1"+path, bytes.NewReader(data))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// TestPlan_P16_AStaleHashRunsNothing: an approval of a text that is not there
// any more is refused.
func TestPlan_P16_AStaleHashRunsNothing(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n"})
	s, model := scripted(t, work, fakeopenai.Calls(submitPlan("p")))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	seen := s.plan(id, 1)
	s.must(http.StatusOK, "PUT", fmt.Sprintf("/sessions/%s/plans/1/steps/%s", id, seen.Steps[0].ID),
		object{"markdown": "1. Edit a.txt with care", "base": seen.SHA256})
	status, answer := s.decide(id, seen, "approve", "")
	if status != http.StatusConflict {
		t.Fatalf("a stale approval answers %d: %v", status, answer)
	}
	current, _ := answer["error"].(object)["current"].(object)
	if current["sha256"] == seen.SHA256 || current["sha256"] == nil {
		t.Errorf("the conflict does not carry the new hash: %v", answer)
	}
	if status := s.status(id, "in_review")["status"]; status != "in_review" || len(model.Requests()) != 1 {
		t.Errorf("status %v after %d requests: something ran", status, len(model.Requests()))
	}
}
