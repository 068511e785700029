package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"countersign/internal/agent"
	"countersign/internal/agent/sandbox"
)

const (
	// maxOutput is what the model gets of one result, in bytes: as much as of
	// what a command prints.
	maxOutput = 48 << 10
	// maxWhole is what the log keeps of it.
	maxWhole = 1 << 20
	// maxShown is how much of a call's arguments a person is shown who is asked.
	maxShown   = 64 << 10
	maxSummary = 200
)

// tool is a tool of a server.
type tool struct {
	server   *server
	name     string // the server's own
	spec     agent.ToolSpec
	hint     bool // the server says that it only reads: for people to see, and no more
	readOnly bool // a person says so
}

var _ agent.Previewer = (*tool)(nil)

func (t *tool) Spec() agent.ToolSpec { return t.spec }

// Access implements agent.Tool. The server's word changes nothing (P28).
func (t *tool) Access() agent.Access {
	if t.readOnly {
		return agent.AccessExternalRead
	}
	return agent.AccessExternal
}

// Touch implements agent.Tool. What the call would change nobody knows.
func (t *tool) Touch(raw json.RawMessage) (agent.Touch, error) {
	args, err := t.arguments(raw)
	if err != nil {
		return agent.Touch{}, err
	}
	return agent.Touch{Summary: oneLine(string(args), maxSummary)}, nil
}

// arguments are those of a call, in one line.
func (t *tool) arguments(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}"), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return nil, &agent.ToolError{Message: t.spec.Name + ": the arguments are not a JSON object."}
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil, &agent.ToolError{Message: t.spec.Name + ": the arguments are not a JSON object."}
	}
	return line.Bytes(), nil
}

// Preview implements agent.Previewer: who is asked sees with what it is called.
func (t *tool) Preview(_ agent.Env, raw json.RawMessage) (agent.Preview, error) {
	args, err := t.arguments(raw)
	if err != nil {
		return agent.Preview{}, err
	}
	var shown bytes.Buffer
	if err := json.Indent(&shown, args, "", "  "); err != nil {
		return agent.Preview{}, fmt.Errorf("indent the arguments of %s: %w", t.spec.Name, err)
	}
	detail, _ := sandbox.Shorten(shown.String(), maxShown)
	return agent.Preview{Detail: detail}, nil
}

// Run implements agent.Tool.
func (t *tool) Run(ctx context.Context, _ agent.Env, raw json.RawMessage) (agent.Result, error) {
	args, err := t.arguments(raw)
	if err != nil {
		return agent.Result{}, err
	}
	result, err := t.server.call(ctx, t.name, args)
	if err != nil {
		return agent.Result{}, err
	}
	text := textOf(result)
	r := agent.Result{}
	var cut bool
	if r.Output, cut = sandbox.Shorten(text, maxOutput); cut {
		r.Whole, _ = sandbox.Shorten(text, maxWhole)
	}
	if result.IsError {
		return r, &agent.ToolError{Message: r.Output}
	}
	return r, nil
}
