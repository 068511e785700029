package planning

import "testing"

// P24: what a call left can be decided on until it has its result, by the state
// alone.
func TestFold_P24_WhatACallLeft(t *testing.T) {
	call := ToolCall{ID: "c", Name: "shell"}
	held := Held{Output: "ran", Files: []HeldFile{{Path: "b.txt", SHA256: "x"}}}
	steps := []struct {
		payload Payload
		state   CallState
		held    bool
	}{
		{SessionCreated{Mode: ModeExecuting}, "", false},
		{ModelMessage{Calls: []ToolCall{call}}, CallPending, false},
		{PermissionAsked{ID: "before", Call: "c", Command: "x"}, CallAsking, false},
		{PermissionAnswered{ID: "before", Answer: AnswerOnce}, CallAllowed, false},
		{ToolStarted{Call: "c"}, CallStarted, false},
		{PermissionAsked{ID: "after", Call: "c", Paths: []string{"b.txt"}, Held: &held}, CallAsking, true},
		{PermissionAnswered{ID: "after", Answer: AnswerSession}, CallAllowed, true},
		{ToolStarted{Call: "c"}, CallStarted, true},
		{ToolFinished{Call: "c"}, CallDone, false},
	}
	var s State
	for i, step := range steps {
		r, err := NewRecord("s", int64(i+1), s.CreatedAt, Event{System, step.payload})
		if err != nil {
			t.Fatal(err)
		}
		older := s
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
		if len(s.Calls) == 0 {
			continue
		}
		if got := s.Calls[0]; got.State != step.state || (s.Held(got) != nil) != step.held {
			t.Errorf("after %d: %s, held %v; want %s, %v", i+1, got.State, s.Held(got), step.state, step.held)
		}
		if len(older.Calls) > 0 && i > 0 && (older.Held(older.Calls[0]) != nil) != steps[i-1].held {
			t.Errorf("record %d changed an older state", i+1)
		}
	}
	if g := s.Grants(); !g.HasFile("b.txt") || g.HasCommand("x") {
		t.Errorf("grants: %+v", g)
	}
}
