package web

import (
	"net/http"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

type scopeBody struct {
	Files    []string `json:"files" jsonschema:"paths, folders with a slash at their end, or globs, below the workspace"`
	Commands []string `json:"commands" jsonschema:"shell commands, to the letter"`
	Base     string   `json:"base" jsonschema:"sha256 of the plan that was seen"`
}

// PUT /sessions/{id}/plans/{version}/scope
func (s *server) apiScope(c echo.Context) error {
	in, err := decode[scopeBody](c)
	if err != nil {
		return err
	}
	n, err := version(c)
	if err != nil {
		return err
	}
	st, err := s.editScope(c.Request().Context(), s.person(c), c.Param("id"), review.NewScope{
		Version: n, Files: in.Files, Commands: in.Commands, Base: in.Base,
	})
	if err != nil {
		return err
	}
	return replyPlan(c, http.StatusOK, st, n)
}

type releaseBody struct {
	Of planning.EditOp `json:"of,omitempty" jsonschema:"what the reviewer had done: rewritten, inserted, deleted or moved; whatever there is if it is missing"`
}

// POST /sessions/{id}/plans/{version}/steps/{step}/release
func (s *server) apiRelease(c echo.Context) error {
	in, err := decode[releaseBody](c)
	if err != nil {
		return err
	}
	return s.apiReleased(c, review.NewRelease{Step: c.Param("step"), Of: in.Of})
}

// POST /sessions/{id}/plans/{version}/scope/release
func (s *server) apiReleaseScope(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	return s.apiReleased(c, review.NewRelease{Of: planning.EditScope})
}

func (s *server) apiReleased(c echo.Context, n review.NewRelease) error {
	var err error
	if n.Version, err = version(c); err != nil {
		return err
	}
	st, err := s.release(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err != nil {
		return err
	}
	return replyPlan(c, http.StatusOK, st, n.Version)
}

// POST /sessions/{id}/plans/{version}/edits/{edit}/undo
func (s *server) apiUndo(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	n, err := version(c)
	if err != nil {
		return err
	}
	edit, err := editParam(c)
	if err != nil {
		return err
	}
	st, err := s.undo(c.Request().Context(), s.person(c), c.Param("id"), n, edit)
	if err != nil {
		return err
	}
	return replyPlan(c, http.StatusOK, st, n)
}

// DELETE /sessions/{id}/plans/{version}/approval
func (s *server) apiWithdrawApproval(c echo.Context) error {
	n, err := version(c)
	if err != nil {
		return err
	}
	st, err := s.withdrawApproval(c.Request().Context(), s.person(c), c.Param("id"), n)
	if err != nil {
		return err
	}
	return replyPlan(c, http.StatusOK, st, n)
}

// editParam reads the edit of the path.
func editParam(c echo.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("edit"), 10, 64)
	if err != nil || n < 1 {
		return 0, fault.New(fault.NotFound, "There is no change %q to this plan.", c.Param("edit"))
	}
	return n, nil
}
