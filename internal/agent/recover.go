package agent

import (
	"context"

	"countersign/internal/planning"
)

// Interrupt puts a session that was cut off by the server's end at rest: calls
// that were running get a result that says so, and the session is paused until
// a person resumes it (S4). For a session that waits for a person already it
// does nothing.
func (a *Agent) Interrupt(ctx context.Context, session, reason string) error {
	changes, err := a.recordedAhead(ctx, session)
	if err != nil {
		return err
	}
	_, err = planning.Decide(ctx, a.Log, session, func(s planning.State) ([]planning.Event, error) {
		if !s.Runnable() {
			return nil, nil
		}
		var events []planning.Event
		for _, c := range s.Calls {
			if c.State != planning.CallStarted {
				continue
			}
			for _, change := range changes[c.ID] {
				events = append(events, a.settleChange(s, change)...)
			}
			events = append(events, by(planning.System, planning.ToolFinished{
				Call: c.ID, Name: c.Name, Outcome: planning.OutcomeUnknown, Output: outcomeUnknown,
			})...)
		}
		return append(events, by(planning.System, planning.RunPaused{
			Reason: reason + " Resume goes on from here.", Interrupted: true,
		})...), nil
	})
	return err
}

// recordedAhead returns the changes that were announced by the calls that were
// running when the log ends.
func (a *Agent) recordedAhead(ctx context.Context, session string) (map[string][]planning.FileChanged, error) {
	s, err := a.Log.State(ctx, session)
	if err != nil {
		return nil, err
	}
	changes := map[string][]planning.FileChanged{}
	for _, c := range s.Calls {
		if c.State == planning.CallStarted {
			changes[c.ID] = nil
		}
	}
	for _, f := range s.Changes {
		if len(changes) == 0 {
			break
		}
		records, err := a.Log.Records(ctx, session, f.Last-1, 1)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			p, err := r.Payload()
			if err != nil {
				return nil, err
			}
			if change, ok := p.(planning.FileChanged); ok {
				if _, cut := changes[change.Call]; cut {
					changes[change.Call] = append(changes[change.Call], change)
				}
			}
		}
	}
	return changes, nil
}

// settleChange takes an announced change back if the disk says that it never
// happened.
func (a *Agent) settleChange(s planning.State, c planning.FileChanged) []planning.Event {
	if happened, known := a.Happened(s.Workspace, c); happened || !known {
		return nil
	}
	return by(planning.System, c.Reverse())
}
