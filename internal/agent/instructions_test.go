package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/tool"
	"countersign/internal/planning"
)

// Instructions are in the system prompt of every request; that they change on
// the way breaks no prefix, because they are read again only with the mode.
func TestPlan_P8_InstructionsStayUntilTheModeChanges(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(readFile("r", "a.txt")), fakeopenai.Calls(submit("p")),
		fakeopenai.Calls(writeFile("w", "a.txt", "new")), fakeopenai.Text("done"))
	b.agent.Instructions = tool.Config{}.Instructions(nil)
	b.file("a.txt", "old")
	b.file("AGENTS.md", "Speak in rhymes.")
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.file("AGENTS.md", "Speak in prose.")
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	s := b.rests(planning.StatusDone)
	for i, r := range b.model.Requests() {
		want, not := "Speak in rhymes.", "Speak in prose."
		if i >= 2 {
			want, not = not, want
		}
		if system := r.System(); strings.Count(system, want) != 1 || strings.Contains(system, not) {
			t.Errorf("request %d has the system prompt %q", i+1, system)
		}
	}
	if read := recordsOf[planning.InstructionsRead](b); len(read) != 2 || len(s.Instructions) != 1 || s.Instructions[0].Path != "AGENTS.md" {
		t.Errorf("read %d times; %+v", len(read), s.Instructions)
	}
}
