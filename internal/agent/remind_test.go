package agent_test

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// twoItems is a call that writes a list of which the second item is open.
func twoItems(id, second string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "update_plan", Arguments: map[string]any{
		"steps": []map[string]string{{"step": "Look", "status": "completed"}, {"step": "Change", "status": second}},
	}}
}

func reminding(t *testing.T, turns ...fakeopenai.Turn) *bench {
	b := newBench(t, turns...)
	b.agent.Settings.Reminders = 2
	b.begin(planning.ModeNormal)
	return b
}

func TestTodo_T10_RemindedTwiceAndNoMore(t *testing.T) {
	b := reminding(t, fakeopenai.Calls(twoItems("t", "pending")),
		fakeopenai.Text("done"), fakeopenai.Text("done, I say"), fakeopenai.Text("believe me"))
	s := b.rests(planning.StatusDone)
	if s.Run.Unfinished != 1 || s.Summary().Unfinished != 1 {
		t.Errorf("unfinished: %d, in lists %d", s.Run.Unfinished, s.Summary().Unfinished)
	}
	requests := b.model.Requests()
	if len(requests) != 4 {
		t.Fatalf("%d requests, want 4", len(requests))
	}
	for i, want := range []int{0, 0, 1, 2} {
		got := 0
		for _, m := range requests[i].Messages() {
			if m.Role == "user" && strings.Contains(m.Content, "1 of 2 items are open") {
				got++
			}
		}
		if got != want {
			t.Errorf("request %d carries %d reminders, want %d", i+1, got, want)
		}
	}
	if got := recordsOf[planning.TodoReminded](b); len(got) != 2 || got[0].Unfinished != 1 {
		t.Errorf("reminders in the log: %+v", got)
	}
	// A person lets it run again: now it is reminded anew.
	b.model.Add(fakeopenai.Text("yes?"), fakeopenai.Calls(twoItems("t2", "completed")), fakeopenai.Text("now it is done"))
	b.say("go on")
	b.until("a finished list", func(s planning.State) bool {
		return s.Status() == planning.StatusDone && s.Run.Unfinished == 0
	})
	if got := recordsOf[planning.TodoReminded](b); len(got) != 3 {
		t.Errorf("%d reminders after a person's message, want 3", len(got))
	}
}

func TestTodo_T10_NoReminderOfAFinishedList(t *testing.T) {
	b := reminding(t, fakeopenai.Calls(twoItems("t", "completed")), fakeopenai.Text("done"))
	s := b.rests(planning.StatusDone)
	if got := recordsOf[planning.TodoReminded](b); len(got) != 0 || s.Run.Unfinished != 0 {
		t.Errorf("reminders %+v, unfinished %d", got, s.Run.Unfinished)
	}
}

func TestTodo_T10_NoReminderWhilePeopleAreAsked(t *testing.T) {
	b := reminding(t, fakeopenai.Calls(twoItems("t", "pending"), writeFile("w", "a.txt", "1")))
	b.rests(planning.StatusWaiting)
	if got := recordsOf[planning.TodoReminded](b); len(got) != 0 {
		t.Errorf("reminded while somebody is asked: %+v", got)
	}
	b.model.Add(fakeopenai.Calls(twoItems("t2", "completed")), fakeopenai.Text("done"))
	b.answer(planning.AnswerOnce, "")
	b.rests(planning.StatusDone)
	if got := recordsOf[planning.TodoReminded](b); len(got) != 0 {
		t.Errorf("reminders %+v", got)
	}
}

// While planning, what the agent says waits for a person (P10).
func TestTodo_T10_NoReminderWhilePlanning(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(twoItems("t", "pending")), fakeopenai.Text("what now?"))
	b.agent.Settings.Reminders = 2
	b.begin(planning.ModePlan)
	b.rests(planning.StatusWaiting)
	if got := recordsOf[planning.TodoReminded](b); len(got) != 0 {
		t.Errorf("reminders %+v", got)
	}
}

// The goal's rounds say to go on themselves; a reminder comes only when they
// are used up.
func TestTodo_T10_RoundsComeFirst(t *testing.T) {
	b := reminding(t, fakeopenai.Calls(twoItems("t", "pending"), createGoal("g", "green tests", 1)),
		fakeopenai.Text("set"), fakeopenai.Text("one"), fakeopenai.Text("first"), fakeopenai.Text("second"))
	b.until("the end", func(s planning.State) bool { return s.Status() == planning.StatusDone })
	requests := b.model.Requests()
	if last := requests[2].Messages(); !strings.HasPrefix(last[len(last)-2].Content, "Round 1 of 1") {
		t.Errorf("after the first turn the agent was told %q", last[len(last)-2].Content)
	}
	if got := recordsOf[planning.TodoReminded](b); len(got) != 2 {
		t.Errorf("%d reminders, want 2", len(got))
	}
}
