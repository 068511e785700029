package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// answerBody is the answer to all that was asked at once.
type answerBody struct {
	Answers []planning.QuestionAnswer `json:"answers,omitempty" jsonschema:"one for each question"`
	Dismiss bool                      `json:"dismiss,omitempty" jsonschema:"end the question without an answer; the agent waits for a message"`
}

// answerQuestion records the answer to a question, or ends it without one. Of
// two at the same moment the second fails with fault.Conflict (Q1).
func (s *server) answerQuestion(ctx context.Context, by review.Person, session, id string, in answerBody) (planning.State, error) {
	return s.act(ctx, by, review.ActionAnswer, session, func(st planning.State) ([]planning.Event, error) {
		if in.Dismiss {
			return planning.DismissQuestion(st, by.Actor(), id)
		}
		return planning.AnswerQuestion(st, by.Actor(), id, in.Answers)
	})
}

// POST /sessions/{id}/questions/{qid}/answer
func (s *server) apiAnswer(c echo.Context) error {
	in, err := decode[answerBody](c)
	if err != nil {
		return err
	}
	return reply(c, viewSession)(s.answerQuestion(c.Request().Context(), s.person(c), c.Param("id"), c.Param("qid"), in))
}

// questionsPage shows what the agent has asked in a session, and what people
// said.
func (s *server) questionsPage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	return s.questions(c, http.StatusOK, st, templates.AnswerForm{})
}

func (s *server) questions(c echo.Context, status int, st planning.State, form templates.AnswerForm) error {
	return render(c, status, templates.Questions(templates.QuestionsPage{Page: s.sessionBase(c, st), State: st, Form: form}))
}

// answerForm answers from a page. What could not be recorded comes back with
// all that was chosen and written.
func (s *server) answerForm(c echo.Context) error {
	ctx, by, session := c.Request().Context(), s.person(c), c.Param("id")
	if err := by.May(review.ActionAnswer); err != nil {
		return err
	}
	st, err := s.session(c)
	if err != nil {
		return err
	}
	q, _ := st.Inquiry(c.Param("qid"))
	form, in := filledAnswer(c, q)
	if after, err := s.answerQuestion(ctx, by, session, c.Param("qid"), in); err == nil {
		page := "questions"
		if from, ours := cameFrom(c.Request()); ours && from.Path == sessionPath(after.ID, "activity") {
			page = "activity"
		}
		return c.Redirect(http.StatusSeeOther, sessionPath(after.ID, page))
	} else if f, err := formFault(err); err != nil {
		return err
	} else {
		form.Problems = map[string]string{f.Field: said(c, f)}
		if st, err = s.session(c); err != nil { // as it is by now
			return err
		}
		return s.questions(c, statusOf(f), st, form)
	}
}

// filledAnswer reads the form: c0, c1, … are what was chosen for each question,
// by number from 0, and t0, t1, … what was written.
func filledAnswer(c echo.Context, q planning.Inquiry) (templates.AnswerForm, answerBody) {
	form := templates.AnswerForm{Inquiry: c.Param("qid"), Filled: make([]templates.FilledAnswer, len(q.Questions))}
	in := answerBody{Dismiss: c.FormValue("dismiss") != ""}
	sent, _ := c.FormParams() // what can't be read answers nothing
	for i, one := range q.Questions {
		filled := &form.Filled[i]
		filled.Custom = formText(c, fmt.Sprintf("t%d", i))
		answer := planning.QuestionAnswer{ID: one.ID, Custom: filled.Custom}
		for _, value := range sent[fmt.Sprintf("c%d", i)] {
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(one.Options) && !slices.Contains(filled.Chosen, n) {
				filled.Chosen = append(filled.Chosen, n)
				answer.Selected = append(answer.Selected, one.Options[n])
			}
		}
		in.Answers = append(in.Answers, answer)
	}
	return form, in
}
