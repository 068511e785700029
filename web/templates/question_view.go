package templates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
)

// QuestionsPage is what the agent has asked in a session.
type QuestionsPage struct {
	Page
	State planning.State
	Form  AnswerForm // one that could not be recorded
}

// AnswerForm is the form of an inquiry as somebody sent it, with what is wrong.
type AnswerForm struct {
	Inquiry  string            // empty: nobody has sent anything
	Filled   []FilledAnswer    // by the number of the question, from 0
	Problems map[string]string // by the question's id; "" and "answers" are for the form as a whole
}

// FilledAnswer is what was chosen, by the number of the option, and written.
type FilledAnswer struct {
	Chosen []int
	Custom string
}

// askCard is an inquiry with what a card of it needs to know.
type askCard struct {
	planning.Inquiry
	root string // of the session's pages
	may  bool   // the person can answer
	form AnswerForm
	// instead says why there is no form.
	instead lang.Key
}

func (p QuestionsPage) root() string { return "/sessions/" + p.State.ID + "/" }

func (p QuestionsPage) asked(q planning.Inquiry) askCard {
	return askCard{q, p.root(), p.can(review.ActionAnswer), p.Form, p.instead("A reviewer answers this.")}
}

func (p ActivityPage) asked(q planning.Inquiry) askCard {
	return askCard{q, p.root(), p.can(review.ActionAnswer), AnswerForm{}, p.instead("A reviewer answers this.")}
}

// ended are the inquiries that are over, the newest first.
func (p QuestionsPage) ended() []planning.Inquiry {
	list := slices.DeleteFunc(slices.Clone(p.State.Inquiries), func(q planning.Inquiry) bool {
		return slices.ContainsFunc(p.State.OpenInquiries(), func(o planning.Inquiry) bool { return o.ID == q.ID })
	})
	slices.Reverse(list)
	return list
}

// mine tells whether the form that came back is about this inquiry.
func (a askCard) mine() bool { return a.form.Inquiry == a.ID }

func (a askCard) filled(question int) FilledAnswer {
	if !a.mine() || question >= len(a.form.Filled) {
		return FilledAnswer{}
	}
	return a.form.Filled[question]
}

func (a askCard) chosen(question, option int) bool {
	return slices.Contains(a.filled(question).Chosen, option)
}

// problem is what is wrong with one question, other what is wrong with no
// single one.
func (a askCard) problem(q planning.Question) string {
	if !a.mine() {
		return ""
	}
	return a.form.Problems[q.ID]
}

func (a askCard) other() string {
	if !a.mine() {
		return ""
	}
	for field, said := range a.form.Problems {
		if !slices.ContainsFunc(a.Questions, func(q planning.Question) bool { return q.ID == field }) {
			return said
		}
	}
	return ""
}

// field names one field of one question, for ids and drafts.
func (a askCard) field(what string, question int) string {
	return fmt.Sprintf("%s-%s-%d", what, a.ID, question)
}

// ownWords says what an answer in one's own words does.
func ownWords(ctx context.Context, q planning.Question) string {
	switch {
	case len(q.Options) == 0:
		return tr(ctx, "Your answer")
	case q.Multiple:
		return tr(ctx, "In your own words, added to what you choose")
	default:
		return tr(ctx, "In your own words, instead of an option")
	}
}

// endedWords says how an inquiry ended and by whom.
func endedWords(ctx context.Context, name string, o planning.InquiryOutcome) string {
	switch o {
	case planning.InquiryAnswered:
		return tr(ctx, "%s answered", name)
	case planning.InquiryDismissed:
		return tr(ctx, "%s says something else instead", name)
	default:
		return tr(ctx, "Not answered")
	}
}

// answerLine is an answer in one line.
func answerLine(ctx context.Context, a planning.QuestionAnswer) string {
	said := slices.Clone(a.Selected)
	if a.Custom != "" {
		said = append(said, a.Custom)
	}
	return strings.Join(said, tr(ctx, ", "))
}

// answersLine is a whole answer in one line.
func answersLine(ctx context.Context, answers []planning.QuestionAnswer) string {
	said := make([]string, len(answers))
	for i, a := range answers {
		said[i] = answerLine(ctx, a)
	}
	return strings.Join(said, " · ")
}

// questionsLine is all that was asked, in one line.
func questionsLine(questions []planning.Question) string {
	said := make([]string, len(questions))
	for i, q := range questions {
		said[i] = q.Question
	}
	return strings.Join(said, " · ")
}
