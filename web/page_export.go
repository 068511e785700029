package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"countersign/internal/fault"
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
	format := or(c.QueryParam("format"), "md")
	var body []byte
	switch format {
	case "md":
		body = []byte(review.Markdown(st, records))
	case "json":
		var out bytes.Buffer
		if err := review.JSON(&out, st, records); err != nil {
			return err
		}
		body = out.Bytes()
	default:
		return fault.New(fault.Invalid, "The format can be \"md\" or \"json\".").At("format")
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", "session-"+st.ID+"."+format))
	mime := map[string]string{"md": "text/markdown; charset=utf-8", "json": "application/json"}[format]
	return c.Blob(http.StatusOK, mime, body)
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
