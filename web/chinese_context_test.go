package web

import "countersign/internal/planning"

// context is sub-agents, instructions, compaction, and rounds towards a goal.
func (z *chinese) context() {
	z.begin("分")
	ask := planning.ModelMessage{}
	for _, call := range []string{"s1", "s2", "s3"} {
		ask.Calls = append(ask.Calls, planning.ToolCall{ID: call, Name: "spawn_agent"})
	}
	z.does(chineseAgent, ask)
	for i, outcome := range []planning.Outcome{planning.OutcomeOK, planning.OutcomeUnknown, planning.OutcomeError} {
		id, call := []string{"a1", "a2", "a3"}[i], ask.Calls[i].ID
		z.does(chineseAgent, planning.ToolStarted{Call: call, Name: "spawn_agent", Summary: "看"},
			planning.AgentStarted{Agent: id, Call: call, Task: "看", Tools: []string{"grep"}})
		z.does(planning.Actor{Kind: planning.ActorSubagent, ID: id, Name: "模型"},
			planning.AgentMessage{Agent: id, ModelMessage: planning.ModelMessage{Text: "看过。"}},
			planning.AgentToolStarted{Agent: id, ToolStarted: planning.ToolStarted{Call: id + "_1", Name: "shell", Summary: "甲"}})
		z.pages()
		z.does(chineseAgent, planning.AgentToolFinished{Agent: id, ToolFinished: planning.ToolFinished{Call: id + "_1", Name: "shell", Outcome: planning.OutcomeDenied, Output: "不"}},
			planning.AgentFinished{Agent: id, Outcome: outcome},
			planning.ToolFinished{Call: call, Name: "spawn_agent", Outcome: planning.OutcomeOK, Note: "2 calls", Output: "好"})
	}
	z.does(planning.System, planning.InstructionsRead{Files: []planning.Instruction{
		{Path: "甲", Text: "好", Cut: true}, {Path: "乙", Cut: true}, {Path: "丙"}, {Path: "丁", Fault: "It can't be read."}, {Path: "戊", Fault: "It is no text, or too large."},
	}})
	z.pages()
	z.does(planning.System, planning.InstructionsRead{Same: true}, planning.InstructionsRead{},
		planning.ContextCompacted{Upto: 1, Messages: 2, Before: 9000, After: 10, Text: "短"}, planning.ContextCompacted{Upto: 2, Asked: true, Text: "短"}, planning.ContextCompacted{})
	goal := planning.Goal{ID: "g1", Revision: 1, Phase: planning.GoalActive, Objective: "绿", MaxRounds: 3, Number: 1}
	z.does(z.person.Actor(), planning.UserMessage{Command: planning.CommandCompact}, planning.GoalChanged{Op: planning.GoalCreate, Goal: goal},
		planning.GoalRoundStarted{Goal: "g1", Round: 1, Of: 3, Text: "好"}, planning.GoalRoundStarted{Goal: "g1", Round: 2, Text: "好"})
	for _, change := range []planning.GoalChange{
		{Op: planning.GoalEdit, Objective: "红"}, {Op: planning.GoalPause, Reason: "等"}, {Op: planning.GoalResume},
		{Op: planning.GoalBlock, Reason: "难"}, {Op: planning.GoalMarked}, {Op: planning.GoalClear},
	} {
		ref := z.state(z.id).Goal.Ref()
		change.Ref = &ref
		changed, err := planning.ChangeGoal(z.state(z.id), change)
		z.must(err)
		z.does(z.person.Actor(), changed)
	}
	z.pages()
}
