package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/internal/planning"

	"github.com/google/uuid"
)

// Held is what a call wrote and may not keep without a person (P24).
type Held struct {
	Files   []planning.HeldFile
	Reason  string // why a person is asked, for them
	Preview        // of Files
}

// Holder is a tool whose calls can leave something to be decided on. It keeps
// the contents of what a call left until Drop.
type Holder interface {
	// Keep writes what a person has allowed: exactly that, and only over what
	// they saw, which is in env.Seen. Its result goes behind what the call
	// printed. It doesn't stop half way.
	Keep(ctx context.Context, env Env, files []planning.HeldFile) (Result, error)
	// Drop forgets the contents that were kept for the call.
	Drop(env Env)
}

const keepingUnknown = "[The server went down while the files that a person had allowed were put in place, so it is unknown which of them are. The command was not run again. Look at what is there before you go on.]\n"

// hold asks about what a call wrote. The call has run, so this is recorded for
// a paused session as well, and it never runs again.
func (r *run) hold(ctx context.Context, c planning.Call, touch Touch, result Result) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	asked := planning.PermissionAsked{
		ID: id.String(), Call: c.ID, Tool: c.Name, Reason: result.Held.Reason,
		Paths: paths(result.Held.Files), Detail: result.Held.Detail, Seen: result.Held.Seen,
		Held: &planning.Held{
			Output: result.Output, Note: result.Summary,
			DurationMS: result.elapsed.Milliseconds(), Files: result.Held.Files,
		},
	}
	return r.record(ctx, func(s planning.State) ([]planning.Event, error) {
		return by(actor(s), append(result.Events, asked)...), nil
	})
}

// keep puts in place what a person has allowed. From here on a pause does not
// stop it: it is a few writes, and half of them would be neither yes nor no.
func (r *run) keep(ctx context.Context, tool Tool, c planning.Call, held planning.Held) error {
	holder, can := tool.(Holder)
	if !can {
		return r.settleHeld(ctx, c, held, "[It can't be kept any more.]\n", Result{})
	}
	p, _ := r.state.Permission(c.Permission)
	env := r.env(c, Touch{})
	env.Ahead = func(ctx context.Context, payloads ...planning.Payload) error {
		return r.record(ctx, func(s planning.State) ([]planning.Event, error) { return by(actor(s), payloads...), nil })
	}
	err := r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		return by(actor(s), planning.ToolStarted{Call: c.ID, Name: c.Name, Summary: "keeps what was allowed"}), nil
	}))
	if err != nil {
		return err
	}
	result, err := holder.Keep(context.WithoutCancel(ctx), env, held.Files)
	output := fmt.Sprintf("[A person, %s, was asked about what it wrote beyond the plan's files, and allowed it.]\n%s", p.AnsweredBy.Name, result.Output)
	if err != nil {
		_, output = r.outcome(ctx, c, result, err)
		output = "[" + output + "]\n"
	}
	err = r.settleHeld(ctx, c, held, output, result)
	holder.Drop(env)
	return err
}

// settleHeld is the one result of a call that people were asked about when it
// had run: what it printed, and what became of what it wrote.
func (r *run) settleHeld(ctx context.Context, c planning.Call, held planning.Held, output string, result Result) error {
	summary := held.Note
	if result.Summary != "" {
		summary = strings.TrimPrefix(summary+", "+result.Summary, ", ")
	}
	result.Summary, result.elapsed = summary, time.Duration(held.DurationMS)*time.Millisecond
	return r.finish(ctx, c, planning.OutcomeOK, held.Output+output, r.touch(c), result)
}

// touch says once more what a call is about.
func (r *run) touch(c planning.Call) Touch {
	tool, known := r.tool(c.Name)
	if !known {
		return Touch{}
	}
	touch, _ := tool.Touch([]byte(c.Arguments))
	return touch
}

// refused ends a call that a person said no to. One that had run has run; what
// it wrote is thrown away.
func (r *run) refused(ctx context.Context, c planning.Call) error {
	held := r.state.Held(c)
	if held == nil {
		return r.finish(ctx, c, planning.OutcomeDenied, r.refusal(c), Touch{}, Result{})
	}
	output := fmt.Sprintf("[Written, and thrown away: %s]\n%s\n", strings.Join(paths(held.Files), ", "), r.refusal(c))
	if err := r.settleHeld(ctx, c, *held, output, Result{Summary: "not kept"}); err != nil {
		return err
	}
	tool, _ := r.tool(c.Name)
	if holder, can := tool.(Holder); can {
		holder.Drop(r.env(c, Touch{}))
	}
	return nil
}

func paths(files []planning.HeldFile) []string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}
