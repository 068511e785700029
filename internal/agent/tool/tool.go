// Package tool has the tools that the model works with: reading and searching
// the workspace, changing files, running commands, and keeping the plan and
// the to-do list.
//
// Files are reached only through an os.Root on the workspace, and never
// through a link that a check has not seen. What says no to the model is an
// *agent.ToolError; any other error is ours and goes to the log.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"countersign/internal/agent"
	"countersign/internal/agent/mask"
	"countersign/internal/agent/sandbox"
)

// Config is what the tools need to know of the server they run in.
type Config struct {
	// Protected are absolute paths that no tool may read or write: the
	// server's own data.
	Protected []string
	// Sandbox runs a command. Nil means sandbox.Run.
	Sandbox func(context.Context, sandbox.Command) (sandbox.Result, error)
	// ShellTimeout is how long a command may run at most, and how long it may
	// run if it doesn't say. Zero means two minutes.
	ShellTimeout time.Duration
	// Cache is a folder in which each session gets one for build caches, where
	// commands can't use the person's own under a layer. Empty: every command
	// builds from nothing there. Whoever sets it removes what is old.
	Cache string
	// Held is a folder for what commands wrote beyond the plan, until people
	// have decided on it; it is protected like the rest of the server's data.
	// Empty: such changes are thrown away and nobody is asked.
	Held string
	// ParallelTodos allows more than one item in progress (T3).
	ParallelTodos bool
	// ShellOff says, in a sentence, why there is no shell; empty if there is.
	ShellOff string
	// Mask is what results are masked with; see agent.Agent.
	Mask *mask.Masker
}

// All returns the tools, in the order in which the model is told of them.
func All(c Config) []agent.Tool {
	if c.Sandbox == nil {
		c.Sandbox = sandbox.Run
	}
	if c.ShellTimeout <= 0 {
		c.ShellTimeout = 2 * time.Minute
	}
	return []agent.Tool{
		c.readFile(), c.listDir(), c.glob(), c.grep(),
		c.writeFile(), c.editFile(), c.shell(),
		c.updatePlan(), c.submitPlan(), c.askUser(), c.spawnAgent(), c.createGoal(), c.updateGoal(),
	}
}

// typed is a tool whose arguments are a Go struct. JSON names and the
// jsonschema tags of A make the schema that the model sees.
type typed[A any] struct {
	spec   agent.ToolSpec
	access agent.Access
	fields fields
	touch  func(A) (agent.Touch, error)
	run    func(context.Context, agent.Env, A) (agent.Result, error)
}

// previewed is a typed tool that can show its change beforehand.
type previewed[A any] struct {
	typed[A]
	preview func(agent.Env, A) (agent.Preview, error)
}

// Preview implements agent.Previewer.
func (t previewed[A]) Preview(env agent.Env, raw json.RawMessage) (agent.Preview, error) {
	args, err := decode[A](t.spec.Name, t.fields, raw)
	if err != nil {
		return agent.Preview{}, err
	}
	return t.preview(env, args)
}

// define makes a tool from its parts. With a schema the generated one is not
// used. A type that has no schema is a mistake in the program, so it panics.
func define[A any](t typed[A], schema string) typed[A] {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.spec.Name, err))
	}
	t.fields = fields{known: s.PropertyOrder, required: s.Required}
	t.spec.Parameters = json.RawMessage(schema)
	if schema == "" {
		if t.spec.Parameters, err = json.Marshal(s); err != nil {
			panic(fmt.Sprintf("tool %s: %v", t.spec.Name, err))
		}
	}
	return t
}

func (t typed[A]) Spec() agent.ToolSpec { return t.spec }
func (t typed[A]) Access() agent.Access { return t.access }

func (t typed[A]) Touch(raw json.RawMessage) (agent.Touch, error) {
	args, err := decode[A](t.spec.Name, t.fields, raw)
	if err != nil {
		return agent.Touch{}, err
	}
	return t.touch(args)
}

// Run goes through touch as well, so that arguments which it refuses are
// refused even if nobody asked it first.
func (t typed[A]) Run(ctx context.Context, env agent.Env, raw json.RawMessage) (agent.Result, error) {
	args, err := decode[A](t.spec.Name, t.fields, raw)
	if err != nil {
		return agent.Result{}, err
	}
	if _, err := t.touch(args); err != nil {
		return agent.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	return t.run(ctx, env, args)
}

// refuse makes an error for the model.
func refuse(format string, args ...any) error {
	return &agent.ToolError{Message: fmt.Sprintf(format, args...)}
}
