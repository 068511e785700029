package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// statuses is the one table from a fault to an HTTP status. A code that is not
// in it is a fault of ours.
var statuses = map[fault.Code]int{
	fault.BadRequest:      http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Internal:        http.StatusInternalServerError,
}

// statusOf returns the HTTP status of a fault.
func statusOf(f *fault.Fault) int {
	if status, ok := statuses[f.Code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// problem is an error as it is shown: a fault, and the status that goes with it.
type problem struct {
	*fault.Fault
	status int
}

// problemOf turns any error into what may be shown of it. What is no fault and
// none of echo's errors is ours, and nothing of it is shown.
func problemOf(err error) problem {
	if f, ok := fault.As(err); ok {
		status := statusOf(f)
		if status == http.StatusInternalServerError {
			return problem{ours(err), status}
		}
		return problem{f, status}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem{tooLong(tooLarge.Limit), http.StatusRequestEntityTooLarge}
	}
	var he *echo.HTTPError
	if errors.As(err, &he) && he.Code >= 400 && he.Code < 500 {
		return problem{ofStatus(he.Code), he.Code}
	}
	return problem{ours(err), http.StatusInternalServerError}
}

func ours(err error) *fault.Fault {
	return fault.Wrap(err, fault.Internal, "Something went wrong on our side. It is in the server's log.")
}

// ofStatus says in our words what echo says with a status.
func ofStatus(status int) *fault.Fault {
	switch status {
	case http.StatusNotFound:
		return fault.New(fault.NotFound, "There is nothing at this address.")
	case http.StatusMethodNotAllowed:
		return fault.New(fault.BadRequest, "This address does not take that kind of request.")
	}
	for code, s := range statuses {
		if s == status {
			return fault.New(code, "The server does not answer this request (%s).", http.StatusText(status))
		}
	}
	return fault.New(fault.BadRequest, "The request can't be read.")
}

func tooLong(limit int64) *fault.Fault {
	return fault.New(fault.TooLarge, "What was sent is too long: at most %s are taken here at once. Please shorten it and send it again.", size(limit))
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}

// fail is the one place that writes an error, as a page or as JSON.
func (s *server) fail(err error, c echo.Context) {
	r := c.Request()
	p := problemOf(err)
	s.logFailure(c, p, err)
	if c.Response().Committed {
		return
	}
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to read it
	}
	if p.Code == fault.RateLimited {
		c.Response().Header().Set(echo.HeaderRetryAfter, retryAfter(r))
	}
	if p.status == http.StatusUnauthorized && !wantsJSON(r) && r.Header.Get("Authorization") == "" {
		err = c.Redirect(http.StatusSeeOther, signInPath(r))
	} else if r.Method == http.MethodHead {
		err = c.NoContent(p.status)
	} else if wantsJSON(r) {
		err = c.JSON(p.status, errorBody{p.body()})
	} else {
		var damage *planning.Damage
		errors.As(p.Fault, &damage)
		err = render(c, p.status, templates.ErrorPage(s.person(c), p.status, damage, said(c, p.Fault), requestID(c)))
	}
	if err != nil {
		s.log.ErrorContext(r.Context(), "write an error", "request", requestID(c), "err", err)
	}
}

func (s *server) logFailure(c echo.Context, p problem, err error) {
	level := slog.LevelDebug
	if p.status >= 500 {
		level = slog.LevelError
	}
	r := c.Request()
	s.log.Log(r.Context(), level, "request failed", "request", requestID(c),
		"method", r.Method, "path", r.URL.Path, "status", p.status, "err", err)
}

// errorBody is an error in the JSON API.
type errorBody struct {
	Error errorView `json:"error"`
}

type errorView struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Field   string     `json:"field,omitempty"`
	Current any        `json:"current,omitempty"` // with a conflict: what the state is now
}

func (p problem) body() errorView {
	return errorView{Code: p.Code, Message: p.Message, Field: p.Field, Current: p.Current}
}

// wantsJSON tells whether an address belongs to programs.
func wantsJSON(r *http.Request) bool {
	path := r.URL.Path
	return path == "/api" || strings.HasPrefix(path, "/api/") || path == "/ws" || path == "/metrics" || path == "/healthz"
}
