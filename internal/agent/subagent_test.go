package agent_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func spawn(id, task string, tools ...string) fakeopenai.Call {
	args := map[string]any{"task": task}
	if len(tools) > 0 {
		args["tools"] = tools
	}
	return fakeopenai.Call{ID: id, Name: "spawn_agent", Arguments: args}
}

// errands answers the requests of sub-agents by their task: each gets its turns
// one after the other, and the last one again when there are no more.
type errands struct {
	mu    sync.Mutex
	turns map[string][]fakeopenai.Turn // by task
	root  []fakeopenai.Turn
	asked map[string][]fakeopenai.Request
}

func (b *bench) errands(root []fakeopenai.Turn, tasks map[string][]fakeopenai.Turn) *errands {
	e := &errands{root: root, turns: tasks, asked: map[string][]fakeopenai.Request{}}
	b.model.Otherwise(fakeopenai.Turn{From: e.answer})
	return e
}

func (e *errands) answer(r fakeopenai.Request) fakeopenai.Turn {
	turn := e.take(r)
	if turn.From != nil { // it may block
		turn = turn.From(r)
	}
	return turn
}

func (e *errands) take(r fakeopenai.Request) fakeopenai.Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	task := ""
	for _, m := range r.Messages() {
		if m.Role == "user" {
			task = m.Content
			break
		}
	}
	e.asked[task] = append(e.asked[task], r)
	turns, is := e.turns[task]
	if !is {
		turns = e.root
	}
	turn := turns[0]
	if len(turns) > 1 {
		turns = turns[1:]
	}
	if is {
		e.turns[task] = turns
	} else {
		e.root = turns
	}
	return turn
}

// requests are those of one sub-agent, or of the root with "the task".
func (e *errands) requests(task string) []fakeopenai.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked[task]
}

func (b *bench) subagentResults() map[string]planning.AgentToolFinished {
	b.t.Helper()
	got := map[string]planning.AgentToolFinished{}
	for _, f := range recordsOf[planning.AgentToolFinished](b) {
		if _, twice := got[f.Call]; twice {
			b.t.Errorf("call %s of a sub-agent has two results", f.Call)
		}
		got[f.Call] = f
	}
	return got
}

func TestPlan_P19_ThreeSubagentsWriteNothingWhilePlanning(t *testing.T) {
	b := newBench(t)
	b.file("a.txt", "old")
	var calls []fakeopenai.Call
	tasks := map[string][]fakeopenai.Turn{}
	for i := range 3 {
		task := fmt.Sprintf("part %d", i)
		calls = append(calls, spawn(fmt.Sprintf("s%d", i), task))
		tasks[task] = []fakeopenai.Turn{
			fakeopenai.Calls(writeFile("w", "a.txt", "changed"), shell("c", "echo x > a.txt; echo y > new.txt")),
			fakeopenai.Text("report of " + task),
		}
	}
	e := b.errands([]fakeopenai.Turn{fakeopenai.Calls(calls...), fakeopenai.Calls(submit("p"))}, tasks)
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)

	if a, n := b.text("a.txt"), b.text("new.txt"); a != "old" || n != "(none)" {
		t.Errorf("a.txt = %q, new.txt = %q", a, n)
	}
	if len(s.Subagents) != 3 || len(s.Permissions) != 0 {
		t.Fatalf("%d sub-agents, %d questions", len(s.Subagents), len(s.Permissions))
	}
	results := b.subagentResults()
	for _, a := range s.Subagents {
		if a.Outcome != planning.OutcomeOK || a.Calls != 2 {
			t.Errorf("sub-agent %+v", a)
		}
		if w := results[a.ID+"_1_w"]; w.Outcome != planning.OutcomeDenied || !strings.Contains(w.Output, "plan mode") {
			t.Errorf("write_file of %s: %+v", a.ID, w)
		}
	}
	for task := range tasks {
		names := toolNames(e.requests(task)[0])
		for _, none := range []string{"write_file", "submit_plan", "update_plan", "ask_user", "spawn_agent", "goal"} {
			if strings.Contains(names, none) {
				t.Errorf("a sub-agent is offered %s: %s", none, names)
			}
		}
	}
	got := map[string]string{}
	for _, m := range e.requests("the task")[1].Messages() {
		if m.Role == "tool" {
			got[m.ToolCallID] += m.Content
		}
	}
	for i := range 3 {
		if want := fmt.Sprintf("report of part %d", i); got[fmt.Sprintf("s%d", i)] != want {
			t.Errorf("the result of s%d is %q", i, got[fmt.Sprintf("s%d", i)])
		}
	}
}

// One that was started before plan mode can't write in it.
func TestPlan_P19_StartedBeforePlanMode(t *testing.T) {
	b := newBench(t)
	b.file("a.txt", "old")
	hold := make(chan struct{})
	b.errands(
		[]fakeopenai.Turn{fakeopenai.Calls(shell("g", "true")), fakeopenai.Calls(spawn("s", "go")), fakeopenai.Calls(submit("p"))},
		map[string][]fakeopenai.Turn{"go": {
			{From: func(fakeopenai.Request) fakeopenai.Turn {
				<-hold
				return fakeopenai.Calls(writeFile("w", "a.txt", "x"), shell("c", "echo x > a.txt"))
			}},
			fakeopenai.Text("report"),
		}})
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerOnce, "")
	b.until("the sub-agent", func(s planning.State) bool { return len(s.Subagents) == 1 })
	b.say("/plan look first")
	close(hold)
	s := b.rests(planning.StatusInReview)
	if got := b.text("a.txt"); got != "old" {
		t.Errorf("a.txt = %q", got)
	}
	results := b.subagentResults()
	if w := results["a1_1_w"]; w.Outcome != planning.OutcomeDenied || !strings.Contains(w.Output, "plan mode") {
		t.Errorf("write_file: %+v", w)
	}
	if s.Mode != planning.ModePlan || len(s.Permissions) != 1 {
		t.Errorf("mode %s, %d questions", s.Mode, len(s.Permissions))
	}
}

// One that was started in plan mode can write after the approval, and only what
// is approved.
func TestPlan_P19_StartedInPlanModeWritesAfterApproval(t *testing.T) {
	b := newBench(t)
	b.file("a.txt", "old")
	b.file("b.txt", "old")
	hold := make(chan struct{})
	b.errands(
		[]fakeopenai.Turn{fakeopenai.Calls(spawn("s", "go"), submit("p")), fakeopenai.Text("done")},
		map[string][]fakeopenai.Turn{"go": {
			fakeopenai.Calls(writeFile("early", "a.txt", "early")),
			{From: func(fakeopenai.Request) fakeopenai.Turn {
				<-hold
				return fakeopenai.Calls(fakeopenai.Call{ID: "look", Name: "list_dir", Arguments: map[string]any{}})
			}},
			fakeopenai.Calls(writeFile("w", "a.txt", "new"), writeFile("o", "b.txt", "new"), shell("c", "echo y > b.txt; echo z > a2.txt")),
			fakeopenai.Text("report"),
		}})
	b.begin(planning.ModePlan)
	b.until("the review beside the sub-agent's work", func(s planning.State) bool {
		a, ok := s.Subagent("a1")
		return s.InReview() && ok && a.Calls == 1
	})
	b.verdict(planning.VerdictApprove, "")
	close(hold)
	s := b.rests(planning.StatusDone)
	if a, other := b.text("a.txt"), b.text("b.txt"); a != "new" || other != "old" || b.text("a2.txt") != "(none)" {
		t.Errorf("a.txt = %q, b.txt = %q, a2.txt = %q", a, other, b.text("a2.txt"))
	}
	results := b.subagentResults()
	if early := results["a1_1_early"]; early.Outcome != planning.OutcomeDenied {
		t.Errorf("before the approval: %+v", early)
	}
	if o := results["a1_3_o"]; o.Outcome != planning.OutcomeDenied || !strings.Contains(o.Output, "report") {
		t.Errorf("a file that is not approved: %+v", o)
	}
	if len(s.Permissions) != 0 {
		t.Error("a person was asked for a sub-agent")
	}
	if len(s.Changes) != 1 || s.Changes[0].Path != "a.txt" {
		t.Errorf("changes: %+v", s.Changes)
	}
}

func TestQuestion_Q3_WhatOnlyTheRootHas(t *testing.T) {
	b := newBench(t)
	b.errands(
		[]fakeopenai.Turn{fakeopenai.Calls(spawn("s", "go", "read_file")), fakeopenai.Text("done")},
		map[string][]fakeopenai.Turn{"go": {
			fakeopenai.Calls(
				fakeopenai.Call{ID: "q", Name: "ask_user", Arguments: map[string]any{"questions": []any{map[string]any{"id": "x", "question": "which?"}}}},
				submit("p"), spawn("n", "deeper"), shell("c", "true")),
			fakeopenai.Text("report"),
		}})
	b.begin(planning.ModeNormal)
	s := b.rests(planning.StatusDone)
	results := b.subagentResults()
	for id, want := range map[string]string{"q": "report", "p": "report", "n": "yourself", "c": "no tool"} {
		if r := results["a1_1_"+id]; r.Outcome == planning.OutcomeOK || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", id, r)
		}
	}
	if len(s.Subagents) != 1 || len(s.Plans) != 0 {
		t.Errorf("%d sub-agents, %d plans", len(s.Subagents), len(s.Plans))
	}
}

func TestSession_S4_PauseAndRestartEndSubagents(t *testing.T) {
	for what, stop := range map[string]func(*bench){
		"paused": func(b *bench) {
			b.do(func(s planning.State) ([]planning.Event, error) { return planning.Pause(s, ana.Actor()) })
			b.until("the results", func(s planning.State) bool { return s.SubagentsAtWork() == 0 && !s.CallsToRun() })
		},
		"restarted": func(b *bench) { b.restart() },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t)
			e := b.errands(
				[]fakeopenai.Turn{fakeopenai.Calls(spawn("s", "go"), spawn("r", "go too")), fakeopenai.Text("done")},
				map[string][]fakeopenai.Turn{"go": {{Text: "half", Stall: true}}, "go too": {{Text: "half", Stall: true}}})
			b.begin(planning.ModeNormal)
			b.until("both", func(s planning.State) bool { return s.SubagentsAtWork() == 2 })
			stop(b)
			s, err := b.db.State(t.Context(), b.id)
			if err != nil {
				t.Fatal(err)
			}
			if s.SubagentsAtWork() != 0 || s.Runnable() {
				t.Fatalf("%+v, runs %v", s.Subagents, s.Runnable())
			}
			b.resume()
			b.rests(planning.StatusDone)
			last := e.requests("the task")
			results := map[string]int{}
			for _, m := range last[len(last)-1].Messages() {
				if m.Role == "tool" {
					results[m.ToolCallID]++
				}
			}
			if len(last) != 2 || results["s"] != 1 || results["r"] != 1 {
				t.Errorf("%d requests of the root, results %v", len(last), results)
			}
		})
	}
}

func TestPlan_P19_LimitsOfSubagents(t *testing.T) {
	b := newBench(t)
	var calls []fakeopenai.Call
	for i := range 9 {
		calls = append(calls, spawn(fmt.Sprintf("s%d", i), "go"))
	}
	e := b.errands([]fakeopenai.Turn{fakeopenai.Calls(calls...), fakeopenai.Text("done")},
		map[string][]fakeopenai.Turn{"go": {fakeopenai.Text("report")}})
	b.begin(planning.ModeNormal)
	s := b.rests(planning.StatusDone)
	if len(s.Subagents) != 8 {
		t.Errorf("%d side by side", len(s.Subagents))
	}
	refused := 0
	for _, m := range e.requests("the task")[1].Messages() {
		if m.Role == "tool" && strings.Contains(m.Content, "side by side") {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d were refused, want 1", refused)
	}
}

// A sub-agent that never ends is asked for its report, and ended.
func TestPlan_P19_ASubagentThatNeverEnds(t *testing.T) {
	b := newBench(t)
	e := b.errands([]fakeopenai.Turn{fakeopenai.Calls(spawn("s", "go")), fakeopenai.Text("done")},
		map[string][]fakeopenai.Turn{"go": {{Text: "more", Calls: []fakeopenai.Call{{ID: "l", Name: "list_dir", Arguments: map[string]any{}}}}}})
	b.begin(planning.ModeNormal)
	for calls := 10; calls <= 60; calls += 10 { // until waits for half a minute at most
		b.until("ten more calls", func(s planning.State) bool {
			a, ok := s.Subagent("a1")
			return ok && a.Calls >= calls
		})
	}
	s := b.rests(planning.StatusDone)
	asked := e.requests("go")
	last := asked[len(asked)-1]
	if len(last.Tools()) != 0 || !strings.Contains(last.Last().Content, "Report now") {
		t.Errorf("the last of %d requests has %d tools and ends with %q", len(asked), len(last.Tools()), last.Last().Content)
	}
	if a := s.Subagents[0]; a.Outcome != planning.OutcomeOK || a.Calls != len(asked)-1 {
		t.Errorf("%+v after %d requests", a, len(asked))
	}
}
