package planning

import (
	"slices"
	"time"
)

// Runnable tells whether the agent has something to do now. It says no for
// every session that waits for a person, so a restart, a comment or a timer
// can never set one going. A session whose log is damaged never runs.
func (s State) Runnable() bool { return s.Run.Phase == PhaseRunning && s.Damage == nil }

// wake lets a session go on that waited for what has just come in. One that
// was paused or has failed stays so until a person resumes it, or decides on
// its plan.
func (s State) wake(at time.Time) State {
	waits := s.Run.Phase == PhaseParked || s.Run.Phase == PhaseFinished
	if waits && !s.Abandoned() && (s.CallsToRun() || s.ModelDue() || s.CompactAsked && !s.Waits()) {
		s.Run = Run{Phase: PhaseRunning, Since: at}
	}
	return s
}

// Waits tells whether the agent's turn is not at its end: a call of it has no
// result yet, because people are asked or because it still runs, or a person is
// to write a message.
func (s State) Waits() bool {
	return s.InReview() || s.Promised || slices.ContainsFunc(s.Calls, func(c Call) bool { return c.State != CallDone })
}

// CallsToRun tells whether there is a call that can move without a person.
func (s State) CallsToRun() bool {
	return slices.ContainsFunc(s.Calls, func(c Call) bool {
		return c.State == CallPending || c.State == CallStarted || c.State == CallAllowed || c.State == CallRefused
	})
}

// ModelDue tells whether the model is to be asked: every call of its last
// message has a result, or there is a message that it has not seen. It waits for
// a message that a person is to write.
func (s State) ModelDue() bool {
	if s.InReview() || s.Promised {
		return false
	}
	if len(s.Calls) == 0 {
		return s.Unread
	}
	return !slices.ContainsFunc(s.Calls, func(c Call) bool { return c.State != CallDone })
}
