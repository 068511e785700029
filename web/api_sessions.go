package web

import (
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/planning"

	"github.com/labstack/echo/v4"
)

// The bodies of calls on sessions.
type (
	createBody struct {
		Workspace string `json:"workspace,omitempty" jsonschema:"absolute path; the server's first workspace if it is missing"`
		Task      string `json:"task" jsonschema:"what is to be done"`
		Mode      string `json:"mode,omitempty" jsonschema:"plan (the default) or normal"`
		Model     string `json:"model,omitempty" jsonschema:"like builtin or openai:NAME"`
		Title     string `json:"title,omitempty"`
		Approvals int    `json:"approvals,omitempty" jsonschema:"needed before a plan runs"`
	}
	messageBody struct {
		Text string `json:"text" jsonschema:"a text that starts with /plan starts planning"`
	}
	permissionBody struct {
		Answer   planning.PermissionAnswer `json:"answer" jsonschema:"once, session, refuse or replan"`
		Reason   string                    `json:"reason,omitempty" jsonschema:"reaches the model word for word"`
		Patterns []string                  `json:"patterns,omitempty" jsonschema:"with session: paths, folders or globs to allow instead of exactly the files asked about"`
	}
)

// POST /sessions
func (s *server) apiCreateSession(c echo.Context) error {
	in, err := decode[createBody](c)
	if err != nil {
		return err
	}
	st, err := s.createSession(c.Request().Context(), s.person(c), newSession(in))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, apiPrefix+"/sessions/"+st.ID)
	return c.JSON(http.StatusCreated, viewSession(st))
}

// GET /sessions
func (s *server) apiSessions(c echo.Context) error {
	status := planning.Status(c.QueryParam("status"))
	if status != "" && !slices.Contains(sessionStatuses, status) {
		return fault.New(fault.Invalid, "There is no status %q.", status).At("status")
	}
	list, err := s.store.Sessions(c.Request().Context(), status)
	if err != nil {
		return err
	}
	lines, err := s.sessionLines(c, list)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, sessionsView{Sessions: lines})
}

// GET /sessions/{id}
func (s *server) apiSession(c echo.Context) error {
	st, err := s.session(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, viewSession(st))
}

// How many events one call returns.
const (
	eventsLimit = 200
	eventsMost  = 1000
)

// GET /sessions/{id}/events
func (s *server) apiEvents(c echo.Context) error {
	after, err := whole(c.QueryParam("after"), "after", 0)
	if err != nil {
		return err
	}
	limit, err := whole(c.QueryParam("limit"), "limit", eventsLimit)
	if err != nil {
		return err
	}
	if limit < 1 || limit > eventsMost {
		return fault.New(fault.Invalid, "limit can be 1 to %d.", eventsMost).At("limit")
	}
	st, err := s.session(c)
	if err != nil {
		return err
	}
	records, err := s.store.Records(c.Request().Context(), st.ID, after, int(limit))
	if err != nil {
		return err
	}
	out := eventsView{Events: make([]eventView, len(records))}
	for i, r := range records {
		out.Events[i] = viewEvent(r)
	}
	return c.JSON(http.StatusOK, out)
}

// POST /sessions/{id}/messages
func (s *server) apiMessage(c echo.Context) error {
	in, err := decode[messageBody](c)
	if err != nil {
		return err
	}
	return reply(c, viewSession)(s.say(c.Request().Context(), s.person(c), c.Param("id"), in.Text))
}

// POST /sessions/{id}/pause
func (s *server) apiPause(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	return reply(c, viewSession)(s.pause(c.Request().Context(), s.person(c), c.Param("id")))
}

// POST /sessions/{id}/resume
func (s *server) apiResume(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	return reply(c, viewSession)(s.resume(c.Request().Context(), s.person(c), c.Param("id")))
}

// POST /sessions/{id}/permissions/{pid}
func (s *server) apiPermission(c echo.Context) error {
	in, err := decode[permissionBody](c)
	if err != nil {
		return err
	}
	return reply(c, viewSession)(s.answer(c.Request().Context(), s.person(c), c.Param("id"), c.Param("pid"), in.Answer, in.Reason, in.Patterns))
}

// DELETE /sessions/{id}/permissions/{pid}
func (s *server) apiWithdrawGrant(c echo.Context) error {
	return reply(c, viewSession)(s.withdraw(c.Request().Context(), s.person(c), c.Param("id"), c.Param("pid")))
}

// GET /sessions/{id}/changes
func (s *server) apiChanges(c echo.Context) error {
	st, err := s.session(c)
	if err != nil {
		return err
	}
	list, err := changes(c.Request().Context(), s.store, st)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, changesView{Changes: list})
}

// reply answers with a view of the state that an action led to.
func reply[V any](c echo.Context, view func(planning.State) V) func(planning.State, error) error {
	return func(st planning.State, err error) error {
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, view(st))
	}
}

// notNil makes an empty list appear as [] and not as null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
