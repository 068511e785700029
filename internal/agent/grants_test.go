package agent_test

import (
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// What was allowed by a pattern is asked about no more until it is withdrawn,
// and does not count in plan mode.
func TestPermission_P3_P29_PatternUntilItIsWithdrawn(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(writeFile("w1", "a.txt", "1")), fakeopenai.Calls(writeFile("w2", "b.txt", "2")), fakeopenai.Text("done"),
		fakeopenai.Calls(writeFile("w3", "c.txt", "3")), fakeopenai.Text("done"),
		fakeopenai.Calls(writeFile("w4", "d.txt", "4")), fakeopenai.Text("What now?"))
	b.begin(planning.ModeNormal)
	id := b.rests(planning.StatusWaiting).OpenPermissions()[0].ID
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.AnswerPermission(s, ana.Actor(), id, planning.AnswerSession, "", "*.txt")
	})
	if s := b.rests(planning.StatusDone); len(s.Permissions) != 1 || b.text("b.txt") != "2" {
		t.Fatalf("%d requests, b.txt = %q", len(s.Permissions), b.text("b.txt"))
	}
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.WithdrawPermission(s, bo.Actor(), id)
	})
	b.say("And c.txt.")
	b.rests(planning.StatusWaiting)
	if b.text("c.txt") != "(none)" {
		t.Error("c.txt was written after the withdrawal")
	}
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.AnswerPermission(s, ana.Actor(), s.OpenPermissions()[0].ID, planning.AnswerSession, "", "*.txt")
	})
	b.rests(planning.StatusDone)
	b.say("/plan d.txt")
	s := b.until("plan mode at rest", func(s planning.State) bool {
		return s.Mode == planning.ModePlan && s.Run.Phase == planning.PhaseParked
	})
	if len(s.Permissions) != 2 || b.text("d.txt") != "(none)" || b.text("c.txt") != "3" {
		t.Errorf("%d requests, d.txt = %q", len(s.Permissions), b.text("d.txt"))
	}
}
