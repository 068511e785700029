package planning

import (
	"testing"

	"countersign/internal/planning/document"
)

// reviewed is a session whose first version was sent back with a comment on
// the plan as a whole.
func reviewed(next PlanSubmitted, between ...Payload) []Payload {
	block := Block{Block: document.Block{Kind: document.Step, Number: 1, Title: "One", Start: 5, End: 12}, ID: "s1"}
	list := append(created(ModePlan),
		ModelMessage{Calls: []ToolCall{{ID: "c1", Name: "submit_plan"}}, Seen: 2},
		PlanSubmitted{Version: 1, Call: "c1", Markdown: "# T\n\n1. One\n", SHA256: "h1", Blocks: []Block{block}},
		RunParked{Wait: WaitReview},
		ThreadOpened{Thread: "whole", Version: 1, Body: "shorter"},
		ReviewDecided{Version: 1, SHA256: "h1", Verdict: VerdictRequestChanges, Call: "c1"},
		ModelMessage{Calls: []ToolCall{{ID: "c2", Name: "submit_plan"}}, Seen: 7},
	)
	next.Version, next.Call, next.Blocks = 2, "c2", []Block{block}
	return append(append(list, next, RunParked{Wait: WaitReview}), between...)
}

// No change of the plan answers a comment on the plan as a whole: it stays
// open until a person says otherwise, and they are told that the plan changed.
func TestReview_R4_CommentOnTheWholePlanStaysOpen(t *testing.T) {
	other := PlanSubmitted{Markdown: "# T\n\n1. Another\n", SHA256: "h2"}
	for name, c := range map[string]struct {
		next    PlanSubmitted
		between []Payload
		open    bool
		revised int
	}{
		"the plan changed":       {other, nil, true, 2},
		"its files changed":      {PlanSubmitted{Markdown: "# T\n\n1. One\n", Scope: Scope{Files: []string{"b.go"}}}, nil, true, 2},
		"the plan is as it was":  {PlanSubmitted{Markdown: "# T\n\n1. One\n"}, nil, true, 0},
		"a person resolved it":   {other, []Payload{ThreadResolved{Thread: "whole"}}, false, 2},
		"and opened it again":    {other, []Payload{ThreadResolved{Thread: "whole"}, ThreadReopened{Thread: "whole"}}, true, 0},
		"somebody went on":       {other, []Payload{ThreadReplied{Thread: "whole", Body: "no, shorter"}}, true, 2},
		"and the agent got that": {other, []Payload{ThreadReplied{Thread: "whole", Body: "no"}, ReviewDecided{Version: 2, Verdict: VerdictRequestChanges, Call: "c2"}}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			th, _ := session(t, reviewed(c.next, c.between...)...).Thread("whole")
			if th.Open() != c.open || th.Revised != c.revised || th.Answered != 0 {
				t.Errorf("open %v, revised in %d, answered in %d; want open %v, revised in %d", th.Open(), th.Revised, th.Answered, c.open, c.revised)
			}
		})
	}
}

// A message that comes in while a plan is in review reaches the model only
// after the decision, and the state says so.
func TestSession_S3_DeliveredOnceTheModelHasAnswered(t *testing.T) {
	log := reviewed(PlanSubmitted{Markdown: "# T\n\n1. Two\n"},
		UserMessage{Text: "mind the tests"}, // 11
		ReviewDecided{Version: 2, Verdict: VerdictApprove, Call: "c2"},
		ModeChanged{From: ModePlan, To: ModeExecuting},
		UserMessage{Text: "while the turn runs"}, // 14
		ModelMessage{Text: "on it", Seen: 13, Missed: true},
		ModelMessage{Text: "done", Seen: 15},
	)
	const task, inReview, inTurn = 2, 11, 14
	for _, c := range []struct {
		after                  int
		task, inReview, inTurn bool
	}{
		{2, false, false, false}, {3, true, false, false}, {11, true, false, false}, {13, true, false, false},
		{14, true, false, false}, {15, true, true, false}, {16, true, true, true},
	} {
		s := session(t, log[:c.after]...)
		if s.Delivered(task) != c.task || s.Delivered(inReview) != c.inReview || s.Delivered(inTurn) != c.inTurn {
			t.Errorf("after record %d: task %v, message in review %v, message in the turn %v", c.after,
				s.Delivered(task), s.Delivered(inReview), s.Delivered(inTurn))
		}
	}
}
