package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// Config is what the web is told at start.
type Config struct {
	Version    string
	Workspaces []string        // absolute paths that sessions may run in, the default first
	Private    string          // folder of the product's own data, in which no session may run
	Sample     string          // the built-in sample workspace, one of Workspaces; empty if there is none
	Model      string          // what new sessions use unless told: "builtin", "openai:NAME"
	Approvals  int             // needed by default before a plan runs
	Rules      review.Rules    // of decisions
	Shell      func() string   // why commands can't run while planning; empty if they can. It may be nil
	Guidance   bool            // plan mode is held up by the prompt alone
	Allowed    planning.Grants // by the settings, in all sessions, except while planning
	Hosts      []string        // host names, without port, that requests may be addressed to
	Proxies    []netip.Prefix  // whose word counts on where a request came from, and whether by TLS
	// CheckModel fails with a fault.Fault if no session can use this model.
	CheckModel func(name string) error
	// Models are names of models that sessions can use as things stand; there
	// may be more. It may be nil.
	Models     func() []string
	SignInIdle time.Duration // after which a browser that isn't used is signed out; 0 for 30 days
	OpenID     OpenID        // the issuer that people can sign in with, if there is one
	Webhooks   Webhooks      // nil for none
}

// server holds what the handlers share. Everything in it is safe for
// concurrent use and set before the first request.
type server struct {
	cfg      Config
	store    Store
	hub      *Hub
	log      *slog.Logger
	attempts *attempts
	callers  *callers
	requests *requestCounts
	limits   map[string]int64       // bytes a body may have, by route, where it is not bodyLimit
	openapi  func() ([]byte, error) // the description of the API, made when it is first asked for
	openID   *openID                // nil without an issuer
}

// Web answers the requests of browsers and scripts. It is an http.Handler.
type Web struct {
	server *server
	echo   *echo.Echo
}

// New makes the web. The hub is also the one that hears of every commit; it
// belongs to the Web from now on and ends with its Shutdown.
func New(cfg Config, store Store, hub *Hub, log *slog.Logger) *Web {
	s := &server{
		cfg: cfg, store: store, hub: hub, log: log,
		attempts: newAttempts(time.Now), callers: newCallers(time.Now), requests: newRequestCounts(), limits: map[string]int64{},
	}
	if cfg.OpenID.Issuer != "" {
		s.openID = newOpenID(cfg.OpenID)
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail
	e.IPExtractor = echo.ExtractIPDirect()
	e.JSONSerializer = serializer{}
	s.middleware(e)
	s.routes(e)
	return &Web{server: s, echo: e}
}

// ServeHTTP implements http.Handler.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.server.fromProxy(r)
	w.echo.ServeHTTP(rw, r)
}

// HTTP returns a server for this handler with its timeouts set: a client that
// sends its request drop by drop does not hold a connection for long. There is
// no limit on writing as a whole, because an answer may be long and a line
// slow; the live sockets have their own.
func (w *Web) HTTP() *http.Server {
	return &http.Server{
		Handler:           w,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(w.server.log.Handler(), slog.LevelDebug),
	}
}

// Shutdown tells everybody who watches to come again and waits until all
// sockets are closed, or until ctx ends. Stop the http.Server as well; neither
// of the two needs the other.
func (w *Web) Shutdown(ctx context.Context) error { return w.server.hub.Shutdown(ctx) }

// personKey is where the sign-in middleware leaves who is asking.
const personKey = "person"

// person is who is asking; the middleware has made sure that there is one,
// except on the few pages that are open to everybody.
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

// health answers 200 while the database does.
func (s *server) health(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The database does not answer.")
	}
	return c.String(http.StatusOK, "ok\n")
}
