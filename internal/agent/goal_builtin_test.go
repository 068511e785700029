package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/builtin"
	"countersign/internal/planning"
)

// The built-in planner ends its rounds itself: with nothing left to do the goal
// is reached, and what it does not understand blocks it.
func TestGoal_G4_TheBuiltinPlannerDoesNotGoRoundForNothing(t *testing.T) {
	for name, c := range map[string]struct {
		objective string
		phase     planning.GoalPhase
		asks      bool
		file      string
	}{
		"nothing left to do": {"Rename Absent to Gone", planning.GoalComplete, false, "Greeter\n"},
		"work to do":         {"Rename Greeter to Welcomer", planning.GoalComplete, true, "Welcomer\n"},
		"not understood":     {"Make all of it nicer", planning.GoalBlocked, false, "Greeter\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.agent.Models = func(string) (agent.Model, error) { return builtin.New(), nil }
			b.file("a.txt", "Greeter\n")
			b.begin(planning.ModeNormal)
			b.rests(planning.StatusDone)
			b.goal(planning.GoalChange{Op: planning.GoalCreate, Objective: c.objective, MaxRounds: 5})
			if c.asks {
				b.rests(planning.StatusWaiting)
				b.answer(planning.AnswerSession, "")
			}
			s := b.until("the goal's end", func(s planning.State) bool {
				return s.Goal.Phase != planning.GoalActive && s.Status() == planning.StatusDone
			})
			if s.Goal.Phase != c.phase || s.Goal.Rounds != 1 || b.text("a.txt") != c.file {
				t.Errorf("after round %d the goal is %s (%s), a.txt is %q", s.Goal.Rounds, s.Goal.Phase, s.Goal.Reason, b.text("a.txt"))
			}
			said := recordsOf[planning.ModelMessage](b)
			if last := said[len(said)-1]; !strings.Contains(last.Text, "goal") || len(last.Calls) > 0 {
				t.Errorf("it ended with %q", last.Text)
			}
		})
	}
}
