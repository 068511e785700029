package planning

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/fault"
)

// goalLog folds goal operations as a session would, each checked and recorded.
type goalLog struct {
	t *testing.T
	s State
	n []Record
}

func newGoalLog(t *testing.T) *goalLog {
	t.Helper()
	s, records := recorded(t,
		SessionCreated{Title: "T", Workspace: "/w", Model: "builtin", Mode: ModeNormal, Approvals: 1},
		UserMessage{Text: "do it"},
		ModelMessage{Text: "done", Seen: 2},
		RunFinished{},
	)
	return &goalLog{t: t, s: s, n: records}
}

func (l *goalLog) add(events ...Event) {
	l.t.Helper()
	for _, e := range events {
		record, err := NewRecord(l.s.ID, l.s.Seq+1, l.s.UpdatedAt, e)
		if err != nil {
			l.t.Fatal(err)
		}
		if l.s, err = l.s.Apply(record); err != nil {
			l.t.Fatal(err)
		}
		l.n = append(l.n, record)
	}
}

// do asks for a change with the newest reference and records it if it is let.
func (l *goalLog) do(c GoalChange) error {
	l.t.Helper()
	if c.Ref == nil && c.Op != GoalCreate {
		ref := l.s.Goal.Ref()
		c.Ref = &ref
	}
	events, err := GoalEvents(l.s, Actor{Kind: ActorPerson, ID: "p", Name: "Ana"}, c)
	if err == nil {
		l.add(events...)
	}
	return err
}

// rest lets the agent answer the round that has begun and come to rest.
func (l *goalLog) rest() {
	l.t.Helper()
	l.add(Event{Actor{}, ModelMessage{Text: "went on", Seen: l.s.Seq}}, Event{System, RunFinished{}})
}

func TestGoal_G2_G3_WhatIsAllowedWhen(t *testing.T) {
	to := map[GoalPhase][]GoalChange{
		GoalActive:   nil,
		GoalPaused:   {{Op: GoalPause}},
		GoalBlocked:  {{Op: GoalBlock, Reason: "no key"}},
		GoalComplete: {{Op: GoalMarked}},
	}
	allowed := map[GoalOp][]GoalPhase{
		GoalCreate: {GoalComplete},
		GoalEdit:   {GoalActive, GoalPaused, GoalBlocked, GoalComplete},
		GoalPause:  {GoalActive},
		GoalBlock:  {GoalActive},
		GoalResume: {GoalPaused, GoalBlocked},
		GoalMarked: {GoalActive, GoalPaused, GoalBlocked},
		GoalClear:  {GoalActive, GoalPaused, GoalBlocked, GoalComplete},
	}
	for phase, way := range to {
		for op, phases := range allowed {
			l := newGoalLog(t)
			for _, c := range append([]GoalChange{{Op: GoalCreate, Objective: "green tests"}}, way...) {
				if err := l.do(c); err != nil {
					t.Fatal(err)
				}
			}
			before := l.s.Goal
			err := l.do(GoalChange{Op: op, Objective: "other", Reason: "why"})
			want := false
			for _, p := range phases {
				want = want || p == phase
			}
			switch {
			case want && err != nil:
				t.Errorf("%s of a goal that is %s: %v", op, phase, err)
			case !want && !fault.Is(err, fault.Conflict):
				t.Errorf("%s of a goal that is %s: %v, want a conflict", op, phase, err)
			case !want && l.s.Goal != before:
				t.Errorf("%s of a goal that is %s was refused and changed it", op, phase)
			case want && op == GoalCreate && (l.s.Goal.Revision != 1 || l.s.Goal.ID == before.ID):
				t.Errorf("a second goal is %+v", l.s.Goal)
			case want && op != GoalCreate && l.s.Goal.Revision != before.Revision+1:
				t.Errorf("%s: revision %d after %d", op, l.s.Goal.Revision, before.Revision)
			case want && op == GoalEdit && (l.s.Goal.Phase != before.Phase || l.s.Goal.Reason != before.Reason):
				t.Errorf("edit went from %+v to %+v", before, l.s.Goal)
			case want && op == GoalResume && l.s.Goal.Reason != "":
				t.Errorf("resume keeps the reason %q", l.s.Goal.Reason)
			}
		}
	}
}

func TestGoal_G2_StaleAndUsedIDs(t *testing.T) {
	l := newGoalLog(t)
	must := func(c GoalChange) {
		t.Helper()
		if err := l.do(c); err != nil {
			t.Fatal(err)
		}
	}
	must(GoalChange{Op: GoalCreate, Objective: "one"})
	seen := l.s.Goal.Ref()
	must(GoalChange{Op: GoalEdit, Objective: "two"})
	err := l.do(GoalChange{Op: GoalPause, Ref: &seen})
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != fault.Conflict || f.Current != any(l.s.Goal) {
		t.Errorf("a stale revision: %v with %+v, want the goal as it is", err, f)
	}
	must(GoalChange{Op: GoalClear})
	if l.s.Goal.Exists() || l.s.Goal.ID != "g1" {
		t.Errorf("cleared, and left %+v", l.s.Goal)
	}
	if err := l.do(GoalChange{Op: GoalPause, Ref: &seen}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a change of a cleared goal: %v", err)
	}
	must(GoalChange{Op: GoalCreate, Objective: "three"})
	if l.s.Goal.ID != "g2" || l.s.Goal.Revision != 1 {
		t.Errorf("the next goal is %+v", l.s.Goal)
	}
}

func TestGoal_G4_RoundsEndAtTheMaximum(t *testing.T) {
	l := newGoalLog(t)
	if err := l.do(GoalChange{Op: GoalCreate, Objective: "green tests", MaxRounds: 3}); err != nil {
		t.Fatal(err)
	}
	if !l.s.Runnable() || l.s.Goal.Rounds != 1 {
		t.Fatalf("the first round does not begin: %+v", l.s.Goal)
	}
	for round := 1; ; round++ {
		l.rest()
		next, ok := l.s.NextRound()
		if ok != (round < 3) {
			t.Fatalf("after round %d: another %v", round, ok)
		}
		if !ok {
			break
		}
		if next.Round != round+1 || !strings.Contains(next.Text, "green tests") {
			t.Errorf("the message is %+v", next)
		}
		l.add(Event{System, next})
	}
	if l.s.Goal.Revision != 1 || l.s.Goal.Rounds != 3 {
		t.Errorf("after all rounds: %+v", l.s.Goal)
	}
	if err := l.do(GoalChange{Op: GoalPause}); err != nil {
		t.Fatal(err)
	}
	if err := l.do(GoalChange{Op: GoalResume}); !fault.Is(err, fault.Conflict) {
		t.Errorf("resume with no round left: %v", err)
	}
	if err := l.do(GoalChange{Op: GoalEdit, MaxRounds: 2}); !fault.Is(err, fault.Invalid) {
		t.Errorf("fewer rounds than have begun: %v", err)
	}
	if err := l.do(GoalChange{Op: GoalEdit, MaxRounds: 4}); err != nil {
		t.Error(err)
	}
	if err := l.do(GoalChange{Op: GoalResume}); err != nil || !l.s.Runnable() {
		t.Errorf("resume with one more round: %v, runs %v", err, l.s.Runnable())
	}
}

func TestGoal_G4_PeopleComeFirst(t *testing.T) {
	l := newGoalLog(t)
	if err := l.do(GoalChange{Op: GoalCreate, Objective: "green tests"}); err != nil {
		t.Fatal(err)
	}
	l.rest()
	l.add(Event{Actor{Kind: ActorPerson, Name: "Ana"}, UserMessage{Text: "first this"}})
	if _, ok := l.s.NextRound(); ok || l.s.Goal.Rounds != 1 {
		t.Errorf("a round begins before a person's message is read: %+v", l.s.Goal)
	}
}

// While planning, what the agent says waits for a person (P10).
func TestGoal_P10_NoRoundWhilePlanning(t *testing.T) {
	l := newGoalLog(t)
	l.add(Event{System, ModeChanged{From: ModeNormal, To: ModePlan}})
	if err := l.do(GoalChange{Op: GoalCreate, Objective: "green tests"}); err != nil {
		t.Fatal(err)
	}
	if l.s.Runnable() || l.s.Goal.Rounds != 0 {
		t.Errorf("a round began while planning: %+v", l.s.Goal)
	}
}

func TestGoal_G6_ReplayRefusesWhatCanNotBe(t *testing.T) {
	l := newGoalLog(t)
	if err := l.do(GoalChange{Op: GoalCreate, Objective: "green tests", MaxRounds: 2}); err != nil {
		t.Fatal(err)
	}
	good := l.s.Goal
	changed := func(op GoalOp, change func(*Goal)) Payload {
		g := good
		g.Revision++
		change(&g)
		return GoalChanged{Op: op, Goal: g}
	}
	pause := func(g *Goal) { g.Phase = GoalPaused }
	if _, err := l.apply(changed(GoalPause, pause)); err != nil {
		t.Fatalf("an honest change: %v", err)
	}
	for what, p := range map[string]Payload{
		"a gap":                      changed(GoalPause, func(g *Goal) { pause(g); g.Revision++ }),
		"the same revision":          changed(GoalPause, func(g *Goal) { pause(g); g.Revision-- }),
		"another goal":               changed(GoalPause, func(g *Goal) { pause(g); g.ID = "g7" }),
		"a move that can't be":       changed(GoalResume, func(g *Goal) {}),
		"a pause that completes":     changed(GoalPause, func(g *Goal) { g.Phase = GoalComplete }),
		"a second goal":              GoalChanged{Op: GoalCreate, Goal: Goal{ID: "g2", Number: 2, Revision: 1, Phase: GoalActive, Objective: "x", MaxRounds: 1}},
		"rounds given by a change":   changed(GoalEdit, func(g *Goal) { g.Rounds = 2 }),
		"an unknown operation":       changed("wish", pause),
		"a block without a reason":   changed(GoalBlock, func(g *Goal) { g.Phase = GoalBlocked }),
		"a round twice":              GoalRoundStarted{Goal: "g1", Round: 1},
		"a round left out":           GoalRoundStarted{Goal: "g1", Round: 3},
		"a round of another goal":    GoalRoundStarted{Goal: "g2", Round: 2},
		"the second round is honest": GoalRoundStarted{Goal: "g1", Round: 2},
	} {
		_, err := l.apply(p)
		if honest := strings.Contains(what, "honest"); honest != (err == nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func (l *goalLog) apply(p Payload) (State, error) {
	l.t.Helper()
	record, err := NewRecord(l.s.ID, l.s.Seq+1, l.s.UpdatedAt, Event{System, p})
	if err != nil {
		l.t.Fatal(err)
	}
	return l.s.Apply(record)
}
