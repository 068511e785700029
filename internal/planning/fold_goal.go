package planning

import "fmt"

// applyGoal follows the goal. Unlike other records, these are checked again: a
// log with a gap, another goal's change or an impossible move is not one that
// this product wrote (G6).
func (s State) applyGoal(r Record, payload Payload) (State, error) {
	switch p := payload.(type) {
	case GoalChanged:
		if err := s.Goal.leadsTo(p); err != nil {
			return s, fmt.Errorf("session %s: record %d: %w", r.Session, r.Seq, err)
		}
		s.Goal = p.Goal
	case GoalRoundStarted:
		if p.Goal != s.Goal.ID || p.Round != s.Goal.Rounds+1 || s.Goal.Left() == 0 || s.Goal.Phase != GoalActive || s.Goal.Cleared {
			return s, fmt.Errorf("session %s: record %d: round %d of goal %q does not follow", r.Session, r.Seq, p.Round, p.Goal)
		}
		s.Goal.Rounds = p.Round
		s.Unread = true
		return s.wake(r.At), nil
	}
	return s, nil
}

// leadsTo makes the same change again and compares. How long a text may be is
// not asked: limits change, logs don't.
func (g Goal) leadsTo(p GoalChanged) error {
	c := GoalChange{Op: p.Op, Objective: p.Goal.Objective, Reason: p.Goal.Reason, MaxRounds: p.Goal.MaxRounds}
	if p.Op != GoalCreate && !g.Exists() {
		return fmt.Errorf("%s of a goal that is not there", p.Op)
	}
	next, err := g.next(c)
	if err != nil {
		return err
	}
	if next != p.Goal {
		return fmt.Errorf("goal %s at revision %d does not follow %s at revision %d by %s", p.Goal.ID, p.Goal.Revision, g.ID, g.Revision, p.Op)
	}
	return nil
}

// NextRound is the message that the goal has for the agent when it has come to
// rest: there is one while the goal is active and rounds are left. While
// planning there is none, because what the agent says then waits for a person
// (P10).
func (s State) NextRound() (GoalRoundStarted, bool) {
	g := s.Goal
	switch {
	case g.Phase != GoalActive, g.Cleared, g.Left() == 0, s.Unread, s.Abandoned(), s.Waits():
		return GoalRoundStarted{}, false
	case s.Mode == ModePlan && s.Queued == "", s.Queued == ModePlan:
		return GoalRoundStarted{}, false
	}
	round := g.Rounds + 1
	return GoalRoundStarted{Goal: g.ID, Round: round, Of: g.MaxRounds, Text: fmt.Sprintf(roundPrompt, round, g.MaxRounds, g.Objective)}, true
}

// GoalEvents is a person's change, and the round that begins with it if the
// agent is at rest. A session that was paused or has failed stays so.
func GoalEvents(s State, by Actor, c GoalChange) ([]Event, error) {
	changed, err := ChangeGoal(s, c)
	if err != nil {
		return nil, err
	}
	events := []Event{{by, changed}}
	s.Goal = changed.Goal
	if s.Run.Phase == PhaseFinished {
		if round, ok := s.NextRound(); ok {
			events = append(events, Event{System, round})
		}
	}
	return events, nil
}
