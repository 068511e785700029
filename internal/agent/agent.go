package agent

import (
	"log/slog"
	"time"

	"countersign/internal/agent/mask"
	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// Settings are the rules that hold for all sessions of a server.
type Settings struct {
	Policy permission.Policy
	// System is the caller's own system prompt; the built-in one if empty.
	System string
	// PlanPrompt is the section that is added while planning; the built-in one
	// if empty.
	PlanPrompt string
	// ParallelTodos allows more than one item in progress.
	ParallelTodos bool
	// Tries is how often a failed request is sent in all, at least 1.
	Tries int
	// Backoff is the wait before the second try; it doubles each time, up to a
	// minute, unless the server asks for another one.
	Backoff time.Duration
	// CompactAt is the share of the model's window, from 0 to 1, above which a
	// conversation is made shorter; 0 means never by itself.
	CompactAt float64
	// MaxTurns bounds how many requests one run makes without a person.
	MaxTurns int
	// Reminders is how often an agent that says it is done is reminded of a
	// to-do list that is not, until a person lets it run again.
	Reminders int
}

// Defaults are the settings of a server that nobody has configured.
func Defaults() Settings {
	return Settings{Tries: 5, Backoff: time.Second, CompactAt: 0.8, MaxTurns: 200, Reminders: 2}
}

// Agent is what all runs share. Its fields are set before the first run.
type Agent struct {
	Log    planning.Log
	Tools  []Tool
	Models func(name string) (Model, error) // fails with a fault.Fault
	Price  Price                            // nothing has a price if nil
	// Window is how many tokens a request may have; 128,000 for every model if nil,
	// and for those of which it says 0.
	Window func(model string) int64
	// Instructions reads what the workspace has to say to agents; nil: nothing.
	Instructions func(workspace string) []planning.Instruction
	Live         Live
	Settings     Settings
	Logger       *slog.Logger
	// Happened tells, after a crash, whether a change that was recorded ahead
	// reached the disk; known is false where the disk shows neither text.
	Happened func(workspace string, change planning.FileChanged) (happened, known bool)
	Toolbox  Toolbox // tools of single sessions; nil: there are none
	// Mask takes secrets out of results before they are recorded or sent to a
	// model. Nil knows those of well-known shapes only.
	Mask *mask.Masker
}

func (a *Agent) tool(name string) (Tool, bool) {
	for _, t := range a.Tools {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}

// actor is the agent as the log names it.
func actor(s planning.State) planning.Actor {
	return planning.Actor{Kind: planning.ActorAgent, ID: s.Model, Name: s.Model}
}

func by(who planning.Actor, payloads ...planning.Payload) []planning.Event {
	events := make([]planning.Event, len(payloads))
	for i, p := range payloads {
		events[i] = planning.Event{Actor: who, Payload: p}
	}
	return events
}
