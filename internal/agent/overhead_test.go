package agent_test

import (
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// maxOverhead is what planning may add to a request, in characters/4. T11
// allows 289; this is what was reached.
const maxOverhead = 200

// TestPlanningOverhead prints, for each enforcement and mode, what the model is
// sent for planning: the planning prompt, and name, description and schema of
// update_plan and submit_plan. The list itself is extra.
func TestPlanningOverhead(t *testing.T) {
	for _, enforcement := range []permission.Enforcement{permission.ReadOnly, permission.Guidance} {
		b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Text("done"))
		b.agent.Settings.Policy.Enforcement = enforcement
		b.begin(planning.ModePlan)
		b.rests(planning.StatusInReview)
		b.verdict(planning.VerdictApprove, "")
		b.rests(planning.StatusDone)
		requests := b.model.Requests()
		base := len(requests[1].System()) // executing: no planning section
		for i, mode := range []string{"planning", "executing"} {
			prompt := len(requests[i].System()) - base
			tools := 0
			for _, tool := range requests[i].Tools() {
				if tool.Name == "update_plan" || tool.Name == "submit_plan" {
					tools += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
				}
			}
			t.Logf("%s, %s: %d for the prompt, %d for the tools, %d in all (characters/4)", enforcement, mode, prompt/4, tools/4, (prompt+tools)/4)
			if tools == 0 || (prompt+tools)/4 >= maxOverhead {
				t.Errorf("T11: %s, %s costs %d, less than %d is to be reached", enforcement, mode, (prompt+tools)/4, maxOverhead)
			}
		}
	}
}
