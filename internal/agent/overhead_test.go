package agent_test

import (
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// maxOverhead is what planning may add to a request, in characters/4 (T11).
const maxOverhead = 289

// TestPlanningOverhead prints, for each mode, what the model is sent for
// planning: the planning prompt, and name, description and schema of
// update_plan and submit_plan. The list itself is extra.
func TestPlanningOverhead(t *testing.T) {
	b := approved(t, fakeopenai.Text("done"))
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
		t.Logf("%s: %d for the prompt, %d for the tools, %d in all (characters/4)", mode, prompt/4, tools/4, (prompt+tools)/4)
		if tools == 0 || (prompt+tools)/4 > maxOverhead {
			t.Errorf("T11: %s costs %d, at most %d are allowed", mode, (prompt+tools)/4, maxOverhead)
		}
	}
}
