package web

import (
	"context"
	"net/http"
	"slices"

	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

const (
	historyMost   = 100  // entries on a page
	historyWindow = 1000 // records that are looked at in one go
	historyLook   = 10   // windows that a page looks at before it stops
)

// historyPage shows who did what, the newest first.
func (s *server) historyPage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	before, err := whole(c.QueryParam("before"), "before", st.Seq+1)
	if err != nil {
		return err
	}
	records, older, err := s.history(c.Request().Context(), st.ID, min(before, st.Seq+1))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.History(templates.HistoryPage{
		Page: s.sessionBase(c, st), State: st, Records: records, Older: older,
	}))
}

// history collects what people did from the end of the log backwards. A long
// stretch in which nobody did anything ends the page early, so that its cost
// stays bounded.
func (s *server) history(ctx context.Context, session string, before int64) (list []planning.Record, older int64, err error) {
	for range historyLook {
		first := max(before-historyWindow, 1)
		if first >= before {
			return list, 0, nil
		}
		records, err := s.store.Records(ctx, session, first-1, int(before-first))
		if err != nil {
			return nil, 0, err
		}
		for _, r := range slices.Backward(records) {
			if !templates.HistoryKinds[r.Kind] {
				continue
			}
			if len(list) == historyMost {
				return list, r.Seq + 1, nil
			}
			list = append(list, r)
		}
		before = first
	}
	if before > 1 {
		older = before
	}
	return list, older, nil
}
