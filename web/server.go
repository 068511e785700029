package web

import (
	"log/slog"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// Config is what the web is told at start.
type Config struct {
	Version    string
	Workspaces []string // absolute paths that sessions may run in, the default first
	Sample     string   // the built-in sample workspace, one of Workspaces; empty if there is none
	Model      string   // what new sessions use unless told: "builtin", "openai:NAME"
	Approvals  int      // needed by default before a plan runs
	Shell      string   // why commands can't run while planning; empty if they can
	Hosts      []string // host names, without port, that requests may be addressed to
	// CheckModel fails with a fault.Fault if no session can use this model.
	CheckModel func(name string) error
}

// server holds what the handlers share. Everything in it is safe for
// concurrent use and set before the first request.
type server struct {
	cfg   Config
	store Store
	log   *slog.Logger
}

// personKey is where the sign-in middleware leaves who is asking.
const personKey = "person"

// person is who is asking; the middleware has made sure that there is one.
func (s *server) person(c echo.Context) review.Person {
	p, _ := c.Get(personKey).(review.Person)
	return p
}

// session is the state of the session that the path names.
func (s *server) session(c echo.Context) (planning.State, error) {
	return s.store.State(c.Request().Context(), c.Param("id"))
}

// render writes a page. It is rendered into a buffer first, so that an error
// on the way becomes a clean error page and not half of this one.
func render(c echo.Context, status int, page templ.Component) error {
	buf := templ.GetBuffer()
	defer templ.ReleaseBuffer(buf)
	if err := page.Render(c.Request().Context(), buf); err != nil {
		return err
	}
	return c.HTMLBlob(status, buf.Bytes())
}
