package web

import (
	"context"
	"fmt"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// editCommentForm gives a comment another text, or deletes it.
func (s *server) editCommentForm(c echo.Context) error {
	body := formText(c, "body")
	if c.FormValue("delete") != "" {
		return s.commentDone(c, body, s.deleteComment)
	}
	return s.commentDone(c, body, func(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error) {
		return s.editComment(ctx, by, session, thread, comment, body)
	})
}

// agreeForm says that one agrees with a comment, or no longer.
func (s *server) agreeForm(c echo.Context) error {
	if c.FormValue("agree") == "yes" {
		return s.commentDone(c, "", s.agree)
	}
	return s.commentDone(c, "", s.disagree)
}

// commentDone does something to a comment and leads back to it. What was typed
// stays where it did not work.
func (s *server) commentDone(c echo.Context, body string, do func(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error)) error {
	if err := s.person(c).May(review.ActionComment); err != nil {
		return err
	}
	comment, err := commentParam(c)
	if err != nil {
		return err
	}
	st, err := do(c.Request().Context(), s.person(c), c.Param("id"), c.Param("thread"), comment)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, fmt.Sprintf("plan#c-%d", comment)))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.commentAgain(c, f, comment, body)
}

func (s *server) commentAgain(c echo.Context, f *fault.Fault, comment int64, body string) error {
	return s.planAgain(c, f, templates.Compose{Thread: c.Param("thread"), Comment: comment, Body: body, Problem: said(c, f)})
}
