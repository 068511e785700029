package web

import (
	"context"
	"net/http"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

type (
	// goalBody is a change of a session's goal.
	goalBody struct {
		Op        planning.GoalOp   `json:"op" jsonschema:"create, edit, pause, resume, complete, block or clear"`
		Ref       *planning.GoalRef `json:"ref,omitempty" jsonschema:"the goal and its revision as they were seen; needed for all but create"`
		Objective string            `json:"objective,omitempty" jsonschema:"for create, and for edit"`
		Reason    string            `json:"reason,omitempty" jsonschema:"why it is paused, complete or blocked; needed for block"`
		MaxRounds int               `json:"max_rounds,omitempty" jsonschema:"1 to 100, for create and edit; a new goal has 10 unless told"`
	}
	// goalView is a goal as the API shows it.
	goalView struct {
		ID        string             `json:"id"`
		Revision  int                `json:"revision"`
		Phase     planning.GoalPhase `json:"phase"` // active, paused, complete or blocked
		Objective string             `json:"objective"`
		Reason    string             `json:"reason,omitempty"` // why it is paused, complete or blocked
		Rounds    int                `json:"rounds"`           // begun so far
		MaxRounds int                `json:"max_rounds"`
	}
)

// viewGoal is null where there is no goal, or the last one was cleared.
func viewGoal(g planning.Goal) *goalView {
	if !g.Exists() {
		return nil
	}
	return &goalView{g.ID, g.Revision, g.Phase, g.Objective, g.Reason, g.Rounds, g.MaxRounds}
}

// changeGoal changes the goal of a session. A change that was decided on
// another revision than the newest fails with fault.Conflict (G2).
func (s *server) changeGoal(ctx context.Context, by review.Person, session string, change planning.GoalChange) (planning.State, error) {
	return s.act(ctx, by, review.ActionTask, session, func(st planning.State) ([]planning.Event, error) {
		return planning.GoalEvents(st, by.Actor(), change)
	})
}

// POST /sessions/{id}/goal
func (s *server) apiGoal(c echo.Context) error {
	in, err := decode[goalBody](c)
	if err != nil {
		return err
	}
	return reply(c, viewSession)(s.changeGoal(c.Request().Context(), s.person(c), c.Param("id"), planning.GoalChange(in)))
}

// goalForm changes the goal from a page. What could not be recorded comes back
// with all that was typed, on the goal as it is now.
func (s *server) goalForm(c echo.Context) error {
	form := templates.GoalForm{
		Op: planning.GoalOp(c.FormValue("op")), Objective: formText(c, "objective"),
		Reason: formText(c, "reason"), MaxRounds: c.FormValue("max_rounds"),
	}
	change, err := goalChange(c, form)
	if err == nil {
		var st planning.State
		if st, err = s.changeGoal(c.Request().Context(), s.person(c), c.Param("id"), change); err == nil {
			return c.Redirect(http.StatusSeeOther, sessionPath(st.ID, "activity"))
		}
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	form.Problem = said(c, f)
	return s.activityWith(c, statusOf(f), templates.ActivityPage{Goal: form})
}

func goalChange(c echo.Context, form templates.GoalForm) (planning.GoalChange, error) {
	change := planning.GoalChange{Op: form.Op, Objective: form.Objective, Reason: form.Reason}
	rounds, err := whole(form.MaxRounds, "max_rounds", 0)
	if err != nil {
		return change, err
	}
	change.MaxRounds = int(min(rounds, planning.MaxRounds+1))
	if c.FormValue("goal") == "" {
		return change, nil
	}
	revision, err := whole(c.FormValue("revision"), "revision", 0)
	change.Ref = &planning.GoalRef{ID: c.FormValue("goal"), Revision: int(revision)}
	return change, err
}
