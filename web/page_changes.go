package web

import (
	"context"
	"net/http"
	"slices"

	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// changesPage shows the diff by file.
func (s *server) changesPage(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	list, err := changes(c.Request().Context(), s.store, st)
	if err != nil {
		return err
	}
	p := templates.ChangesPage{Page: s.sessionBase(c, st), State: st}
	for _, change := range list {
		p.Files = append(p.Files, fileDiff(st, change))
	}
	return render(c, http.StatusOK, templates.Changes(p))
}

func fileDiff(st planning.State, c Change) templates.FileDiff {
	f := templates.FileDiff{
		Path: c.Path, Existed: c.Existed, Exists: c.Exists, InPlan: c.InPlan,
		Added: c.Added, Removed: c.Removed, Omitted: c.Omitted,
	}
	for _, id := range c.Todos {
		f.Todos = append(f.Todos, todoText(st, id))
	}
	for _, h := range c.Hunks {
		var hunk templates.DiffHunk
		for _, l := range h.Lines {
			hunk.Lines = append(hunk.Lines, templates.DiffLine(l))
		}
		f.Hunks = append(f.Hunks, hunk)
	}
	return f
}

// todoText names an item of the to-do list by its text, or by its id if it is
// not in the list any more.
func todoText(st planning.State, id string) string {
	i := slices.IndexFunc(st.Todos, func(t planning.Todo) bool { return t.ID == id })
	if i < 0 {
		return id
	}
	return st.Todos[i].Text
}

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
