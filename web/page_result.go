package web

import (
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// resultText is all that the log has of what a tool call brought, where the page
// shows a part of it. What a terminal would obey is shown as in an export.
func (s *server) resultText(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(c.Param("seq"), 10, 64)
	if err != nil || seq < 1 {
		return fault.New(fault.NotFound, "There is no such result.")
	}
	records, err := s.store.Records(c.Request().Context(), st.ID, seq-1, 1)
	if err != nil {
		return err
	}
	if len(records) == 1 && records[0].Seq == seq {
		if done, is := finishedCall(records[0]); is {
			return c.String(http.StatusOK, review.Visible(or(done.Whole, done.Output)))
		}
	}
	return fault.New(fault.NotFound, "There is no such result.")
}

// finishedCall is the end of a tool call that a record tells of, be it a
// sub-agent's.
func finishedCall(r planning.Record) (planning.ToolFinished, bool) {
	payload, err := r.Payload()
	if err != nil {
		return planning.ToolFinished{}, false
	}
	switch p := payload.(type) {
	case planning.ToolFinished:
		return p, true
	case planning.AgentToolFinished:
		return p.ToolFinished, true
	}
	return planning.ToolFinished{}, false
}
