package builtin

import (
	"math/rand/v2"
	"strings"
	"testing"

	"countersign/internal/agent"
)

// answers are what tools and people may say, at the wrong place too.
var answers = []string{
	"", "x", "[no match]\n", "a.go:1:OldName\nb.go:2:OldName\n", "a/b/c.go:3:OldName\n[stopped after 1 match; narrow the pattern, or give path or glob]\n",
	"a/\nb/\nc.go 12\n[3 more]\n", "[a.go: lines 1–2 of 2]\nOldName\nOldName\n", "[a.go: lines 1–1 of 9; the answer was full, go on with start_line 2]\nOldName\n",
	"[a.go: lines 2–2 of 9; the answer was full, go on with start_line 3]\nOldName\n", "[a.go: lines 1–0 of 0; the answer was full, go on with start_line 1]\n", "[a.go: empty]\n",
	"The outcome is unknown: the server went down while this ran.", "Stopped by a person, or by the server's end, before it was done.",
	"Refused by Bo. The session goes back to plan mode: submit a new plan.", "Refused by Bo. no",
	"Approved by Ana. Carry out exactly this plan now.\n", "The plan was abandoned by Ana.",
	"The plan was reviewed by Ana. Please change it.\n\nOn step 1 `x`:\nAna wrote:\n```\nskip this\n```\n\nStep 1 `x` was rewritten by Bo. Keep it word for word:\n```\n# \n```\n\nThe steps are now, in this order: new, 7.\n",
	"The plan was reviewed by Ana. \n\nA step was inserted by Bo. Keep it word for word:\n````\n",
	"Approved by Ana. \n\nThe reviewers changed it. This is the final text:\n```\n# T\n\n1. Rename in `a.go`\n   ```diff\n   @@ line 1 @@\n   -OldName\n   +x\n",
	"Approved by Ana. \n\nThe reviewers changed it. This is the final text:\n````\n# T\n\n1. Rename in `a.go`\n   ```diff\n   @@ line 1 @@\n   -OldName\n   +x\n   ```\n````\n",
}

// Whatever the tools answer, every task ends, and no turn is out of form.
func TestReply_AlwaysEnds(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 7))
		req := agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: task1}}}
		turns, ids := 0, map[string]bool{}
		for ; turns <= maxTurns+1; turns++ {
			req.Tools = nil
			for _, name := range append(planTools, "edit_file") {
				if random.IntN(8) > 0 {
					req.Tools = append(req.Tools, agent.ToolSpec{Name: name})
				}
			}
			m := reply(req)
			if m.text == "" && len(m.calls) == 0 || strings.HasPrefix(m.text, "# ") {
				t.Fatalf("seed %d: bad turn %+v", seed, m)
			}
			if len(m.calls) == 0 {
				break
			}
			req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Text: m.text, Calls: m.calls})
			for _, c := range m.calls {
				if ids[c.ID] {
					t.Fatalf("seed %d: the id %s comes twice", seed, c.ID)
				}
				ids[c.ID] = true
				req.Messages = append(req.Messages, agent.Message{
					Role: agent.RoleTool, CallID: c.ID, Text: answers[random.IntN(len(answers))], Failed: random.IntN(3) == 0,
				})
			}
			if random.IntN(20) == 0 {
				req.Messages = append(req.Messages, agent.Message{Role: agent.RoleUser, Text: "skip b.go"})
			}
		}
		if turns > maxTurns {
			t.Errorf("seed %d: no end after %d turns", seed, turns)
		}
	}
}
