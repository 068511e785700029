package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// feedbackPage shows a verdict before it is given.
func (s *server) feedbackPage(c echo.Context) error {
	verdict := planning.Verdict(or(c.QueryParam("verdict"), string(planning.VerdictRequestChanges)))
	return s.feedback(c, http.StatusOK, verdict, "", "")
}

// feedback shows the exact text that the agent would get now.
func (s *server) feedback(c echo.Context, status int, verdict planning.Verdict, note, problem string) error {
	by := s.person(c)
	if err := by.May(review.ActionDecide); err != nil {
		return err
	}
	st, err := s.writable(c)
	if err != nil {
		return err
	}
	p, ok := st.Plan()
	if !ok {
		return fault.New(fault.NotFound, "There is no plan yet.")
	}
	if p.Status != planning.PlanInReview {
		return fault.New(fault.Conflict, "The review of this plan is over.")
	}
	switch verdict {
	case planning.VerdictApprove, planning.VerdictRequestChanges, planning.VerdictAbandon:
	default:
		return fault.New(fault.NotFound, "There is no such verdict.")
	}
	text := review.Feedback(st, by, verdict, note)
	return render(c, status, templates.Feedback(templates.FeedbackPage{
		Page: s.sessionBase(c, st), State: st, Plan: p, Verdict: verdict, Note: note,
		Text: text, Shown: letterHash(text), Problem: problem,
	}))
}

func letterHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// decisionForm gives a verdict. It is about the text that the person saw, and
// the agent gets what the page showed (P16, R3): if either has changed, the
// page comes back with what it is now. Approving with open threads, or
// with what the agent did not keep of the reviewers' changes, asks once.
func (s *server) decisionForm(c echo.Context) error {
	n := review.NewDecision{
		Verdict: planning.Verdict(c.FormValue("verdict")), SHA256: c.FormValue("sha256"), Note: formText(c, "note"),
		Rules: s.cfg.Rules,
	}
	n.Version, _ = strconv.Atoi(c.FormValue("version"))
	if c.FormValue("preview") != "" {
		return s.feedback(c, http.StatusOK, n.Verdict, n.Note, "")
	}
	by, shown, confirmed := s.person(c), c.FormValue("shown"), c.FormValue("confirmed") != ""
	ask := false
	st, err := s.act(c.Request().Context(), by, review.ActionDecide, c.Param("id"), func(st planning.State) ([]planning.Event, error) {
		events, err := review.Decide(st, by, n)
		if err != nil {
			return nil, err
		}
		if ask = n.Verdict == planning.VerdictApprove && !confirmed && asks(st); ask {
			return nil, nil
		}
		if shown != "" && shown != letterHash(review.Feedback(st, by, n.Verdict, n.Note)) {
			return nil, errNotShown
		}
		return events, nil
	})
	switch {
	case err == nil && ask:
		return s.feedback(c, http.StatusOK, n.Verdict, n.Note, "")
	case err == nil:
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, afterVerdict(st)))
	case err == errNotShown:
		return s.feedback(c, http.StatusConflict, n.Verdict, n.Note, said(c, errNotShown))
	}
	f, err := formFault(err)
	switch {
	case err != nil:
		return err
	case f.Code == fault.Conflict && n.Verdict == planning.VerdictRequestChanges && shown != "" && s.inReview(c):
		return s.feedback(c, http.StatusConflict, n.Verdict, n.Note, said(c, f))
	}
	return s.planAgain(c, f, templates.Compose{})
}

// inReview: a letter to the agent can still be sent, as it is with the plan as
// it is now. An approval can't: it is of the text that was seen.
func (s *server) inReview(c echo.Context) bool {
	st, err := s.session(c)
	return err == nil && st.InReview()
}

// asks tells whether an approval is asked about once more.
func asks(st planning.State) bool {
	p, _ := st.Plan()
	return st.OpenThreads()+len(p.Outstanding()) > 0
}

// errNotShown: the text that would be sent is not the one on the page.
var errNotShown = fault.New(fault.Conflict, "The text has changed since you saw it. This is what the agent gets now; please look once more.")

// afterVerdict is where one goes on: to the agent's work once it runs.
func afterVerdict(st planning.State) string {
	if p, ok := st.Plan(); ok && p.Status == planning.PlanApproved {
		return "activity"
	}
	return "plan"
}
