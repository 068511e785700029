package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// noteForm sends a comment on a changed line to the agent, as a message that
// quotes the line (R11).
func (s *server) noteForm(c echo.Context) error {
	note := templates.LineNote{Old: c.FormValue("side") == "old", Body: formText(c, "body")}
	note.Line, _ = strconv.Atoi(c.FormValue("line"))
	note.Record, _ = strconv.ParseInt(c.FormValue("record"), 10, 64)
	ctx, session := c.Request().Context(), c.Param("id")
	var st planning.State
	err := s.person(c).May(review.ActionTask)
	if err == nil {
		st, err = s.sendNote(ctx, s.person(c), session, note)
	}
	if err == nil {
		by := ""
		if c.FormValue("by") == "step" {
			by = "&by=step"
		}
		return c.Redirect(http.StatusSeeOther, sessionPath(session, "changes")+fmt.Sprintf("?sent=1%s&open=%d#%s", by, note.Record, templates.LastNote(st)))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	note.Problem = said(c, f)
	return s.changesWith(c, statusOf(f), note, c.FormValue("by") == "step")
}

func (s *server) sendNote(ctx context.Context, by review.Person, session string, note templates.LineNote) (planning.State, error) {
	st, err := s.store.State(ctx, session)
	if err != nil {
		return st, err
	}
	line, err := s.lineOf(ctx, st, note)
	if err != nil {
		return st, err
	}
	return s.act(ctx, by, review.ActionTask, session, func(st planning.State) ([]planning.Event, error) {
		return review.CommentOnLine(st, by.Actor(), line, note.Body)
	})
}

// lineOf finds the line that a comment is on in the record that the person
// looked at, which never changes, whatever has become of the file since.
func (s *server) lineOf(ctx context.Context, st planning.State, note templates.LineNote) (review.Line, error) {
	none := fault.New(fault.NotFound, "There is no such line in the changes of this session.")
	if note.Record < 1 || note.Record > st.Seq {
		return review.Line{}, none
	}
	changed, err := fileChanged(ctx, s.store, st.ID, note.Record)
	if errors.Is(err, errNoChange) {
		return review.Line{}, none
	}
	if err != nil {
		return review.Line{}, err
	}
	text := changed.After
	if note.Old {
		text = changed.Before
	}
	lines := strings.Split(text, "\n")
	if note.Line < 1 || note.Line > len(lines) || note.Line == len(lines) && lines[note.Line-1] == "" {
		return review.Line{}, none
	}
	return review.Line{Record: note.Record, Path: changed.Path, Number: note.Line, Old: note.Old, Text: strings.TrimSuffix(lines[note.Line-1], "\r")}, nil
}
