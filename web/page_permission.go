package web

import (
	"strings"

	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// permissionForm answers a request for permission. A pattern that can't be used
// comes back with a sentence beside it.
func (s *server) permissionForm(c echo.Context) error {
	pattern := strings.TrimSpace(c.FormValue("pattern"))
	if choice := c.FormValue("files"); choice != "" && choice != "own" {
		pattern = choice
	}
	var patterns []string
	if pattern != "" {
		patterns = []string{pattern}
	}
	st, err := s.answer(c.Request().Context(), s.person(c), c.Param("id"), c.Param("pid"),
		planning.PermissionAnswer(c.FormValue("answer")), formText(c, "reason"), patterns)
	if f, ours := formFault(err); ours == nil && f != nil && f.Field == "patterns" {
		return s.activityWith(c, statusOf(f), templates.ActivityPage{
			Pattern: templates.PatternForm{Permission: c.Param("pid"), Text: pattern, Problem: said(c, f)},
		})
	}
	return s.runDone(c, st, err)
}

// withdrawGrantForm takes back what was allowed for the session.
func (s *server) withdrawGrantForm(c echo.Context) error {
	st, err := s.withdraw(c.Request().Context(), s.person(c), c.Param("id"), c.Param("pid"))
	return s.runDone(c, st, err)
}
