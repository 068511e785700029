package planning

import (
	"fmt"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning/document"
)

// Goal is what the agent works towards by itself, round after round, until it
// is reached, a person stops it, or the rounds are used up. A session has at
// most one (G1).
type Goal struct {
	ID        string    `json:"id"`       // "g1", "g2", …; never used again (G2)
	Revision  int       `json:"revision"` // 1 when created, one more with each accepted change
	Phase     GoalPhase `json:"phase"`
	Objective string    `json:"objective"`
	Reason    string    `json:"reason,omitempty"` // why it is paused or blocked
	Rounds    int       `json:"rounds"`           // begun so far
	MaxRounds int       `json:"max_rounds"`       // 1 to MaxRounds
	Cleared   bool      `json:"cleared,omitempty"`
	Number    int       `json:"number"` // of the goals of this session, this one included
}

// GoalPhase is where a goal stands. The zero value is no goal.
type GoalPhase string

// The phases of a goal.
const (
	GoalActive   GoalPhase = "active"
	GoalPaused   GoalPhase = "paused"
	GoalComplete GoalPhase = "complete"
	GoalBlocked  GoalPhase = "blocked"
)

// GoalOp is what somebody does to a goal.
type GoalOp string

// The operations.
const (
	GoalCreate    GoalOp = "create"
	GoalEdit      GoalOp = "edit" // another objective, or another number of rounds
	GoalPause     GoalOp = "pause"
	GoalResume    GoalOp = "resume"
	GoalMarked    GoalOp = "complete"
	GoalBlock     GoalOp = "block"
	GoalClear     GoalOp = "clear" // leaves a tombstone, so that its id stays used
	MaxRounds            = 100     // that a goal can have
	MaxGoal              = 4 << 10 // bytes of an objective or a reason
	DefaultRounds        = 10      // of a goal that does not say how many
	roundPrompt          = "Round %d of %d towards the goal: %s\n\nGo on with it. When it is reached, or you can't go on, say so with update_goal."
)

// GoalRef names the state that a change was decided on.
type GoalRef struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
}

// GoalChange is a change that somebody asks for. Empty fields stay as they are.
type GoalChange struct {
	Op        GoalOp   `json:"op"`
	Ref       *GoalRef `json:"ref,omitempty"` // needed for all but create
	Objective string   `json:"objective,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	MaxRounds int      `json:"max_rounds,omitempty"`
}

// GoalChanged is an accepted change with the whole goal after it (G6).
type GoalChanged struct {
	Op   GoalOp `json:"op"`
	Goal Goal   `json:"goal"`
}

// GoalRoundStarted is a message to the agent that comes from the goal and not
// from a person. Only these count as rounds (G4).
type GoalRoundStarted struct {
	Goal  string `json:"goal"` // its id
	Round int    `json:"round"`
	Of    int    `json:"of,omitempty"` // rounds that the goal had then; 0 in older records
	Text  string `json:"text"`         // what the model gets, word for word
}

// Exists tells whether there is a goal that has not been cleared.
func (g Goal) Exists() bool { return g.Phase != "" && !g.Cleared }

// Ref names the goal as it is now.
func (g Goal) Ref() GoalRef { return GoalRef{g.ID, g.Revision} }

// Left counts the rounds that have not begun.
func (g Goal) Left() int { return max(g.MaxRounds-g.Rounds, 0) }

// ChangeGoal decides on a change (G2, G3). Its faults are Invalid, TooLarge,
// NotFound, or Conflict with the goal as it is.
func ChangeGoal(s State, c GoalChange) (GoalChanged, error) {
	c.Objective, c.Reason = strings.TrimSpace(c.Objective), strings.TrimSpace(c.Reason)
	if err := c.check(); err != nil {
		return GoalChanged{}, err
	}
	if c.Op != GoalCreate {
		switch {
		case !s.Goal.Exists():
			return GoalChanged{}, fault.New(fault.NotFound, "This session has no goal.")
		case c.Ref == nil:
			return GoalChanged{}, fault.New(fault.Invalid, "Name the goal and its revision, as they were seen.").At("ref").With(s.Goal)
		case *c.Ref != s.Goal.Ref():
			return GoalChanged{}, fault.New(fault.Conflict, "The goal has changed since: it is %s at revision %d now.", s.Goal.ID, s.Goal.Revision).With(s.Goal)
		}
	}
	if s.Abandoned() {
		return GoalChanged{}, fault.New(fault.Conflict, "This session was stopped for good. Please start a new one.")
	}
	next, err := s.Goal.next(c)
	if err != nil {
		return GoalChanged{}, err
	}
	return GoalChanged{Op: c.Op, Goal: next}, nil
}

func (c GoalChange) check() error {
	switch {
	case len(c.Objective) > MaxGoal:
		return fault.New(fault.TooLarge, "A goal and a reason may have at most %d KB.", MaxGoal>>10).At("objective")
	case len(c.Reason) > MaxGoal:
		return fault.New(fault.TooLarge, "A goal and a reason may have at most %d KB.", MaxGoal>>10).At("reason")
	}
	if f := document.CheckText("The goal", c.Objective); f != nil {
		return f.At("objective")
	}
	if f := document.CheckText("The reason", c.Reason); f != nil {
		return f.At("reason")
	}
	if c.MaxRounds < 0 || c.MaxRounds > MaxRounds {
		return fault.New(fault.Invalid, "A goal can have 1 to %d rounds.", MaxRounds).At("max_rounds")
	}
	return nil
}

// next is the goal after a change that is in order otherwise.
func (g Goal) next(c GoalChange) (Goal, error) {
	if c.Op == GoalCreate {
		return g.create(c)
	}
	was := g
	g.Revision++
	switch c.Op {
	case GoalEdit:
		return g.edit(c)
	case GoalPause:
		g.Phase, g.Reason = GoalPaused, c.Reason
		return g, was.only(GoalActive)
	case GoalBlock:
		if c.Reason == "" {
			return was, fault.New(fault.Invalid, "Say what is in the way of the goal.").At("reason")
		}
		g.Phase, g.Reason = GoalBlocked, c.Reason
		return g, was.only(GoalActive)
	case GoalResume:
		if was.Left() == 0 {
			return was, fault.New(fault.Conflict, "All %d rounds of the goal are used up. Give it more rounds first.", was.MaxRounds).With(was)
		}
		g.Phase, g.Reason = GoalActive, ""
		return g, was.only(GoalPaused, GoalBlocked)
	case GoalMarked:
		g.Phase, g.Reason = GoalComplete, c.Reason
		return g, was.only(GoalActive, GoalPaused, GoalBlocked)
	case GoalClear:
		g.Cleared = true
		return g, nil
	}
	return was, fault.New(fault.Invalid, "The operation is %q; it can be create, edit, pause, resume, complete, block or clear.", string(c.Op)).At("op")
}

func (g Goal) create(c GoalChange) (Goal, error) {
	if g.Exists() && g.Phase != GoalComplete {
		return g, fault.New(fault.Conflict, "The session has a goal that is not reached yet. Complete it or clear it first.").With(g)
	}
	if c.Objective == "" {
		return g, fault.New(fault.Invalid, "Say what the goal is.").At("objective")
	}
	made := Goal{Number: g.Number + 1, Revision: 1, Phase: GoalActive, Objective: c.Objective, MaxRounds: c.MaxRounds}
	made.ID = fmt.Sprintf("g%d", made.Number)
	if made.MaxRounds == 0 {
		made.MaxRounds = DefaultRounds
	}
	return made, nil
}

// edit has its revision counted already.
func (g Goal) edit(c GoalChange) (Goal, error) {
	if c.Objective == "" && c.MaxRounds == 0 {
		return g, fault.New(fault.Invalid, "Say what the goal is.").At("objective")
	}
	if c.MaxRounds != 0 && c.MaxRounds < g.Rounds {
		return g, fault.New(fault.Invalid, "%d rounds have begun already, so there can't be fewer.", g.Rounds).At("max_rounds")
	}
	if c.Objective != "" {
		g.Objective = c.Objective
	}
	if c.MaxRounds != 0 {
		g.MaxRounds = c.MaxRounds
	}
	return g, nil
}

// only refuses an operation in any other phase than these.
func (g Goal) only(phases ...GoalPhase) error {
	for _, p := range phases {
		if g.Phase == p {
			return nil
		}
	}
	return fault.New(fault.Conflict, "The goal is %s, so that can't be done to it.", g.Phase).With(g)
}
