package planning

import (
	"encoding/json"
	"testing"

	"countersign/internal/planning/document"

	"github.com/google/go-cmp/cmp"
)

// longSession is a log in which every kind of event occurs.
func longSession(t testing.TB) []Record {
	t.Helper()
	block := func(id, title string, change Change) Block {
		return Block{Block: document.Block{Kind: document.Step, Number: 1, Title: title, Start: 5, End: 12}, ID: id, Change: change, Origin: 1}
	}
	_, records := recorded(t,
		SessionCreated{Title: "T", Workspace: "/w", Model: "builtin", Mode: ModePlan, Approvals: 2},
		UserMessage{Text: "do it"},
		ModelMessage{Text: "looking", Calls: []ToolCall{{ID: "c1", Name: "grep"}, {ID: "c2", Name: "submit_plan"}}, Usage: Usage{Input: 10, Output: 5}, Seen: 2},
		ToolFinished{Call: "c1", Name: "grep", Outcome: OutcomeOK, Output: "a.go:1:x", Summary: "x"},
		PlanSubmitted{Version: 1, Call: "c2", Title: "T", Markdown: "# T\n\n1. One\n", SHA256: "h1", Scope: Scope{Files: []string{"a.go"}}, Blocks: []Block{block("s1", "One", "")}},
		RunParked{Wait: WaitReview},
		ThreadOpened{Thread: "t1", Version: 1, Step: "s1", Body: "why?"},
		ThreadOpened{Thread: "t2", Version: 1, Body: "shorter"},
		ThreadReplied{Thread: "t1", Body: "because"},
		ThreadResolved{Thread: "t2"},
		ThreadReopened{Thread: "t2"},
		StepEdited{Op: EditRewrite, Version: 1, Step: "s1", Base: "h1", SHA256: "h2", Markdown: "# T\n\n1. Two\n", Blocks: []Block{block("s1", "Two", "")}},
		StepEdited{Op: EditInsert, Version: 1, Step: "s2", Base: "h2", SHA256: "h3", Markdown: "# T\n\n1. Two\n2. x\n", Blocks: []Block{block("s1", "Two", ""), block("s2", "x", ChangeNew)}},
		StepEdited{Op: EditMove, Version: 1, Step: "s2", Base: "h3", SHA256: "h4", Markdown: "# T\n\n2. x\n1. Two\n", Blocks: []Block{block("s2", "x", ChangeNew), block("s1", "Two", "")}},
		StepEdited{Op: EditDelete, Version: 1, Step: "s2", Base: "h4", SHA256: "h2", Markdown: "# T\n\n1. Two\n", Blocks: []Block{block("s1", "Two", "")}},
		ReviewApproved{Version: 1, SHA256: "h2"},
		ReviewDecided{Version: 1, SHA256: "h2", Verdict: VerdictRequestChanges, Call: "c2", Result: "change it"},
		ModelMessage{Calls: []ToolCall{{ID: "c3", Name: "submit_plan"}}, Seen: 17},
		PlanSubmitted{Version: 2, Call: "c3", Title: "T", Markdown: "# T\n\n1. Three\n", SHA256: "h5", Scope: Scope{Files: []string{"a.go"}}, Blocks: []Block{block("s1", "Three", ChangeText)}},
		RunParked{Wait: WaitReview},
		ReviewDecided{Version: 2, SHA256: "h5", Verdict: VerdictApprove, Call: "c3", Result: "Approved"},
		TodoWritten{Items: []Todo{{ID: "s1", Text: "Three", Status: TodoPending}}},
		ModeChanged{From: ModePlan, To: ModeExecuting},
		ModelMessage{Calls: []ToolCall{{ID: "c4", Name: "write_file"}, {ID: "c5", Name: "shell"}}, Seen: 23},
		ToolStarted{Call: "c4", Name: "write_file", Summary: "a.go"},
		FileChanged{Call: "c4", Path: "a.go", Existed: true, Exists: true, Before: "1", After: "2", InPlan: true, Todo: "s1"},
		ToolFinished{Call: "c4", Name: "write_file", Outcome: OutcomeOK, Output: "ok"},
		FileChanged{Call: "c4", Path: "b.go", Exists: true, After: "3"},
		FileChanged{Call: "c4", Path: "a.go", Existed: true, Exists: true, Before: "2", After: "4", InPlan: false},
		PermissionAsked{ID: "p1", Call: "c5", Tool: "shell", Command: "make"},
		RunParked{Wait: WaitPermission},
		PermissionAnswered{ID: "p1", Answer: AnswerReplan, Reason: "no"},
		ToolFinished{Call: "c5", Name: "shell", Outcome: OutcomeDenied, Output: "no"},
		RunPaused{Reason: "by Ana"},
		UserMessage{Text: "", Command: CommandPlanOff},
		RunResumed{},
		RunFailed{Message: "down"},
		RunResumed{},
		ModelMessage{Text: "done", Seen: 38},
		RunFinished{Unfinished: 1},
		ToolsListed{Servers: []ToolServer{{Name: "docs", Transport: "stdio", Tools: []ServedTool{{Name: "docs__search", Hint: true}}}}},
		PermissionWithdrawn{ID: "p1"},
		QuestionAsked{ID: "q1", Call: "c6", Questions: []Question{{ID: "a", Question: "Which?", Options: []string{"x"}}}},
		QuestionAnswered{ID: "q1", Call: "c6", Answers: []QuestionAnswer{{ID: "a", Selected: []string{"x"}}}, Result: "x"},
		QuestionAsked{ID: "q2", Call: "c7", Questions: []Question{{ID: "a", Question: "Why?"}}},
		QuestionDismissed{ID: "q2", Call: "c7", Result: "no"},
		ScopeEdited{Version: 1, Base: "h2", SHA256: "h6", Before: Scope{Files: []string{"a.go"}}, Scope: Scope{Files: []string{"b.go"}}},
		EditUndone{Version: 1, Edit: 12, Op: EditRewrite, Step: "s1", Base: "h6", SHA256: "h7", Markdown: "# T\n\n1. One\n", Blocks: []Block{block("s1", "One", "")}},
		CommentEdited{Thread: "t1", Comment: 7, Body: "why so?"},
		CommentAgreed{Thread: "t1", Comment: 7},
		AgreementWithdrawn{Thread: "t1", Comment: 7},
		CommentDeleted{Thread: "t1", Comment: 9},
		ApprovalWithdrawn{Version: 1, SHA256: "h2"},
		ChangeReleased{Version: 1, Of: EditRewrite, Step: "s1"},
		GoalChanged{Op: GoalCreate, Goal: Goal{ID: "g1", Number: 1, Revision: 1, Phase: GoalActive, Objective: "green", MaxRounds: 2}},
		GoalRoundStarted{Goal: "g1", Round: 1, Text: "go on"},
		TodoReminded{Unfinished: 1, Text: "one is open"},
		InstructionsRead{Files: []Instruction{{Path: "AGENTS.md", Text: "be brief"}}},
		UserMessage{Command: CommandCompact},
		ContextCompacted{Upto: 20, Text: "shorter", Messages: 9},
		AgentStarted{Agent: "a1", Call: "c5", Task: "look"},
		AgentMessage{Agent: "a1", ModelMessage: ModelMessage{Text: "looking", Calls: []ToolCall{{ID: "a1.1.x", Name: "shell"}}}},
		AgentToolStarted{Agent: "a1", ToolStarted: ToolStarted{Call: "a1.1.x", Name: "shell", Summary: "ls"}},
		AgentToolFinished{Agent: "a1", ToolFinished: ToolFinished{Call: "a1.1.x", Name: "shell", Outcome: OutcomeOK, Summary: "ls"}},
		AgentFinished{Agent: "a1", Outcome: OutcomeOK},
		RunFinished{Unfinished: 1},
	)
	return records
}

func TestSession_S1_StateIsAFoldOverTheLog(t *testing.T) {
	records := longSession(t)
	seen := map[Kind]bool{}
	states := make([]State, 1, len(records)+1)
	stored := make([][]byte, 1, len(records)+1)
	stored[0] = encode(t, State{})
	for _, r := range records {
		seen[r.Kind] = true
		s, err := states[len(states)-1].Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
		stored = append(stored, encode(t, s))
	}
	for kind := range decoders {
		if !seen[kind] {
			t.Errorf("the session has no %s", kind)
		}
	}
	for i, s := range states {
		if now := encode(t, s); string(now) != string(stored[i]) {
			t.Errorf("a later event wrote into state %d:\n%s", i, cmp.Diff(string(stored[i]), string(now)))
		}
		var snapshot State
		if err := json.Unmarshal(stored[i], &snapshot); err != nil {
			t.Fatal(err)
		}
		end, err := Fold(snapshot, records[i:]...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(states[len(states)-1].Summary(), end.Summary()); diff != "" {
			t.Errorf("snapshot at %d and the rest give another end:\n%s", i, diff)
		}
		if string(encode(t, end)) != string(stored[len(stored)-1]) {
			t.Errorf("snapshot at %d and the rest give another state", i)
		}
	}
}

func TestSession_S9_WhatTheLogAloneSays(t *testing.T) {
	s, err := Fold(State{}, longSession(t)...)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := s.Approved(); !ok || p.Version != 2 || p.Decision.Verdict != VerdictApprove {
		t.Errorf("approved: %+v, %v", p, ok)
	}
	if s.Status() != StatusDone || s.Run.Unfinished != 1 || s.Queued != ModeNormal {
		t.Errorf("status %s, unfinished %d, queued %q", s.Status(), s.Run.Unfinished, s.Queued)
	}
	want := []FileChange{
		{Path: "a.go", First: 26, Last: 29, Existed: true, Exists: true, Todos: []string{"s1"}, Spans: []ChangeSpan{
			{Todo: "s1", First: 26, Last: 26, Existed: true, Exists: true, InPlan: true},
			{First: 29, Last: 29, Existed: true, Exists: true},
		}},
		{Path: "b.go", First: 28, Last: 28, Exists: true, Spans: []ChangeSpan{{First: 28, Last: 28, Exists: true}}},
	}
	if diff := cmp.Diff(want, s.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if s.Usage != (Usage{Input: 10, Output: 5}) {
		t.Errorf("usage: %+v", s.Usage)
	}
}

// Whoever waits for a person never goes on by itself (S4, P15).
func TestSession_S4_RunnableOnlyWhenThereIsSomethingToDo(t *testing.T) {
	records := longSession(t)
	at := func(seq int) State {
		s, err := Fold(State{}, records[:seq]...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for what, c := range map[string]struct {
		seq  int
		want bool
	}{
		"a new task": {2, true}, "a plan in review": {6, false}, "comments came in": {9, false},
		"one approval of two": {16, false}, "changes asked for": {17, true}, "approved": {21, true},
		"a permission is asked": {31, false}, "a permission is answered": {32, true},
		"paused": {34, false}, "a message while paused": {35, false}, "resumed": {36, true},
		"failed": {37, false}, "finished": {40, false},
	} {
		if got := at(c.seq).Runnable(); got != c.want {
			t.Errorf("%s: runnable %v, want %v", what, got, c.want)
		}
	}
}

func encode(t *testing.T, s State) []byte {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
