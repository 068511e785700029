package review

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
)

func TestExport_G6_TheGoalAndReminders(t *testing.T) {
	var s planning.State
	var records []planning.Record
	for _, p := range []planning.Payload{
		planning.SessionCreated{Title: "T", Mode: planning.ModeNormal, Approvals: 1},
		planning.GoalChanged{Op: planning.GoalCreate, Goal: planning.Goal{ID: "g1", Number: 1, Revision: 1, Phase: planning.GoalActive, Objective: "green\n```\ntests", MaxRounds: 3}},
		planning.GoalRoundStarted{Goal: "g1", Round: 1, Text: "go on"},
		planning.TodoReminded{Unfinished: 2, Text: "two are open"},
	} {
		r, err := planning.NewRecord("s", s.Seq+1, time.Unix(0, 0), planning.Event{Actor: planning.System, Payload: p})
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	text := Markdown(s, records)
	for _, want := range []string{"## Goal\n\n- g1, revision 1, active, round 1 of 3\n\n````text\ngreen\n```\ntests\n````", "of 2 unfinished to-do items"} {
		if !strings.Contains(text, want) {
			t.Errorf("the export lacks %q:\n%s", want, text)
		}
	}
	var out strings.Builder
	if err := JSON(&out, s, records); err != nil || !strings.Contains(out.String(), `"goal": {`) {
		t.Errorf("as JSON: %v", err)
	}
}
