package web

import (
	"bytes"
	"io"
	"mime"
	"net/http"

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
)

// How much a request may carry, in bytes.
const (
	bodyLimit = 64 << 10 // unless the route says otherwise
	// textLimit is for a task, a message, or the answers to ten questions. What
	// may be said in full gets through however it is written: in a form each of
	// its bytes may take three, in JSON six.
	textLimit = 512 << 10
	// planLimit is for an edit of a plan: a step, and in a form the whole text
	// that was seen beside it; or a scope, once as it is and once as it was.
	planLimit = 4 << 20
	// drainLimit is how much is read and thrown away of a body that is too
	// long. A browser that is cut off in the middle of sending shows an error
	// of its own instead of our answer.
	drainLimit = 32 << 20
)

// body checks the type and the size of what a request carries, and reads it.
func (s *server) body(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
			return next(c)
		}
		raw := r.Body
		err := s.readBody(c)
		if fault.Is(err, fault.TooLarge) {
			// What can't be read any more changes nothing about the answer.
			_, _ = io.CopyN(io.Discard, raw, drainLimit)
		}
		if err != nil {
			return err
		}
		return next(c)
	}
}

func (s *server) readBody(c echo.Context) error {
	r := c.Request()
	if err := bodyType(r); err != nil {
		return err
	}
	limit := s.limit(c.Path())
	if r.ContentLength > limit {
		return tooLong(limit)
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return fault.Wrap(err, fault.BadRequest, "The request broke off before its end.")
	}
	if int64(len(data)) > limit {
		return tooLong(limit)
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	if wantsJSON(r) {
		return nil
	}
	// Read forms here, because echo's FormValue says nothing when it can't.
	if err := r.ParseMultipartForm(limit); err != nil && err != http.ErrNotMultipart {
		return fault.Wrap(err, fault.BadRequest, "The form can't be read.")
	}
	return nil
}

// limit is how much a route takes.
func (s *server) limit(route string) int64 {
	if n, ok := s.limits[route]; ok {
		return n
	}
	return bodyLimit
}

// bodyType lets JSON into the API and forms into the pages, and nothing else: a
// text/plain body is what a foreign page can send without asking first.
func bodyType(r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	if wantsJSON(r) {
		if kind != echo.MIMEApplicationJSON {
			return fault.New(fault.Forbidden, "The API takes bodies of the type application/json only.")
		}
		return nil
	}
	if kind != echo.MIMEApplicationForm && kind != echo.MIMEMultipartForm {
		return fault.New(fault.Forbidden, "This address takes forms only.")
	}
	return nil
}
