package web

import (
	"net/http"

	"countersign/internal/fault"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// printPage shows a version of the plan and its approvals for paper (R10): the
// approved one, or else the newest, unless one is asked for.
func (s *server) printPage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	plan, ok := st.Approved()
	if !ok {
		plan, ok = st.Plan()
	}
	if v := c.QueryParam("version"); v != "" && ok {
		n, err := whole(v, "version", 0)
		if err != nil {
			return err
		}
		plan, ok = st.PlanVersion(int(n))
	}
	if !ok {
		return fault.New(fault.NotFound, "There is no such version of this plan to print.")
	}
	return render(c, http.StatusOK, templates.Print(templates.PrintPage{Page: s.base(c), State: st, Plan: plan}))
}
