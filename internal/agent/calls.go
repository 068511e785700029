package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"

	"github.com/google/uuid"
)

// calls moves every call of the last message as far as it goes without a
// person, in the model's order. All of them are decided under the mode that is
// in force now: a decision on a plan in the same message changes nothing for
// the calls beside it (P13).
func (r *run) calls(ctx context.Context) (phase, error) {
	if r.needsEquipment() {
		if err := r.equip(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range r.state.Calls {
		var err error
		switch c.State {
		case planning.CallPending, planning.CallAllowed:
			if _, later := r.spawner(c); !later {
				err = r.gate(ctx, c)
			}
		case planning.CallRefused:
			err = r.refused(ctx, c)
		case planning.CallStarted:
			err = r.cutOff(ctx, c)
		}
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return r.next, r.spawns(ctx)
}

const outcomeUnknown = "The outcome is unknown: the server went down while this ran. It was not run again. Look at what is there before you go on."

// gate decides on one call and runs it if it may run.
func (r *run) gate(ctx context.Context, c planning.Call) error {
	tool, known := r.tool(c.Name)
	if !known {
		return r.finish(ctx, c, planning.OutcomeError, r.unknownTool(c.Name), Touch{}, Result{})
	}
	if held := r.state.Held(c); held != nil {
		return r.keep(ctx, tool, c, *held)
	}
	decision, touch, err := r.decide(tool, c)
	if err != nil {
		return r.finish(ctx, c, planning.OutcomeError, err.Error(), Touch{}, Result{})
	}
	allowed := decision.Verdict == permission.Allow || decision.Verdict == permission.Ask && c.State == planning.CallAllowed
	switch {
	case allowed:
		return r.execute(ctx, tool, c, touch)
	case decision.Verdict == permission.Ask:
		return r.askPermission(ctx, tool, c, touch, decision.Reason)
	default:
		return r.finish(ctx, c, planning.OutcomeDenied, decision.Reason, touch, Result{})
	}
}

// decide asks the rules. What a tool that plan mode forbids was called with
// does not matter: it is refused before its arguments are read.
func (r *run) decide(tool Tool, c planning.Call) (permission.Decision, Touch, error) {
	situation, policy := r.situation(), r.Settings.Policy
	if !policy.Offered(r.state.Mode, c.Name, tool.Access()) {
		touch, _ := tool.Touch(json.RawMessage(c.Arguments))
		return policy.Decide(situation, permission.Call{Tool: c.Name, Access: tool.Access()}), Touch{Summary: touch.Summary}, nil
	}
	touch, err := tool.Touch(json.RawMessage(c.Arguments))
	if err != nil {
		return permission.Decision{}, touch, err
	}
	if leaving := r.state.Queued != "" && r.state.Queued != planning.ModePlan; leaving && c.Name == permission.SubmitPlan {
		return permission.Decision{}, touch, &ToolError{Message: "submit_plan: a person has ended plan mode meanwhile, so there is no plan to submit."}
	}
	return policy.Decide(situation, permission.Call{
		Tool: c.Name, Access: tool.Access(), Paths: touch.Paths, Command: touch.Command, First: touch.First,
	}), touch, nil
}

func (r *run) situation() permission.Situation {
	return permission.Situation{Mode: r.state.Mode, Scope: r.state.Scope(), Grants: r.state.Grants()}
}

// askPermission puts a call before people, with the change as it would be made
// to what is on disk now. Nobody is asked about a call that can't succeed.
func (r *run) askPermission(ctx context.Context, tool Tool, c planning.Call, touch Touch, reason string) error {
	var preview Preview
	if p, can := tool.(Previewer); can {
		var err error
		if preview, err = p.Preview(r.env(c, touch), json.RawMessage(c.Arguments)); err != nil {
			outcome, output := r.outcome(ctx, c, Result{}, err)
			return r.finish(ctx, c, outcome, output, touch, Result{})
		}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		return by(actor(s), planning.PermissionAsked{
			ID: id.String(), Call: c.ID, Tool: c.Name, Reason: reason,
			Paths: touch.Paths, Command: touch.Command, Detail: preview.Detail, Seen: preview.Seen,
		}), nil
	}))
}

// refusal is the result of a call that a person said no to: their reason, word
// for word (P29).
func (r *run) refusal(c planning.Call) string {
	p, _ := r.state.Permission(c.Permission)
	text := fmt.Sprintf("Refused by %s.", p.AnsweredBy.Name)
	if p.Answer == planning.AnswerReplan {
		text += " The session goes back to plan mode: submit a new plan."
	}
	if p.Reply != "" {
		text += " " + p.Reply
	}
	return text
}

// execute runs a call. What could change something is recorded before it runs,
// so that it can never run twice (S4).
func (r *run) execute(ctx context.Context, tool Tool, c planning.Call, touch Touch) error {
	switch tool.Access() {
	case AccessControl:
		return r.control(ctx, tool, c, touch)
	case AccessExecute, AccessWrite, AccessExternal, AccessExternalRead:
		err := r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
			return by(actor(s), planning.ToolStarted{Call: c.ID, Name: c.Name, Summary: touch.Summary}), nil
		}))
		if err != nil {
			return err
		}
	}
	begun := time.Now()
	result, err := tool.Run(ctx, r.env(c, touch), json.RawMessage(c.Arguments))
	result.elapsed = time.Since(begun)
	if err == nil && result.Held != nil {
		return r.hold(ctx, c, touch, result)
	}
	outcome, output := r.outcome(ctx, c, result, err)
	return r.finish(ctx, c, outcome, output, touch, result)
}

// outcome is how a call ended, and what the model gets. A call that was done
// before it could be stopped is done.
func (r *run) outcome(ctx context.Context, c planning.Call, result Result, err error) (planning.Outcome, string) {
	var no *ToolError
	switch {
	case err == nil:
		return planning.OutcomeOK, result.Output
	case errors.As(err, &no):
		return planning.OutcomeError, no.Message
	case ctx.Err() != nil, errors.Is(err, errStopped):
		return planning.OutcomeCancelled, strings.TrimSpace(result.Output + "\n" + stopped)
	default:
		r.Logger.Error("tool failed", "session", r.session, "tool", c.Name, "error", err)
		return planning.OutcomeError, c.Name + " failed on the server's side; people can find the cause in its log."
	}
}

const stopped = "Stopped by a person, or by the server's end, before it was done."

// control runs a tool that changes only the session. It decides on the newest
// state, in the same step that records what it decides: of a plan and a
// decision, or of two lists, none can be lost. A session that was paused keeps
// the call for later.
func (r *run) control(ctx context.Context, tool Tool, c planning.Call, touch Touch) error {
	return r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		env := r.env(c, touch)
		env.State = s
		result, err := tool.Run(ctx, env, json.RawMessage(c.Arguments))
		if ctx.Err() != nil {
			return nil, errStopped
		}
		if err == nil && result.Park {
			return by(actor(s), result.Events...), nil
		}
		outcome, output := r.outcome(ctx, c, result, err)
		return finished(s, c, outcome, output, touch, result), nil
	}))
}

// finish records the one result of a call, and what else it brought about. It
// does so for a paused session as well: the call has happened.
func (r *run) finish(ctx context.Context, c planning.Call, outcome planning.Outcome, output string, touch Touch, result Result) error {
	return r.record(ctx, func(s planning.State) ([]planning.Event, error) {
		return finished(s, c, outcome, output, touch, result), nil
	})
}

func finished(s planning.State, c planning.Call, outcome planning.Outcome, output string, touch Touch, result Result) []planning.Event {
	done := planning.ToolFinished{
		Call: c.ID, Name: c.Name, Outcome: outcome, Output: output, Whole: result.Whole,
		Summary: touch.Summary, Note: result.Summary, DurationMS: result.elapsed.Milliseconds(),
	}
	return append(by(actor(s), result.Events...), by(actor(s), done)...)
}

// env is what the call gets to work with.
func (r *run) env(c planning.Call, touch Touch) Env {
	return Env{
		Session: r.session, Call: c.ID, Workspace: r.state.Workspace, State: r.state,
		Shell: r.Settings.Policy.Shell(r.situation(), permission.Call{Command: touch.Command}, c.State == planning.CallAllowed),
		Seen:  r.seen(c),
		Output: r.Mask.Stream(func(text string) {
			r.Live.Publish(r.session, Frame{Type: "output", Call: c.ID, Text: text})
		}).Write,
		Ahead: func(ctx context.Context, payloads ...planning.Payload) error {
			return r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
				return by(actor(s), payloads...), nil
			}))
		},
	}
}

// seen are the files as they were when a person allowed the call.
func (r *run) seen(c planning.Call) map[string]string {
	if c.State != planning.CallAllowed {
		return nil
	}
	p, _ := r.state.Permission(c.Permission)
	return p.Seen
}
