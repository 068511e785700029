package web

import (
	"context"
	"net/http"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// activityMost is how many records one page of the activity has.
const activityMost = 200

// activityPage shows what the agent did, the newest at the end.
func (s *server) activityPage(c echo.Context) error {
	return s.activity(c, http.StatusOK, templates.Compose{})
}

func (s *server) activity(c echo.Context, status int, say templates.Compose) error {
	return s.activityWith(c, status, templates.ActivityPage{Say: say})
}

// activityWith is the page with what a form brought back.
func (s *server) activityWith(c echo.Context, status int, page templates.ActivityPage) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	before, err := whole(c.QueryParam("before"), "before", st.Seq+1)
	if err != nil {
		return err
	}
	// A page that follows live asks only for what it doesn't have.
	known, err := whole(c.QueryParam("after"), "after", 0)
	if err != nil {
		return err
	}
	records, older, err := s.recordsBefore(c.Request().Context(), st.ID, min(before, st.Seq+1), known)
	if err != nil {
		return err
	}
	page.Page, page.State, page.Records, page.Older = s.sessionBase(c, st), st, records, older
	page.Allowed = s.cfg.Allowed
	page.Newest, page.Help = before > st.Seq, c.QueryParam("help") != ""
	return render(c, status, templates.Activity(page))
}

// recordsBefore reads the last records with a seq below before and above
// known. older is where the page before this one ends, 0 if there is none.
func (s *server) recordsBefore(ctx context.Context, session string, before, known int64) (records []planning.Record, older int64, err error) {
	first := max(before-activityMost, 1)
	if first > 1 {
		older = first
	}
	after := max(first-1, known)
	if after >= before-1 {
		return nil, older, nil
	}
	records, err = s.store.Records(ctx, session, after, int(before-1-after))
	return records, older, err
}

// sayForm sends a message to the agent.
func (s *server) sayForm(c echo.Context) error {
	text := formText(c, "text")
	if planning.AsksForHelp(text) && s.person(c).Can(review.ActionTask) {
		return c.Redirect(http.StatusSeeOther, sessionPath(c.Param("id"), "activity?help=yes#commands"))
	}
	st, err := s.say(c.Request().Context(), s.person(c), c.Param("id"), text)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, "activity"))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.activity(c, statusOf(f), templates.Compose{Body: text, Problem: said(c, f)})
}

// pauseForm stops the agent where it is.
func (s *server) pauseForm(c echo.Context) error {
	st, err := s.pause(c.Request().Context(), s.person(c), c.Param("id"))
	return s.runDone(c, st, err)
}

// resumeForm lets it go on.
func (s *server) resumeForm(c echo.Context) error {
	st, err := s.resume(c.Request().Context(), s.person(c), c.Param("id"))
	return s.runDone(c, st, err)
}

func (s *server) runDone(c echo.Context, st planning.State, err error) error {
	if err != nil {
		return err
	}
	return s.back(c, st.ID, "activity")
}

// ActivityLine is a record as a line of the activity in a language, for the
// live socket; it is empty for a record that people need not see.
func ActivityLine(l *lang.Language, r planning.Record) (string, error) {
	var out strings.Builder
	err := templates.ActivityItem(r).Render(lang.With(context.Background(), l), &out)
	return strings.TrimSpace(out.String()), err
}
