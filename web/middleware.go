package web

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// middleware is the gate, from the outside in. Nothing in it can be reached
// around: echo runs it for addresses that don't exist as well.
func (s *server) middleware(e *echo.Echo) {
	e.Use(
		s.observe,
		middleware.GzipWithConfig(middleware.GzipConfig{Level: 5, MinLength: 1024, Skipper: uncompressed}),
		headers,
		s.inLanguage,
		s.recovered(),
		s.hostAllowed,
		s.signedIn,
		s.sameOrigin,
		s.body,
		s.onceForm,
	)
}

// uncompressed: static files bring their own compressed form, and a socket is
// no answer.
func uncompressed(c echo.Context) bool { return c.Path() == staticRoute || c.Path() == socketPath }

const requestKey = "request"

// requestID names a request in the log and on error pages.
func requestID(c echo.Context) string {
	id, _ := c.Get(requestKey).(string)
	return id
}

// observe gives the request its id, counts it and writes it to the log. The
// query stays out of it: links hold secrets.
func (s *server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		id := uuid.NewString()
		c.Set(requestKey, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		if err := next(c); err != nil {
			c.Error(err)
		}
		r, status := c.Request(), c.Response().Status
		s.requests.add(r.Method, status)
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("request", id),
			slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status),
			slog.Int64("bytes", c.Response().Size), slog.Duration("took", time.Since(start)),
			slog.String("person", s.person(c).ID))
		return nil
	}
}

// recovered turns a panic into an error of ours, with the stack in the log.
func (s *server) recovered() echo.MiddlewareFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{
		DisableStackAll: true, DisableErrorHandler: true,
		LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
			s.log.ErrorContext(c.Request().Context(), "panic", "request", requestID(c), "err", err, "stack", string(stack))
			return err
		},
	})
}
