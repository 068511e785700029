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
	s, err := a.Log.State(ctx, session)
	if err != nil || !s.Runnable() {
		return err
	}
	ahead, err := a.recordedAhead(ctx, s)
	if err != nil {
		return err
	}
	_, err = planning.Decide(ctx, a.Log, session, func(s planning.State) ([]planning.Event, error) {
		if !s.Runnable() {
			return nil, nil
		}
		var events []planning.Event
		for _, c := range s.Calls {
			if c.State == planning.CallStarted {
				events = append(events, a.unknown(s, c, ahead[c.ID])...)
			}
		}
		return append(events, by(planning.System, planning.RunPaused{
			Reason: reason + " Resume goes on from here.", Interrupted: true,
		})...), nil
	})
	return err
}

// cutOff gives a call its result that was running when the server went down.
func (r *run) cutOff(ctx context.Context, c planning.Call) error {
	ahead, err := r.recordedAhead(ctx, r.state)
	if err != nil {
		return err
	}
	return r.record(ctx, func(s planning.State) ([]planning.Event, error) {
		return r.unknown(s, c, ahead[c.ID]), nil
	})
}

// unknown is the result of such a call. What it had announced and the disk
// says never happened is taken back.
func (a *Agent) unknown(s planning.State, c planning.Call, ahead []planning.FileChanged) []planning.Event {
	events := endSubagents(s, c.ID)
	for _, change := range ahead {
		if happened, known := a.Happened(s.Workspace, change); known && !happened {
			events = append(events, by(planning.System, change.Reverse())...)
		}
	}
	output := outcomeUnknown
	if held := s.Held(c); held != nil { // it had run, and what it wrote was being put in place
		output = held.Output + keepingUnknown
	}
	return append(events, by(planning.System, planning.ToolFinished{
		Call: c.ID, Name: c.Name, Outcome: planning.OutcomeUnknown, Output: output,
	})...)
}

// recordedAhead returns, by call, the changes that were announced by the calls
// that have started and have no result. What a sub-agent announced counts for
// the call that it was started by.
func (a *Agent) recordedAhead(ctx context.Context, s planning.State) (map[string][]planning.FileChanged, error) {
	started, root := map[string]int64{}, map[string]string{}
	for _, c := range s.Calls {
		if c.State == planning.CallStarted {
			started[c.ID], root[c.ID] = c.Started, c.ID
		}
	}
	for _, sub := range s.Subagents {
		for _, c := range sub.Open {
			started[c.ID], root[c.ID] = c.Started, sub.Call
		}
	}
	changes := map[string][]planning.FileChanged{}
	if len(started) == 0 {
		return changes, nil
	}
	for _, f := range s.Changes {
		records, err := a.Log.Records(ctx, s.ID, f.Last-1, 1)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			p, err := r.Payload()
			if err != nil {
				return nil, err
			}
			change, is := p.(planning.FileChanged)
			if at, cut := started[change.Call]; is && cut && r.Seq > at {
				changes[root[change.Call]] = append(changes[root[change.Call]], change)
			}
		}
	}
	return changes, nil
}
