package templates

import (
	"context"
	"strconv"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// GoalForm is a form about the goal that came back: what was typed, and why it
// was not taken. The zero value is none.
type GoalForm struct {
	Op        planning.GoalOp
	Objective string
	Reason    string
	MaxRounds string
	Problem   string
}

// goalBox is the goal of a session with what one may do to it.
type goalBox struct {
	planning.Goal
	root string
	may  bool
	form GoalForm
}

func (p ActivityPage) goalBox() goalBox {
	return goalBox{p.State.Goal, p.root(), p.can(review.ActionTask) && !p.State.Abandoned(), p.Goal}
}

// opened tells whether the form for an operation came back.
func (b goalBox) opened(op planning.GoalOp) bool { return b.form.Op == op && b.form.Problem != "" }

// problem is what is wrong with the form for an operation.
func (b goalBox) problem(op planning.GoalOp) string {
	if b.form.Op == op {
		return b.form.Problem
	}
	return ""
}

// other is what is wrong with a form that is not there (any more), or that is
// one button only.
func (b goalBox) other() string {
	for _, op := range b.typed() {
		if op == b.form.Op {
			return ""
		}
	}
	return b.form.Problem
}

// typed are the operations that have a form to fill in.
func (b goalBox) typed() []planning.GoalOp {
	switch {
	case !b.may:
		return nil
	case !b.Exists():
		return []planning.GoalOp{planning.GoalCreate}
	case b.Phase == planning.GoalComplete:
		return []planning.GoalOp{planning.GoalCreate, planning.GoalEdit}
	case b.Phase == planning.GoalActive:
		return []planning.GoalOp{planning.GoalEdit, planning.GoalBlock}
	default:
		return []planning.GoalOp{planning.GoalEdit}
	}
}

// filled is what a field has: what was typed, else what is so now.
func (b goalBox) filled(op planning.GoalOp, typed, now string) string {
	if b.opened(op) {
		return typed
	}
	return now
}

// most is how many rounds the goal has, for the field; of none that is what a
// goal has that does not say.
func (b goalBox) most(op planning.GoalOp) string {
	now := ""
	if op == planning.GoalEdit {
		now = strconv.Itoa(b.MaxRounds)
	}
	return b.filled(op, b.form.MaxRounds, now)
}

// goalPhase is a goal's phase in a word, with the class of its chip.
func goalPhase(ctx context.Context, p planning.GoalPhase) (class, word string) {
	switch p {
	case planning.GoalActive:
		return "live", tr(ctx, "active")
	case planning.GoalPaused:
		return "warn", tr(ctx, "paused")
	case planning.GoalBlocked:
		return "bad", tr(ctx, "blocked")
	default:
		return "ok", tr(ctx, "complete")
	}
}

// goalRounds says how far a goal has come: "round 2 of 3".
func goalRounds(ctx context.Context, g planning.Goal) string {
	return tr(ctx, "round %d of %d", g.Rounds, g.MaxRounds)
}

// goalShort is the first line of an objective, cut where it gets long.
func goalShort(g planning.Goal) string {
	first, _, _ := strings.Cut(g.Objective, "\n")
	return shortened(visible(first), 120)
}

// goalFacts is a goal in one line.
func goalFacts(ctx context.Context, g planning.Goal) string {
	_, phase := goalPhase(ctx, g.Phase)
	return tr(ctx, "Goal: %s", goalShort(g)) + " · " + phase + " · " + goalRounds(ctx, g)
}

// goalRests says why an active goal has no round going, or "".
func goalRests(ctx context.Context, s planning.State) string {
	switch {
	case !s.Goal.Exists() || s.Goal.Phase != planning.GoalActive:
		return ""
	case s.Abandoned():
		return tr(ctx, "This session was stopped for good, so no round begins any more.")
	case s.Run.Phase == planning.PhasePaused:
		return tr(ctx, "The session is paused. The rounds go on when somebody resumes it.")
	case s.Run.Phase == planning.PhaseFailed:
		return tr(ctx, "The agent has stopped. The rounds go on when somebody resumes it.")
	case s.Mode == planning.ModePlan && s.Queued == "" || s.Queued == planning.ModePlan:
		return tr(ctx, "No round begins while the agent plans. The rounds go on once the plan is approved, or planning is left.")
	case s.Run.Phase == planning.PhaseParked:
		return tr(ctx, "The agent waits for people. The rounds go on when it has their answer.")
	case s.Run.Phase == planning.PhaseFinished && s.Goal.Left() == 0:
		return tr(ctx, "All rounds are used up. Give it more, and it goes on.")
	}
	return ""
}
