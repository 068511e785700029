package agent

import (
	"context"
	"encoding/json"
	"time"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// Access says what a tool can do. The zero value is the strictest.
type Access = permission.Access

// The sorts of access.
const (
	AccessExecute = permission.Execute // runs commands
	AccessWrite   = permission.Write   // changes the files that Touch names
	AccessRead    = permission.Read    // changes nothing
	AccessControl = permission.Control // changes only the session itself: update_plan, submit_plan, ask_user
)

// Tool is something that the model can call.
type Tool interface {
	Spec() ToolSpec
	Access() Access
	// Touch reads the arguments without doing anything and says what the call
	// would touch. Its error is meant for the model: the arguments are wrong.
	Touch(args json.RawMessage) (Touch, error)
	// Run does it. A *ToolError is a result for the model; any other error is
	// ours: the model is told that the tool failed, the log why.
	Run(ctx context.Context, env Env, args json.RawMessage) (Result, error)
}

// Touch is what a call is about.
type Touch struct {
	Summary string   // one line for people: "go test ./...", "internal/db/log.go lines 1–40"
	Paths   []string // files it would write, below the workspace, slash-separated, cleaned
	Command string   // the shell command it would run, to the letter
	First   bool     // the model wants a person to be asked before
}

// Previewer is a tool that can show what a call would change.
type Previewer interface {
	// Preview compares what the call would write with what is on disk, and
	// changes nothing. A *ToolError says why the call can't succeed, so that
	// nobody needs to be asked.
	Preview(env Env, args json.RawMessage) (Preview, error)
}

// Preview is what a person who is asked gets to see, and what it was made of.
type Preview struct {
	Detail string            // a diff
	Seen   map[string]string // see planning.PermissionAsked
}

// Env is what a call gets to work with.
type Env struct {
	Session   string
	Call      string
	Subagent  bool           // the call is a sub-agent's, which can't ask people (Q3)
	Workspace string         // absolute path
	State     planning.State // newest, for the tools that change the session
	Shell     ShellAccess
	// Seen are the files as a person saw them who allowed this call. A tool that
	// finds them different does not write.
	Seen map[string]string
	// Output receives what a running tool prints, as it comes, for the people
	// who watch. It may be nil. What it gets is not stored.
	Output func(text string)
	// Ahead records events before the tool acts on them, so that a crash in
	// between leaves a trace.
	Ahead func(context.Context, ...planning.Payload) error
}

// ShellAccess is what a command may do; the rules decide on it.
type ShellAccess = permission.Shell

// Result is what a call came to.
type Result struct {
	Output  string             // for the model, already within the tool's limit
	Whole   string             // what Output was shortened from, for the log; also beside a *ToolError
	Summary string             // one line for people, behind Touch.Summary: "exit 0", "3 files"
	Events  []planning.Payload // recorded together with the result
	Park    bool               // the result comes later, from a person: nothing is recorded but Events
	Held    *Held              // what people are to decide on before the call has its result

	elapsed time.Duration
}

// ToolError is a result that says no. Message is for the model: what is wrong
// and what to do.
type ToolError struct{ Message string }

func (e *ToolError) Error() string { return e.Message }

// Live receives what is shown but not stored (S5). Publish must not block.
type Live interface {
	Publish(session string, frame Frame)
}

// Frame is a piece of live activity.
type Frame struct {
	Type string `json:"type"`           // "delta", "output", "retry" or "reset"
	Text string `json:"text,omitempty"` // text of the model, or output of a tool, or why it is tried again
	Call string `json:"call,omitempty"` // of the tool whose output it is
	Tool string `json:"tool,omitempty"` // name of a tool whose call is being written
	// Agent is the sub-agent that it comes from; empty for the session's own.
	Agent string `json:"agent,omitempty"`
}
