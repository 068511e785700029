package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// Limits of sub-agents. A sub-agent has none of its own: the depth is 1.
const (
	maxSideBySide = 8
	maxSubagents  = 32 // in a session
)

// Spawner is the tool whose calls are answered by a sub-agent's report.
type Spawner interface {
	Tool
	// Errand reads the arguments. Its error is meant for the model.
	Errand(args json.RawMessage) (Errand, error)
}

// Errand is what a sub-agent is to do.
type Errand struct {
	Task  string
	Tools []string // it may use only these; empty: all that sub-agents get
}

func (r *run) spawner(c planning.Call) (Spawner, bool) {
	tool, _ := r.tool(c.Name)
	s, is := tool.(Spawner)
	return s, is
}

// spawns answers the calls of the last message that start sub-agents, side by
// side, when the calls beside them have been moved as far as they go: a plan
// that came with them is in review while they work.
func (r *run) spawns(ctx context.Context) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for n, c := range r.due() {
		sub := &run{Agent: r.Agent, session: r.session, state: r.state}
		wg.Go(func() {
			if err := sub.errand(ctx, c, n); err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if errors.Is(failed, errStopped) {
		return errStopped
	}
	return failed
}

// due are the calls that are to start a sub-agent. One that had started when
// the server went down is not among them: it has been cut off.
func (r *run) due() []planning.Call {
	var calls []planning.Call
	for _, c := range r.state.Calls {
		if _, is := r.spawner(c); is && c.State == planning.CallPending {
			calls = append(calls, c)
		}
	}
	return calls
}

// errand brings one call to its result; n counts those beside it from 0.
func (r *run) errand(ctx context.Context, c planning.Call, n int) error {
	tool, _ := r.spawner(c)
	decision, touch, err := r.decide(tool, c)
	if err != nil {
		return r.finish(ctx, c, planning.OutcomeError, err.Error(), Touch{}, Result{})
	}
	if decision.Verdict != permission.Allow {
		return r.finish(ctx, c, planning.OutcomeDenied, decision.Reason, touch, Result{})
	}
	errand, err := tool.Errand(json.RawMessage(c.Arguments))
	if err == nil && n >= maxSideBySide {
		err = fmt.Errorf("spawn_agent: at most %d agents can work side by side; start this one when they have reported", maxSideBySide)
	}
	if err != nil {
		return r.finish(ctx, c, planning.OutcomeError, err.Error(), touch, Result{})
	}
	sub, err := r.enlist(ctx, c, touch, errand)
	var no *ToolError
	switch {
	case errors.As(err, &no):
		return r.finish(ctx, c, planning.OutcomeError, no.Message, touch, Result{})
	case err != nil:
		return err
	}
	return sub.report(ctx, c, touch)
}

// enlist records that a sub-agent begins. The call is recorded as started with
// it, so that after a crash it is never run again (S4).
func (r *run) enlist(ctx context.Context, c planning.Call, touch Touch, errand Errand) (*subagent, error) {
	var id string
	err := r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		if len(s.Subagents) >= maxSubagents {
			return nil, &ToolError{Message: fmt.Sprintf("spawn_agent: this session has had %d agents, and no more can be started. Do it yourself.", maxSubagents)}
		}
		id = fmt.Sprintf("a%d", len(s.Subagents)+1)
		return by(actor(s),
			planning.ToolStarted{Call: c.ID, Name: c.Name, Summary: touch.Summary},
			planning.AgentStarted{Agent: id, Call: c.ID, Task: errand.Task, Tools: errand.Tools},
		), nil
	}))
	if err != nil {
		return nil, err
	}
	shared := *r.Agent
	shared.Live = liveOf{r.Live, id}
	return &subagent{
		run: run{Agent: &shared, session: r.session, state: r.state}, id: id, errand: errand,
		said: []Message{{Role: RoleUser, Text: errand.Task}},
	}, nil
}

// report lets a sub-agent work and records what it came to as the one result of
// the call, also for a session that was paused meanwhile.
func (s *subagent) report(ctx context.Context, c planning.Call, touch Touch) error {
	text, err := s.work(ctx)
	outcome := planning.OutcomeOK
	var model *ModelError
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, errStopped):
		outcome, text = planning.OutcomeCancelled, stopped
	case errors.As(err, &model):
		outcome, text = planning.OutcomeError, "The agent could not go on: "+model.Message
	default:
		s.Logger.Error("sub-agent broke off", "session", s.session, "agent", s.id, "error", err)
		outcome, text = planning.OutcomeError, "The agent broke off on the server's side; people can find the cause in its log."
	}
	return s.record(ctx, func(st planning.State) ([]planning.Event, error) {
		events := by(s.actor(), planning.AgentFinished{Agent: s.id, Outcome: outcome})
		return append(events, finished(st, c, outcome, text, touch, Result{Summary: s.summary(st)})...), nil
	})
}

func (s *subagent) summary(st planning.State) string {
	a, _ := st.Subagent(s.id)
	if a.Calls == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", a.Calls)
}

// liveOf marks what a sub-agent says and prints.
type liveOf struct {
	live  Live
	agent string
}

// Publish implements Live.
func (l liveOf) Publish(session string, f Frame) {
	f.Agent = l.agent
	l.live.Publish(session, f)
}

// endSubagents puts an end to the sub-agents of a call that was cut off, and to
// their calls.
func endSubagents(s planning.State, call string) []planning.Event {
	var events []planning.Event
	for _, a := range s.Subagents {
		if a.Call != call || a.Outcome != "" {
			continue
		}
		for _, c := range a.Open {
			events = append(events, by(planning.System, planning.AgentToolFinished{Agent: a.ID, ToolFinished: planning.ToolFinished{
				Call: c.ID, Outcome: planning.OutcomeUnknown, Output: outcomeUnknown,
			}})...)
		}
		events = append(events, by(planning.System, planning.AgentFinished{Agent: a.ID, Outcome: planning.OutcomeUnknown})...)
	}
	return events
}

// siblingsDone tells whether every other call of the root's message has its
// result, so that a mode may land at a sub-agent's next request (P13, P19).
// While a sub-agent runs something that was let through under the old mode, it
// has to wait.
func (r *run) siblingsDone(s planning.State) bool {
	for _, c := range s.Calls {
		if _, is := r.spawner(c); !is && c.State != planning.CallDone {
			return false
		}
	}
	return !slices.ContainsFunc(s.Subagents, func(a planning.Subagent) bool { return len(a.Open) > 0 })
}
