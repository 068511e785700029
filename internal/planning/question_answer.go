package planning

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning/document"
)

// wrongQuestion is an error for the model.
func wrongQuestion(format string, args ...any) error { return fmt.Errorf(format, args...) }

// AnswerQuestion records a person's answers to all questions of a request. The
// first answer counts; a later one fails with Conflict and what was answered.
// Other faults: NotFound, and Invalid or TooLarge with the question's id as the
// field.
func AnswerQuestion(s State, by Actor, id string, answers []QuestionAnswer) ([]Event, error) {
	q, err := s.openInquiry(id)
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		if !slices.ContainsFunc(q.Questions, func(one Question) bool { return one.ID == a.ID }) {
			return nil, fault.New(fault.Invalid, "There is no question %q here.", a.ID).At("answers")
		}
	}
	given := make([]QuestionAnswer, len(q.Questions))
	for i, one := range q.Questions {
		if given[i], err = one.answer(answers); err != nil {
			return nil, err
		}
	}
	return []Event{{by, QuestionAnswered{ID: q.ID, Call: q.Call, Answers: given, Result: answerText(by, q.Questions, given)}}}, nil
}

// DismissQuestion ends a request without an answer: the person will say
// something instead. Faults as of AnswerQuestion.
func DismissQuestion(s State, by Actor, id string) ([]Event, error) {
	q, err := s.openInquiry(id)
	if err != nil {
		return nil, err
	}
	return []Event{{by, QuestionDismissed{ID: q.ID, Call: q.Call, Result: dismissedText(by)}}}, nil
}

// dismissAll ends what is open because a message was sent instead.
func (s State) dismissAll(by Actor) []Event {
	var events []Event
	for _, q := range s.OpenInquiries() {
		events = append(events, Event{by, QuestionDismissed{ID: q.ID, Call: q.Call, Message: true, Result: dismissedText(by)}})
	}
	return events
}

func (s State) openInquiry(id string) (Inquiry, error) {
	q, ok := s.Inquiry(id)
	switch {
	case !ok:
		return q, fault.New(fault.NotFound, "There is no such question.")
	case s.Abandoned():
		return q, fault.New(fault.Conflict, "This session was stopped for good. Please start a new one.")
	case q.Outcome == InquiryDismissed:
		return q, fault.New(fault.Conflict, "%s has ended this question without an answer.", q.AnsweredBy.Name).With(q)
	case !q.Open():
		return q, fault.New(fault.Conflict, "%s has already answered this.", q.AnsweredBy.Name).With(q)
	}
	return q, nil
}

// answer picks the answer to this question and checks it.
func (q Question) answer(answers []QuestionAnswer) (QuestionAnswer, error) {
	given := QuestionAnswer{ID: q.ID, Selected: []string{}}
	times := 0
	for _, a := range answers {
		if a.ID == q.ID {
			given.Selected, given.Custom = a.Selected, strings.TrimSpace(a.Custom)
			times++
		}
	}
	if times > 1 {
		return given, fault.New(fault.Invalid, "The question %q is answered twice.", q.ID).At(q.ID)
	}
	for _, o := range given.Selected {
		if !slices.Contains(q.Options, o) {
			return given, fault.New(fault.Invalid, "%q is not one of the options.", o).At(q.ID)
		}
	}
	if len(given.Custom) > MaxCustom {
		return given, fault.New(fault.TooLarge, "An answer may have at most %d KB.", MaxCustom>>10).At(q.ID)
	}
	if f := document.CheckText("The answer", given.Custom); f != nil {
		return given, f.At(q.ID)
	}
	chosen := []string{} // in the order in which they were offered, each once
	for _, o := range q.Options {
		if slices.Contains(given.Selected, o) {
			chosen = append(chosen, o)
		}
	}
	given.Selected = chosen
	if !q.Multiple && given.Custom != "" {
		given.Selected = []string{} // one's own words replace the choice (Q4)
	}
	switch {
	case len(given.Selected) == 0 && given.Custom == "" && len(q.Options) == 0:
		return given, fault.New(fault.Invalid, "Please answer this question.").At(q.ID)
	case len(given.Selected) == 0 && given.Custom == "":
		return given, fault.New(fault.Invalid, "Please choose an option, or answer in your own words.").At(q.ID)
	case !q.Multiple && len(given.Selected) > 1:
		return given, fault.New(fault.Invalid, "Only one of the options can be chosen here.").At(q.ID)
	}
	return given, nil
}

// answerText is what the model gets. Options and words are to the letter.
func answerText(by Actor, questions []Question, answers []QuestionAnswer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Answered by %s.\n", by.Name)
	for i, q := range questions {
		fmt.Fprintf(&b, "\n[%s] %s\n", q.ID, q.Question)
		for _, o := range answers[i].Selected {
			fmt.Fprintf(&b, "Chosen: %s\n", o)
		}
		if answers[i].Custom != "" {
			fmt.Fprintf(&b, "In their own words:\n%s\n", answers[i].Custom)
		}
	}
	return b.String()
}

func dismissedText(by Actor) string {
	return fmt.Sprintf("Not answered: %s says something instead, in the message that follows.", by.Name)
}
