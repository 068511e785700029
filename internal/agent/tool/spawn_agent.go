package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"countersign/internal/agent"
)

//go:embed spawn_agent.md
var spawnAgentText string

const maxTask = 32 << 10 // bytes

type spawnAgentArgs struct {
	Task  string   `json:"task"`
	Tools []string `json:"tools,omitempty" jsonschema:"names of the tools it may use; all if not given"`
}

// spawnAgent is a tool that the loop itself answers.
type spawnAgent struct{ typed[spawnAgentArgs] }

var _ agent.Spawner = spawnAgent{}

func (c Config) spawnAgent() agent.Tool {
	return spawnAgent{define(typed[spawnAgentArgs]{
		spec:   spec("spawn_agent", spawnAgentText),
		access: agent.AccessControl,
		touch: func(a spawnAgentArgs) (agent.Touch, error) {
			switch {
			case strings.TrimSpace(a.Task) == "":
				return agent.Touch{}, refuse("spawn_agent: task is empty.")
			case len(a.Task) > maxTask:
				return agent.Touch{}, refuse("spawn_agent: task has %d bytes; at most %d are possible.", len(a.Task), maxTask)
			}
			return agent.Touch{Summary: title(a.Task)}, nil
		},
		run: func(context.Context, agent.Env, spawnAgentArgs) (agent.Result, error) {
			return agent.Result{}, refuse("spawn_agent: an agent can't be started here.")
		},
	}, "")}
}

// Errand implements agent.Spawner.
func (t spawnAgent) Errand(raw json.RawMessage) (agent.Errand, error) {
	args, err := decode[spawnAgentArgs](t.spec.Name, t.fields, raw)
	return agent.Errand{Task: args.Task, Tools: args.Tools}, err
}
