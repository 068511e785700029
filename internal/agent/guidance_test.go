package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// guided is a bench whose plan mode is held up by the prompt alone.
func guided(t *testing.T, turns ...fakeopenai.Turn) *bench {
	b := newBench(t, turns...)
	b.agent.Settings.Policy.Enforcement = permission.Guidance
	b.file("a.txt", "old\n")
	return b
}

func TestPlan_P23_OneListOfToolsAndPermissionsDecide(t *testing.T) {
	b := guided(t,
		fakeopenai.Calls(writeFile("w", "a.txt", "early\n"), shell("c", "echo x > c.txt")),
		fakeopenai.Calls(submit("p")),
		fakeopenai.Calls(submit("again")),
		fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusWaiting)
	if n := len(s.OpenPermissions()); n != 2 {
		t.Fatalf("%d questions, want one each for the file and the command", n)
	}
	for _, p := range s.OpenPermissions() {
		if !strings.Contains(p.Reason, "planning") || strings.Contains(p.Reason, "without a plan") {
			t.Errorf("the reason is not true: %q", p.Reason)
		}
	}
	b.answer(planning.AnswerOnce, "")
	b.answer(planning.AnswerRefuse, "Not yet.")
	b.rests(planning.StatusInReview)
	if b.text("a.txt") != "early\n" || b.text("c.txt") != "(none)" {
		t.Errorf("a.txt %q, c.txt %q", b.text("a.txt"), b.text("c.txt"))
	}
	b.verdict(planning.VerdictApprove, "")
	s = b.rests(planning.StatusDone)
	requests := b.model.Requests()
	first, last := toolNames(requests[0]), toolNames(requests[len(requests)-1])
	if first != last || !strings.Contains(first, "submit_plan") || !strings.Contains(first, "write_file") {
		t.Errorf("tools while planning: %s; in execution: %s", first, last)
	}
	if system := requests[0].System(); !strings.Contains(system, "change nothing yet") || strings.Contains(system, "nothing can be changed") {
		t.Errorf("the prompt is not true: %q", system)
	}
	if got := b.results()["again"]; !strings.Contains(got, "not in plan mode") || len(s.Plans) != 1 {
		t.Errorf("P11: a plan in execution: %q, %d versions", got, len(s.Plans))
	}
}

func TestPlan_P6_P23_DenyHoldsWithGuidance(t *testing.T) {
	b := guided(t, fakeopenai.Calls(shell("c", "echo x > c.txt")), fakeopenai.Calls(submit("p")))
	b.agent.Settings.Policy.PlanShell = "Commands are switched off while planning."
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	if got := b.results()["c"]; !strings.Contains(got, "switched off") || len(s.Permissions) != 0 || b.text("c.txt") != "(none)" {
		t.Errorf("result %q, %d questions", got, len(s.Permissions))
	}
}
