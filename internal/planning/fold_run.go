package planning

import (
	"slices"
	"strings"
	"time"
)

// applyCall follows the tool calls of the model's last message.
func (s State) applyCall(r Record, payload Payload) State {
	switch p := payload.(type) {
	case ModelMessage:
		s.Calls = make([]Call, len(p.Calls))
		for i, c := range p.Calls {
			s.Calls[i] = Call{ToolCall: c, State: CallPending}
		}
		s.Unread, s.Heard = p.Missed, p.Seen
		s.Context = p.Usage.Tokens()
		s.Usage = s.Usage.Add(p.Usage)
	case ToolStarted:
		s.Doing = doing(p.Name, p.Summary)
		s = s.call(p.Call, CallStarted)
		s.eachCall(p.Call, func(c *Call) { c.Started = r.Seq })
	case ToolFinished:
		if p.Summary != "" && p.Name != "update_plan" { // the list shows for itself
			s.Doing = doing(p.Name, p.Summary)
		}
		s = s.call(p.Call, CallDone).dropHeld(p.Call)
	case PlanSubmitted:
		s = s.call(p.Call, CallInReview)
	case ReviewDecided:
		s = s.call(p.Call, CallDone)
		s.Unread = s.Unread || p.Call == "" // a plan that came as text is answered by a message
	case PermissionAsked:
		s.Permissions = append(slices.Clip(s.Permissions), Permission{PermissionAsked: p, AskedAt: r.At})
		s = s.call(p.Call, CallAsking)
		s.eachCall(p.Call, func(c *Call) { c.Permission = p.ID })
	case PermissionAnswered:
		s = s.answered(r, p).wake(r.At)
	case PermissionWithdrawn:
		s = s.withdrawn(p)
	}
	return s
}

// doing is a call in one line; a command speaks for itself.
func doing(tool, summary string) string {
	if tool == "shell" {
		return summary
	}
	return strings.TrimSpace(tool + " " + summary)
}

// call moves one call on. The slice is copied, because older states share it.
func (s State) call(id string, to CallState) State {
	i := slices.IndexFunc(s.Calls, func(c Call) bool { return c.ID == id })
	if id == "" || i < 0 {
		return s
	}
	s.Calls = slices.Clone(s.Calls)
	s.Calls[i].State = to
	return s
}

// eachCall may write in place: call has just made the copy.
func (s State) eachCall(id string, change func(*Call)) {
	for i := range s.Calls {
		if s.Calls[i].ID == id {
			change(&s.Calls[i])
		}
	}
}

func (s State) answered(r Record, p PermissionAnswered) State {
	i := slices.IndexFunc(s.Permissions, func(q Permission) bool { return q.ID == p.ID })
	if i < 0 {
		return s
	}
	s.Permissions = slices.Clone(s.Permissions)
	q := &s.Permissions[i]
	q.Answer, q.Reply, q.AnsweredBy, q.AnsweredAt = p.Answer, p.Reason, r.Actor, r.At
	q.Patterns = p.Patterns
	switch p.Answer {
	case AnswerOnce, AnswerSession:
		return s.call(q.Call, CallAllowed)
	case AnswerReplan:
		return s.call(q.Call, CallRefused).queue(ModePlan)
	default:
		return s.call(q.Call, CallRefused)
	}
}

// applyRun follows whether the agent runs.
func (s State) applyRun(r Record, payload Payload) State {
	switch p := payload.(type) {
	case RunParked:
		s.Run = Run{Phase: PhaseParked, Wait: p.Wait, Since: r.At}
	case RunPaused:
		s.Run = Run{Phase: PhasePaused, Message: p.Reason, Interrupted: p.Interrupted, Since: r.At}
	case RunResumed:
		s.Run = Run{Phase: PhaseRunning, Since: r.At}
	case RunFailed:
		s.Run = Run{Phase: PhaseFailed, Message: p.Message, Detail: p.Detail, Since: r.At}
	case RunFinished:
		s.Run = Run{Phase: PhaseFinished, Unfinished: p.Unfinished, Since: r.At}
	case ReviewDecided:
		s.Run = afterDecision(p, r.At)
	}
	return s
}

// afterDecision: an abandoned session is at its end; any other decision hands
// the turn back to the agent.
func afterDecision(p ReviewDecided, at time.Time) Run {
	if p.Verdict == VerdictAbandon {
		return Run{Phase: PhaseFinished, Since: at}
	}
	return Run{Phase: PhaseRunning, Since: at}
}
