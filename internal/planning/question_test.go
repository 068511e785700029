package planning

import (
	"strings"
	"testing"

	"countersign/internal/fault"

	"github.com/google/go-cmp/cmp"
)

var bo = Actor{Kind: ActorPerson, ID: "p2", Name: "Bo"}

// asked is a session that waits for the answer to two questions.
func asked(t *testing.T) State {
	t.Helper()
	return session(t, append(created(ModePlan), ModelMessage{Calls: []ToolCall{{ID: "c", Name: "ask_user"}}},
		QuestionAsked{ID: "q", Call: "c", Questions: []Question{
			{ID: "which", Question: "Which one?", Options: []string{"A", "B"}},
			{ID: "more", Question: "What else?", Options: []string{"x", "y", "z"}, Multiple: true},
		}}, RunParked{Wait: WaitQuestion})...)
}

func TestQuestion_Q2_WhatIsWrongIsNamed(t *testing.T) {
	good := Question{ID: "a", Question: "Which?", Options: []string{"x", "y"}}
	changed := func(change func(*Question)) []Question {
		q := good
		change(&q)
		return []Question{q}
	}
	for want, list := range map[string][]Question{
		"no question":       {},
		"at most 10":        make([]Question, MaxQuestions+1),
		"twice":             {good, {ID: " a ", Question: "And?"}},
		"no id":             changed(func(q *Question) { q.ID = " " }),
		"64":                changed(func(q *Question) { q.ID = strings.Repeat("x", MaxQuestionID+1) }),
		"no text":           changed(func(q *Question) { q.Question = "\n" }),
		"in short":          changed(func(q *Question) { q.Question = strings.Repeat("x", MaxQuestion+1) }),
		`the option "x"`:    changed(func(q *Question) { q.Options = []string{"x", " x "} }),
		"option 2":          changed(func(q *Question) { q.Options = []string{"x", " "} }),
		"at most 500":       changed(func(q *Question) { q.Options = []string{strings.Repeat("x", MaxOption+1)} }),
		"at most 20":        changed(func(q *Question) { q.Options = make([]string, MaxOptions+1) }),
		"can't be shown":    changed(func(q *Question) { q.Question = "a\x00b" }),
		"question 2 has no": {good, {ID: "b"}},
	} {
		if _, err := NewQuestions(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	got, err := NewQuestions([]Question{{ID: " a ", Question: " Which? ", Options: []string{" x"}}, {ID: "b", Question: "Why?", Multiple: true}})
	want := []Question{{ID: "a", Question: "Which?", Options: []string{"x"}}, {ID: "b", Question: "Why?", Options: []string{}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, diff %s", err, diff)
	}
}

func TestQuestion_Q4_OwnWordsBesideOptions(t *testing.T) {
	s := asked(t)
	events, err := AnswerQuestion(s, bo, "q", []QuestionAnswer{
		{ID: "more", Selected: []string{"z", "x", "x"}, Custom: " and\n*this* "},
		{ID: "which", Selected: []string{"A"}, Custom: "Neither."},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := events[0].Payload.(QuestionAnswered)
	want := []QuestionAnswer{
		{ID: "which", Selected: []string{}, Custom: "Neither."},
		{ID: "more", Selected: []string{"x", "z"}, Custom: "and\n*this*"},
	}
	if diff := cmp.Diff(want, p.Answers); diff != "" {
		t.Error(diff)
	}
	const text = "Answered by Bo.\n\n[which] Which one?\nIn their own words:\nNeither.\n\n[more] What else?\nChosen: x\nChosen: z\nIn their own words:\nand\n*this*\n"
	if diff := cmp.Diff(text, p.Result); diff != "" {
		t.Error(diff)
	}
}

func TestQuestion_Q1_WhatIsNoAnswer(t *testing.T) {
	s := asked(t)
	whole := QuestionAnswer{ID: "more", Selected: []string{"x"}}
	for _, c := range []struct {
		answers []QuestionAnswer
		code    fault.Code
		field   string
	}{
		{nil, fault.Invalid, "which"},
		{[]QuestionAnswer{{ID: "which", Selected: []string{"A"}}}, fault.Invalid, "more"},
		{[]QuestionAnswer{{ID: "which", Custom: " "}, whole}, fault.Invalid, "which"},
		{[]QuestionAnswer{{ID: "which", Selected: []string{"A", "B"}}, whole}, fault.Invalid, "which"},
		{[]QuestionAnswer{{ID: "which", Selected: []string{"C"}}, whole}, fault.Invalid, "which"},
		{[]QuestionAnswer{{ID: "which", Selected: []string{"A"}}, whole, whole}, fault.Invalid, "more"},
		{[]QuestionAnswer{{ID: "other", Custom: "x"}}, fault.Invalid, "answers"},
		{[]QuestionAnswer{{ID: "which", Custom: strings.Repeat("x", MaxCustom+1)}, whole}, fault.TooLarge, "which"},
		{[]QuestionAnswer{{ID: "which", Custom: "a\x00b"}, whole}, fault.Invalid, "which"},
	} {
		_, err := AnswerQuestion(s, bo, "q", c.answers)
		if f, ok := fault.As(err); !ok || f.Code != c.code || f.Field != c.field {
			t.Errorf("%v: %v, want %s on %s", c.answers, err, c.code, c.field)
		}
	}
	if _, err := AnswerQuestion(s, bo, "nothing", nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("a question that isn't there: %v", err)
	}
}

func TestQuestion_Q1_FirstAnswerCounts(t *testing.T) {
	s := asked(t)
	if s.Runnable() || s.Status() != StatusWaiting || s.Summary().Question != "Which one?" {
		t.Fatalf("while asked: runnable %v, status %s, %q", s.Runnable(), s.Status(), s.Summary().Question)
	}
	answers := []QuestionAnswer{{ID: "which", Selected: []string{"B"}}, {ID: "more", Selected: []string{"y"}}}
	events, err := AnswerQuestion(s, bo, "q", answers)
	if err != nil {
		t.Fatal(err)
	}
	before := s
	s = apply(t, s, events)
	if !s.Runnable() || s.Calls[0].State != CallDone || len(s.OpenInquiries()) != 0 || len(before.OpenInquiries()) != 1 {
		t.Errorf("after the answer: runnable %v, call %s", s.Runnable(), s.Calls[0].State)
	}
	for _, late := range []func() ([]Event, error){
		func() ([]Event, error) { return AnswerQuestion(s, ana, "q", answers) },
		func() ([]Event, error) { return DismissQuestion(s, ana, "q") },
	} {
		_, err := late()
		f, _ := fault.As(err)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(f.Message, "Bo") {
			t.Fatalf("a second answer: %v", err)
		}
		if q, ok := f.Current.(Inquiry); !ok || q.Answers[0].Selected[0] != "B" || q.AnsweredBy.Name != "Bo" {
			t.Errorf("the conflict carries %+v", f.Current)
		}
	}
}

func TestQuestion_Q5_DismissedWaitsForAMessage(t *testing.T) {
	s := asked(t)
	events, err := DismissQuestion(s, bo, "q")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, events)
	if s.Runnable() || s.ModelDue() || s.Run.Wait != WaitMessage || s.Status() != StatusWaiting || s.Calls[0].State != CallDone {
		t.Errorf("dismissed: %+v, %s", s.Run, s.Calls[0].State)
	}
	if _, ok := s.NextRound(); ok || !s.Waits() {
		t.Error("a goal would go on without the message")
	}
	off, err := Say(s, ana, "/plan off") // says nothing
	if err != nil {
		t.Fatal(err)
	}
	if after := apply(t, s, off); after.ModelDue() || after.Run.Wait != WaitMessage || after.Mode != ModeNormal {
		t.Errorf("a command without a text counts as the message: %+v", after.Run)
	}
	said, err := Say(s, bo, "Let me explain.")
	if err != nil {
		t.Fatal(err)
	}
	if s = apply(t, s, said); !s.Runnable() || s.Promised {
		t.Errorf("after the message: runnable %v, promised %v", s.Runnable(), s.Promised)
	}
}

func TestQuestion_Q5_AMessageEndsAnOpenQuestion(t *testing.T) {
	s := asked(t)
	events, err := Say(s, bo, "Something else.")
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := events[0].Payload.(UserMessage); !ok || m.Text != "Something else." {
		t.Fatalf("the first event is %+v", events[0].Payload)
	}
	s = apply(t, s, events)
	q, _ := s.Inquiry("q")
	if q.Outcome != InquiryDismissed || q.AnsweredBy != bo || !s.Runnable() || s.Promised {
		t.Errorf("%+v, runnable %v", q, s.Runnable())
	}
	// A command without a text is no word for the agent: the question stays.
	events, err = Say(asked(t), bo, "/plan off")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, asked(t), events)
	if len(s.OpenInquiries()) != 1 || s.Queued != ModeNormal || s.Runnable() {
		t.Errorf("after /plan off: %d open, queued %q", len(s.OpenInquiries()), s.Queued)
	}
}

func TestQuestion_Q1_PausedAndAbandoned(t *testing.T) {
	answers := []QuestionAnswer{{ID: "which", Selected: []string{"B"}}, {ID: "more", Selected: []string{"y"}}}
	s := apply(t, asked(t), []Event{{bo, RunPaused{Reason: "Paused by Bo."}}})
	events, err := AnswerQuestion(s, bo, "q", answers)
	if err != nil {
		t.Fatal(err)
	}
	if s = apply(t, s, events); s.Runnable() || s.Status() != StatusPaused {
		t.Errorf("an answer set a paused session going: %+v", s.Run)
	}
	if s = apply(t, s, []Event{{bo, RunResumed{}}}); !s.ModelDue() {
		t.Error("after it was resumed, the answer does not go to the model")
	}
	s = apply(t, asked(t), []Event{
		{bo, PlanSubmitted{Version: 1, Markdown: "# T\n"}},
		{bo, ReviewDecided{Version: 1, Verdict: VerdictAbandon}},
	})
	if _, err := AnswerQuestion(s, bo, "q", answers); !fault.Is(err, fault.Conflict) || len(s.OpenInquiries()) != 0 || s.Status() != StatusDone {
		t.Errorf("abandoned: %v, %d open, %s", err, len(s.OpenInquiries()), s.Status())
	}
}
