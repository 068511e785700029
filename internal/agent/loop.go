package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// run is one stretch of work on a session, from the moment that there is
// something to do until it waits for a person. It keeps nothing that can't be
// read from the log again.
type run struct {
	*Agent
	session    string
	state      planning.State
	transcript transcript
	turns      int
	more       equipment
}

// phase does one thing and returns what comes next; nil ends the run.
type phase func(context.Context) (phase, error)

// errStopped ends a run whose session was paused meanwhile.
var errStopped = errors.New("the session was paused")

// Run works on a session until it waits for a person, is done, fails, or ctx
// ends. What can go wrong for the people concerned is recorded as run.failed;
// an error is returned only if the log itself does not work.
func (a *Agent) Run(ctx context.Context, session string) error {
	r := &run{Agent: a, session: session, transcript: transcript{session: session}}
	defer r.unequip()
	return r.end(ctx, r.phases(ctx))
}

// phases runs one phase after another. A panic in a tool or a provider fails
// this session and no other.
func (r *run) phases(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	next := r.next
	for next != nil && err == nil {
		next, err = next(ctx)
	}
	return err
}

// end records how a run broke off. A run that was cancelled by a pause or a
// shutdown has nothing to add.
func (r *run) end(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStopped) || ctx.Err() != nil {
		return nil
	}
	failed := planning.RunFailed{Message: "Something went wrong on the server; the cause is in its log. Resume tries again."}
	var model *ModelError
	if f, ok := fault.As(err); ok && f.Code != fault.Internal {
		failed.Message = f.Message
	} else if errors.As(err, &model) {
		failed.Message = model.Message
	} else {
		r.Logger.Error("run broke off", "session", r.session, "error", err)
	}
	return r.record(ctx, func(s planning.State) ([]planning.Event, error) {
		if s.Run.Phase != planning.PhaseRunning {
			return nil, nil
		}
		return by(planning.System, failed), nil
	})
}

// record appends what decide says, without the secrets in it, and keeps the new
// state.
func (r *run) record(ctx context.Context, decide func(planning.State) ([]planning.Event, error)) error {
	s, err := planning.Decide(context.WithoutCancel(ctx), r.Log, r.session, func(s planning.State) ([]planning.Event, error) {
		events, err := decide(s)
		return r.hide(events), err
	})
	if err != nil {
		return err
	}
	r.state = s
	return nil
}

// running guards a decision: nothing is done for a session that was paused.
func running(decide func(planning.State) ([]planning.Event, error)) func(planning.State) ([]planning.Event, error) {
	return func(s planning.State) ([]planning.Event, error) {
		if s.Run.Phase != planning.PhaseRunning {
			return nil, errStopped
		}
		return decide(s)
	}
}

// next looks at the log and says what is due.
func (r *run) next(ctx context.Context) (phase, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := r.Log.State(ctx, r.session)
	if err != nil {
		return nil, err
	}
	r.state = s
	switch {
	case !s.Runnable():
		return nil, nil
	case s.CallsToRun():
		return r.calls, nil
	case s.CompactAsked && !s.Waits():
		return r.compact, nil
	case s.ModelDue():
		return r.ask, nil
	default:
		return r.settle, nil
	}
}

// ask sends the next request and records the finished message. Only here does
// a queued mode come into force (P13, P22).
func (r *run) ask(ctx context.Context) (phase, error) {
	if r.turns++; r.turns > r.Settings.MaxTurns {
		return nil, fault.New(fault.Unavailable, "The agent was stopped after %d requests in a row without a person. Resume lets it go on.", r.Settings.MaxTurns)
	}
	if err := r.record(ctx, running(landMode)); err != nil {
		return nil, err
	}
	if err := r.equip(ctx); err != nil {
		return nil, err
	}
	if err := r.instruct(ctx); err != nil {
		return nil, err
	}
	if err := r.transcript.catchUp(ctx, r.Log, r.state.Seq); err != nil {
		return nil, err
	}
	if r.full() {
		return r.compact, nil
	}
	seen := r.state.Seq
	message, err := r.stream(ctx, r.request())
	var failed *ModelError
	if errors.As(err, &failed) && failed.TooLong && r.transcript.cut(0) > 0 {
		return r.compact, nil
	}
	if err != nil {
		return nil, err
	}
	message.Seen, message.Usage = seen, r.priced(message.Usage)
	return r.next, r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		if err := r.transcript.catchUp(ctx, r.Log, s.Seq); err != nil {
			return nil, err
		}
		message.Missed = r.transcript.newsAfter(seen)
		events := by(actor(s), message)
		if plan, ok := r.planInText(s, message); ok {
			events = append(events, by(actor(s), plan)...)
		}
		return events, nil
	}))
}

func landMode(s planning.State) ([]planning.Event, error) {
	if s.Queued == "" || s.Queued == s.Mode {
		return nil, nil
	}
	why := "a person asked for it"
	if s.Queued == planning.ModeExecuting {
		why = "the plan was approved"
	}
	return by(planning.System, planning.ModeChanged{From: s.Mode, To: s.Queued, Reason: why}), nil
}

// planInText: a message without calls that starts with a title is a plan that
// the model forgot to submit (P10).
func (r *run) planInText(s planning.State, m planning.ModelMessage) (planning.PlanSubmitted, bool) {
	text := strings.TrimLeft(m.Text, "\r\n")
	if s.Mode != planning.ModePlan || len(m.Calls) > 0 || m.Stop != "" || !strings.HasPrefix(text, "# ") {
		return planning.PlanSubmitted{}, false
	}
	plan, err := planning.NewVersion(s, text, planning.Scope{})
	return plan, err == nil
}

// settle ends the run: it says what the session waits for, or that it is done.
func (r *run) settle(ctx context.Context) (phase, error) {
	return r.next, r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		if s.CallsToRun() || s.ModelDue() {
			return nil, nil // something came in meanwhile
		}
		if round, ok := s.NextRound(); ok {
			return by(planning.System, round), nil
		}
		if reminder, ok := s.Reminder(r.Settings.Reminders); ok {
			return by(planning.System, reminder), nil
		}
		var events []planning.Event
		if !s.InReview() && len(s.OpenPermissions()) == 0 && len(s.OpenInquiries()) == 0 { // between two requests, not within a turn
			events, _ = landMode(s)
		}
		return append(events, by(planning.System, rest(s))...), nil
	}))
}

func rest(s planning.State) planning.Payload {
	done, all := s.TodoCounts()
	switch {
	case s.InReview():
		return planning.RunParked{Wait: planning.WaitReview}
	case len(s.OpenPermissions()) > 0:
		return planning.RunParked{Wait: planning.WaitPermission}
	case len(s.OpenInquiries()) > 0:
		return planning.RunParked{Wait: planning.WaitQuestion}
	case s.Promised, s.Mode == planning.ModePlan && s.Queued == "":
		return planning.RunParked{Wait: planning.WaitMessage}
	default:
		return planning.RunFinished{Unfinished: all - done}
	}
}

// unknownTool is the answer to a call of a tool that isn't there.
func (r *run) unknownTool(name string) string {
	var names []string
	for _, t := range r.offered() {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("There is no tool named %q. The tools are: %s.", name, strings.Join(names, ", "))
}
