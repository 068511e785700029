package planning

import (
	"strings"

	"countersign/internal/fault"
)

// compactCommand asks for a shorter conversation. While people are asked
// something the agent's turn is open, and nothing may be cut out of it.
func (s State) compactCommand(by Actor, arguments string) ([]Event, error) {
	switch {
	case arguments != "":
		return nil, fault.New(fault.Invalid, "Nothing goes behind /compact.").At("text")
	case s.Model == "builtin":
		return nil, fault.New(fault.Conflict, "The built-in planner has no conversation that could be made shorter.").At("text")
	case s.Run.Phase != PhaseRunning && s.Waits():
		return nil, fault.New(fault.Conflict, "The agent waits for an answer. Please give it first.").At("text")
	case s.Run.Phase == PhasePaused || s.Run.Phase == PhaseFailed:
		return nil, fault.New(fault.Conflict, "The agent has stopped. Resume it first.").At("text")
	}
	return []Event{{by, UserMessage{Command: CommandCompact}}}, nil
}

// goalOps are the words behind /goal that change a goal instead of setting one.
var goalOps = map[string]GoalOp{"pause": GoalPause, "resume": GoalResume, "complete": GoalMarked, "clear": GoalClear}

// goalCommand is "/goal OBJECTIVE", which sets a goal, or one word for what is
// to become of it. Who writes it means the goal as it is now.
func (s State) goalCommand(by Actor, arguments string) ([]Event, error) {
	if arguments == "" {
		return nil, fault.New(fault.Invalid, "Write the goal behind /goal, or one of pause, resume, complete and clear.").At("text")
	}
	c := GoalChange{Op: GoalCreate, Objective: arguments}
	if op := goalOps[strings.ToLower(arguments)]; op != "" {
		ref := s.Goal.Ref()
		c = GoalChange{Op: op, Ref: &ref}
	}
	events, err := GoalEvents(s, by, c)
	if f, ok := fault.As(err); ok {
		return nil, f.At("text")
	}
	return events, err
}
