package web

import (
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// compareWith finds the text that changes are marked against: the one that was
// asked for, else the one that the person saw last, else the version before. A
// page that was open while a version came compares with what it showed.
func (s *server) compareWith(c echo.Context, st planning.State, p *templates.PlanPage) error {
	if err := s.look(c, st, p); err != nil {
		return err
	}
	if shown, err := strconv.Atoi(c.QueryParam("shown")); err == nil && shown < p.Plan.Version {
		if v, ok := st.PlanVersion(shown); ok {
			p.From = v
			return nil
		}
	}
	if point := c.QueryParam("from"); point != "" {
		from, err := s.planText(c.Request().Context(), st, point)
		if _, unknown := fault.As(err); err != nil && !unknown {
			return err
		}
		if err == nil && from.Version <= p.Plan.Version && from.SHA256 != p.Plan.SHA256 {
			p.From = from
			return nil
		}
	}
	if p.From = p.Since.Plan; p.From.Version == 0 {
		p.From, _ = st.PlanVersion(p.Plan.Version - 1)
	}
	return nil
}

// look notes that the person looks at the newest version, and finds what they
// saw of the plan before, if that was something else. A page that brings itself
// up to date where nobody sees it says so.
func (s *server) look(c echo.Context, st planning.State, p *templates.PlanPage) error {
	if c.Request().Method != http.MethodGet || p.Plan.Version != len(st.Plans) {
		return nil
	}
	now := review.Look{Version: p.Plan.Version, SHA256: p.Plan.SHA256, At: p.Now}
	if c.QueryParam("away") != "" {
		now = review.Look{}
	}
	ctx := c.Request().Context()
	since, err := s.store.Looked(ctx, p.Person.ID, st.ID, now)
	if fault.Is(err, fault.Unavailable) && now != (review.Look{}) {
		// A page is there to be read, also while nothing can be written.
		s.log.WarnContext(ctx, "note what was seen", "err", err)
		since, err = s.store.Looked(ctx, p.Person.ID, st.ID, review.Look{})
	}
	if err != nil {
		return err
	}
	seen, ok := st.PlanVersion(since.Version)
	if !ok {
		return nil
	}
	seen, ok, err = s.textOf(ctx, st, seen, since.SHA256)
	if ok && seen.SHA256 != p.Plan.SHA256 {
		p.Since = templates.Since{Plan: seen, At: since.At}
	}
	return err
}
