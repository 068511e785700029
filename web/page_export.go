package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// exportFile is the whole record of a session as a file to keep (R10).
func (s *server) exportFile(c echo.Context) error {
	st, err := s.canView(c)
	if err != nil {
		return err
	}
	records, err := s.allRecords(c.Request().Context(), st)
	if err != nil {
		return err
	}
	format, err := review.ParseFormat(or(c.QueryParam("format"), "markdown"))
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := format.Write(&body, st, records); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", "session-"+st.ID+"."+string(format)))
	return c.Blob(http.StatusOK, format.MediaType(), body.Bytes())
}

// exportWindow is how many records are read at once.
const exportWindow = 1000

func (s *server) allRecords(ctx context.Context, st planning.State) ([]planning.Record, error) {
	all := make([]planning.Record, 0, st.Seq)
	for int64(len(all)) < st.Seq {
		records, err := s.store.Records(ctx, st.ID, int64(len(all)), exportWindow)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			break
		}
		all = append(all, records...)
	}
	return all, nil
}
