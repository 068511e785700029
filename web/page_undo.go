package web

import (
	"net/http"
	"strconv"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// undoForm takes a reviewer's change back.
func (s *server) undoForm(c echo.Context) error {
	if err := s.person(c).May(review.ActionEdit); err != nil {
		return err
	}
	edit, err := editParam(c)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(c.FormValue("version"))
	st, err := s.undo(c.Request().Context(), s.person(c), c.Param("id"), version, edit)
	if err == nil {
		p, _ := st.PlanVersion(version)
		e, _ := p.Edit(edit)
		return c.Redirect(http.StatusSeeOther, toStep(st, e.Step))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.planAgain(c, f, templates.Compose{Edit: edit, Problem: said(c, f)})
}

// releaseForm takes what the agent made of something that a reviewer had
// changed before (P27).
func (s *server) releaseForm(c echo.Context) error {
	n := review.NewRelease{Step: c.FormValue("step"), Of: planning.EditOp(c.FormValue("of"))}
	n.Version, _ = strconv.Atoi(c.FormValue("version"))
	st, err := s.release(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, toStep(st, n.Step))
	}
	return s.planDone(c, st, err)
}

// withdrawApprovalForm takes one's own approval back.
func (s *server) withdrawApprovalForm(c echo.Context) error {
	version, _ := strconv.Atoi(c.FormValue("version"))
	st, err := s.withdrawApproval(c.Request().Context(), s.person(c), c.Param("id"), version)
	return s.planDone(c, st, err)
}

// planDone leads back to the plan, or shows it with what is wrong.
func (s *server) planDone(c echo.Context, st planning.State, err error) error {
	if err == nil {
		return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, "plan"))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.planAgain(c, f, templates.Compose{})
}
