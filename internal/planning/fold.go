package planning

import (
	"fmt"
)

// Fold applies records to a state, in order.
func Fold(s State, records ...Record) (State, error) {
	for _, r := range records {
		next, err := s.Apply(r)
		if err != nil {
			return s, err
		}
		s = next
	}
	return s, nil
}

// Apply adds one record. Unknown kinds and later formats only move Seq (S6).
// It fails on a gap in the sequence and on a payload that can't be read; it
// never re-checks what was once accepted.
func (s State) Apply(r Record) (State, error) {
	if r.Seq != s.Seq+1 {
		return s, fmt.Errorf("session %s: record %d follows %d", r.Session, r.Seq, s.Seq)
	}
	payload, err := r.Payload()
	if err != nil {
		return s, err
	}
	s.Seq = r.Seq
	s.UpdatedAt = r.At
	s = s.applyLine(r, payload)
	s = s.applyQuestion(r, payload)
	s = s.applyInstructions(payload)
	s = s.applyReminder(r, payload)
	switch p := payload.(type) {
	case SessionCreated:
		return s.created(r, p), nil
	case UserMessage:
		return s.userMessage(p).wake(r.At), nil
	case ModeChanged:
		s.Mode, s.Queued = p.To, ""
	case TodoWritten:
		s.Todos, s.TodosAt = p.Items, r.At
	case ToolsListed:
		s.Servers = p.Servers
	case GoalChanged, GoalRoundStarted:
		return s.applyGoal(r, payload)
	case ContextCompacted:
		s = s.compacted(p)
	case FileChanged:
		s.Changes = foldChange(s.Changes, r.Seq, p)
	default:
		s = s.applyReview(r, payload)
		s = s.applyCall(r, payload)
		s = s.applyRun(r, payload)
		s = s.applySubagent(r, payload)
	}
	return s, nil
}

func (s State) created(r Record, p SessionCreated) State {
	s.ID, s.CreatedAt, s.CreatedBy = r.Session, r.At, r.Actor
	s.Title, s.Workspace, s.Model = p.Title, p.Workspace, p.Model
	s.Mode, s.Approvals = p.Mode, max(p.Approvals, 1)
	s.NextBlock = 1
	s.Run = Run{Phase: PhaseRunning, Since: r.At}
	return s
}

func (s State) userMessage(p UserMessage) State {
	if s.Task == "" {
		s.Task = p.Text
	}
	s.Unread = s.Unread || p.Text != ""
	switch p.Command {
	case CommandPlan:
		s = s.queue(ModePlan)
	case CommandPlanOff:
		s = s.queue(ModeNormal)
	case CommandCompact:
		s.CompactAsked = true
	}
	return s
}

// queue remembers a mode for the next model request; going back to the mode
// that is in force takes the change back (P22).
func (s State) queue(m Mode) State {
	s.Queued = m
	if m == s.Mode {
		s.Queued = ""
	}
	return s
}
