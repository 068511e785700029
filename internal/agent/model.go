// Package agent runs the coding agent of a session: it asks the model, decides
// on each tool call, runs it, and parks the session whenever a person is to
// decide. What it does, it records; it keeps nothing that the log does not.
package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"countersign/internal/planning"
)

// Model streams one assistant turn.
type Model interface {
	// Stream sends the request and yields pieces until the turn ends. An error
	// is yielded last, as a *ModelError where the provider or the network gave
	// a reason. A turn that ended properly yields a piece with Stop set; a
	// stream that just ends without one was cut off.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is what a model is sent.
type Request struct {
	System   string
	Messages []Message
	Tools    []ToolSpec
}

// Role says whose message it is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of the conversation.
type Message struct {
	Role      Role
	Text      string
	Reasoning string              // assistant only
	Calls     []planning.ToolCall // assistant only
	CallID    string              // tool only: the call this is the result of
	Failed    bool                // tool only: the result is an error or a refusal
	Kept      json.RawMessage     // assistant only: what the model's adapter wants back, see Delta
	Passing   bool                // user only, the last ones: the next request does not hold it
}

// ToolSpec is what the model is told of a tool.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments
}

// Delta is a piece of a turn. Any of its parts may be empty.
type Delta struct {
	Text      string
	Reasoning string
	Call      *CallDelta
	Usage     *planning.Usage // the last one counts, it is not added up
	Stop      Stop
	// Kept comes with Stop: what the adapter is to get back in Message.Kept,
	// unchanged, with every later request. It is recorded with the message.
	Kept json.RawMessage
}

// CallDelta is a piece of a tool call: ID and Name come whole, in the first
// piece with this Index; Arguments are to be joined.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Stop says why a turn ended.
type Stop string

// The reasons for the end of a turn.
const (
	StopEnd     Stop = "end"     // of its own accord, calls included
	StopLength  Stop = "length"  // cut at the token limit
	StopRefusal Stop = "refusal" // the model or a filter refused
)

// ModelError is a failed request. Message is a sentence that is fit for a
// person and says what to do where that is known; it holds no secret.
type ModelError struct {
	Message    string
	Status     int           // HTTP status, 0 if there was none
	Temporary  bool          // worth trying again without a change
	TooLong    bool          // the conversation does not fit into the model
	RetryAfter time.Duration // what the server asked for, 0 if it didn't
	Err        error
}

func (e *ModelError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s (%v)", e.Message, e.Err)
	}
	return e.Message
}

func (e *ModelError) Unwrap() error { return e.Err }
