package web

import (
	"context"
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

type editCommentBody struct {
	Body string `json:"body"`
}

// PUT /threads/{thread}/comments/{comment}
func (s *server) apiEditComment(c echo.Context) error {
	in, err := decode[editCommentBody](c)
	if err != nil {
		return err
	}
	return s.onComment(c, func(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error) {
		return s.editComment(ctx, by, session, thread, comment, in.Body)
	})
}

// DELETE /threads/{thread}/comments/{comment}
func (s *server) apiDeleteComment(c echo.Context) error { return s.onComment(c, s.deleteComment) }

// PUT /threads/{thread}/comments/{comment}/agreement
func (s *server) apiAgree(c echo.Context) error { return s.onComment(c, s.agree) }

// DELETE /threads/{thread}/comments/{comment}/agreement
func (s *server) apiDisagree(c echo.Context) error { return s.onComment(c, s.disagree) }

// onComment does something to the comment that the path names and answers with
// its thread.
func (s *server) onComment(c echo.Context, do func(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error)) error {
	comment, err := commentParam(c)
	if err != nil {
		return err
	}
	return s.onThread(c, http.StatusOK, func(ctx context.Context, by review.Person, session, thread string) (planning.State, error) {
		return do(ctx, by, session, thread, comment)
	})
}

// commentParam reads the comment of the path.
func commentParam(c echo.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("comment"), 10, 64)
	if err != nil || n < 1 {
		return 0, fault.New(fault.NotFound, "There is no comment %q.", c.Param("comment"))
	}
	return n, nil
}
