package web

import (
	"context"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// The bodies of calls on threads.
type (
	threadBody struct {
		Step  string `json:"step,omitempty" jsonschema:"id of the step; the plan as a whole if it is missing"`
		Quote string `json:"quote,omitempty" jsonschema:"a text of the step that the comment is about"`
		Body  string `json:"body"`
	}
	replyBody struct {
		Body string `json:"body"`
	}
)

// POST /sessions/{id}/plans/{version}/threads
func (s *server) apiComment(c echo.Context) error {
	in, err := decode[threadBody](c)
	if err != nil {
		return err
	}
	n, err := version(c)
	if err != nil {
		return err
	}
	st, id, err := s.comment(c.Request().Context(), s.person(c), c.Param("id"), review.NewComment{
		Version: n, Step: in.Step, Quote: in.Quote, Body: in.Body,
	})
	if err != nil {
		return err
	}
	return replyThread(c, http.StatusCreated, st, id)
}

// POST /threads/{thread}/replies
func (s *server) apiReply(c echo.Context) error {
	in, err := decode[replyBody](c)
	if err != nil {
		return err
	}
	return s.onThread(c, http.StatusCreated, func(ctx context.Context, by review.Person, session, thread string) (planning.State, error) {
		return s.reply(ctx, by, session, thread, in.Body)
	})
}

// POST /threads/{thread}/resolve
func (s *server) apiResolve(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	return s.onThread(c, http.StatusOK, s.resolve)
}

// POST /threads/{thread}/reopen
func (s *server) apiReopen(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	return s.onThread(c, http.StatusOK, s.reopen)
}

// onThread finds the session of the thread that the path names, does something
// to the thread and answers with it.
func (s *server) onThread(c echo.Context, status int, do func(ctx context.Context, by review.Person, session, thread string) (planning.State, error)) error {
	ctx, thread := c.Request().Context(), c.Param("thread")
	session, err := s.store.ThreadSession(ctx, thread)
	if err != nil {
		return err
	}
	st, err := do(ctx, s.person(c), session, thread)
	if err != nil {
		return err
	}
	return replyThread(c, status, st, thread)
}

func replyThread(c echo.Context, status int, st planning.State, id string) error {
	t, ok := st.Thread(id)
	if !ok {
		return fault.New(fault.NotFound, "There is no such thread.")
	}
	return c.JSON(status, threadView{t, t.Open()})
}
