package planning

import (
	"testing"

	"countersign/internal/fault"
)

func TestGoal_G1_GoalInAMessage(t *testing.T) {
	s := session(t, append(created(ModeNormal), ModelMessage{Text: "done"}, RunFinished{})...)
	say := func(text string) error {
		events, err := Say(s, ana, text)
		if err == nil {
			s = apply(t, s, events)
		}
		return err
	}
	if err := say("/goal"); !fault.Is(err, fault.Invalid) {
		t.Errorf("/goal alone: %v", err)
	}
	if err := say("/goal pause"); !fault.Is(err, fault.NotFound) {
		t.Errorf("/goal pause without a goal: %v", err)
	}
	if err := say("/goal make the tests\ngreen"); err != nil || s.Goal.Objective != "make the tests\ngreen" || !s.Runnable() {
		t.Errorf("/goal and a text: %v, %+v, runs %v", err, s.Goal, s.Runnable())
	}
	for _, step := range []struct {
		text  string
		phase GoalPhase
	}{{"/goal Pause", GoalPaused}, {"/goal resume", GoalActive}, {"/goal complete", GoalComplete}} {
		if err := say(step.text); err != nil || s.Goal.Phase != step.phase {
			t.Errorf("%s: %v, the goal is %s", step.text, err, s.Goal.Phase)
		}
	}
	if err := say("/goal clear"); err != nil || s.Goal.Exists() {
		t.Errorf("/goal clear: %v, %+v", err, s.Goal)
	}
}

func TestSession_S8_CompactInAMessage(t *testing.T) {
	real := func(more ...Payload) State {
		return session(t, append([]Payload{
			SessionCreated{Title: "T", Workspace: "/w", Model: "openai:x", Mode: ModeNormal, Approvals: 1},
			UserMessage{Text: "do it"},
		}, more...)...)
	}
	idle := real(ModelMessage{Text: "done"}, RunFinished{})
	events, err := Say(idle, ana, "/compact")
	if err != nil {
		t.Fatal(err)
	}
	if s := apply(t, idle, events); !s.CompactAsked || !s.Runnable() || s.Unread {
		t.Errorf("asked %v, runs %v, unread %v", s.CompactAsked, s.Runnable(), s.Unread)
	}
	asking := ModelMessage{Calls: []ToolCall{{ID: "c", Name: "shell"}}}
	for what, s := range map[string]State{
		"the built-in planner": session(t, append(created(ModeNormal), ModelMessage{Text: "done"}, RunFinished{})...),
		"a question":           real(asking, PermissionAsked{ID: "p", Call: "c"}, RunParked{Wait: WaitPermission}),
		"a pause":              real(RunPaused{}),
	} {
		if _, err := Say(s, ana, "/compact"); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Say(idle, ana, "/compact all"); !fault.Is(err, fault.Invalid) {
		t.Errorf("with something behind it: %v", err)
	}
}
