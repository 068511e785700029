package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func createGoal(id, objective string, rounds int) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "create_goal", Arguments: map[string]any{"objective": objective, "max_rounds": rounds}}
}

func updateGoal(id, goal string, revision int, status, reason string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "update_goal", Arguments: map[string]any{
		"id": goal, "revision": revision, "status": status, "reason": reason,
	}}
}

// goal changes the goal as a person does.
func (b *bench) goal(c planning.GoalChange) planning.State {
	b.t.Helper()
	return b.do(func(s planning.State) ([]planning.Event, error) {
		if c.Op != planning.GoalCreate {
			ref := s.Goal.Ref()
			c.Ref = &ref
		}
		return planning.GoalEvents(s, ana.Actor(), c)
	})
}

func TestGoal_G4_ThreeRoundsAndNoMore(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(createGoal("g", "green tests", 3)), fakeopenai.Text("set"),
		fakeopenai.Text("one"), fakeopenai.Text("two"), fakeopenai.Text("three"))
	b.begin(planning.ModeNormal)
	b.until("the end of all rounds", func(s planning.State) bool {
		return s.Goal.Rounds == 3 && s.Status() == planning.StatusDone
	})
	requests := b.model.Requests()
	if len(requests) != 5 {
		t.Fatalf("%d requests, want 5", len(requests))
	}
	for i := range 3 {
		want := fmt.Sprintf("Round %d of 3", i+1)
		rounds := 0
		for _, m := range requests[i+2].Messages() {
			if m.Role == "user" && strings.HasPrefix(m.Content, want) {
				rounds++
			}
		}
		if last := requests[i+2].Last(); rounds != 1 || !strings.HasPrefix(last.Content, "Current goal g1, revision 1, active, "+strings.ToLower(want)) {
			t.Errorf("request %d has round %d %d times and ends with %q", i+3, i+1, rounds, last.Content)
		}
	}
}

func TestGoal_G2_AStaleRevisionIsToldTheCurrentOne(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(createGoal("g", "green tests", 3)),
		fakeopenai.Calls(updateGoal("stale", "g1", 7, "complete", "")),
		fakeopenai.Calls(updateGoal("wish", "g1", 1, "paused", "")),
		fakeopenai.Calls(updateGoal("good", "g1", 1, "complete", "")),
		fakeopenai.Text("reached"))
	b.begin(planning.ModeNormal)
	s := b.until("the end", func(s planning.State) bool { return s.Status() == planning.StatusDone })
	got := b.results()
	if !strings.Contains(got["stale"], `"revision":1`) || !strings.Contains(got["stale"], `"phase":"active"`) {
		t.Errorf("a stale revision was answered with %q", got["stale"])
	}
	if !strings.Contains(got["wish"], "for people") {
		t.Errorf("a status that is for people was answered with %q", got["wish"])
	}
	if s.Goal.Phase != planning.GoalComplete || s.Goal.Rounds != 0 || s.Goal.Revision != 2 {
		t.Errorf("the goal is %+v", s.Goal)
	}
}

// Paused in its second round and restarted, it waits; what runs then is what a
// person lets run (G5).
func TestGoal_G5_WaitsAfterPauseAndRestart(t *testing.T) {
	b := newBench(t, fakeopenai.Text("hello"), fakeopenai.Text("one"))
	b.model.Otherwise(fakeopenai.Turn{Text: "half a second rou", Stall: true})
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusDone)
	b.goal(planning.GoalChange{Op: planning.GoalCreate, Objective: "green tests", MaxRounds: 3})
	b.until("round 2", func(s planning.State) bool { return s.Goal.Rounds == 2 })
	b.goal(planning.GoalChange{Op: planning.GoalPause})
	s := b.restart()
	if s.Goal.Phase != planning.GoalPaused || s.Goal.Rounds != 2 || s.Goal.Revision != 2 || s.Runnable() {
		t.Fatalf("after the restart: %+v, runs %v", s.Goal, s.Runnable())
	}
	b.model.Add(fakeopenai.Text("two again"), fakeopenai.Text("three"))
	b.resume()
	if s := b.rests(planning.StatusDone); s.Goal.Rounds != 2 {
		t.Fatalf("a paused goal went on to round %d", s.Goal.Rounds)
	}
	b.goal(planning.GoalChange{Op: planning.GoalResume})
	b.until("round 3", func(s planning.State) bool {
		return s.Goal.Rounds == 3 && s.Status() == planning.StatusDone
	})
}
