package planning

import (
	"encoding/json"
	"time"
)

// The payloads. Their JSON names are the format of the log and never change
// meaning; a new meaning gets a new name.

// Mode is what the agent may do.
type Mode string

// The modes. The zero value allows nothing.
const (
	ModePlan      Mode = "plan"      // look only, then submit a plan
	ModeExecuting Mode = "executing" // carry out the approved plan, inside its scope
	ModeNormal    Mode = "normal"    // no plan: everything but reading asks a person
)

// Command is what a message of a person does besides being read.
type Command string

// The commands in messages (P1, P22).
const (
	CommandNone    Command = ""
	CommandPlan    Command = "plan"     // "/plan TASK": start planning
	CommandPlanOff Command = "plan_off" // "/plan off": leave plan mode
	CommandCompact Command = "compact"  // "/compact": make the conversation shorter
)

// Scope is what an approved plan lets the agent change and run.
type Scope struct {
	Files    []string `json:"files,omitempty"`    // paths or globs below the workspace, slash-separated
	Commands []string `json:"commands,omitempty"` // shell commands, to the letter
}

// ToolCall is one call that a model asked for.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON as the model wrote it, possibly broken
}

// Outcome says how a tool call ended.
type Outcome string

// The outcomes of a tool call.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"     // the tool says no, or failed
	OutcomeDenied    Outcome = "denied"    // refused by the rules or by a person; nothing ran
	OutcomeCancelled Outcome = "cancelled" // stopped while it ran
	OutcomeUnknown   Outcome = "unknown"   // the server went down while it ran
)

type (
	// SessionCreated is always the first event.
	SessionCreated struct {
		Title     string `json:"title"`
		Workspace string `json:"workspace"` // absolute path
		Model     string `json:"model"`     // "builtin", "openai:NAME", …
		Mode      Mode   `json:"mode"`
		Approvals int    `json:"approvals"` // needed before a plan runs, at least 1
	}
	// UserMessage is a person's text to the agent, the task included.
	UserMessage struct {
		Text    string  `json:"text"`
		Command Command `json:"command,omitempty"`
		On      *OnLine `json:"on,omitempty"` // the line that it is a comment on
	}
	// ModelMessage is one finished turn of the model.
	ModelMessage struct {
		Text      string     `json:"text,omitempty"`
		Reasoning string     `json:"reasoning,omitempty"`
		Calls     []ToolCall `json:"calls,omitempty"`
		// Kept is the provider's own, which goes back to it as it came with the
		// conversation: signed thinking, for one. Nobody else reads it.
		Kept   json.RawMessage `json:"kept,omitempty"`
		Stop   string          `json:"stop,omitempty"` // the provider's reason, when it isn't the ordinary end
		Usage  Usage           `json:"usage"`
		Seen   int64           `json:"seen"`             // the request was put together from the log up to here
		Missed bool            `json:"missed,omitempty"` // a person's message came in after Seen
	}
	// ToolStarted is recorded before a call runs, so that a call that was cut
	// off is known and never run a second time (S4).
	ToolStarted struct {
		Call    string `json:"call"`
		Name    string `json:"name"`
		Summary string `json:"summary"` // one line for people: what it is about to do
	}
	// ToolFinished is the one result of a call (T9).
	ToolFinished struct {
		Call       string  `json:"call"`
		Name       string  `json:"name"`
		Outcome    Outcome `json:"outcome"`
		Output     string  `json:"output"`            // what the model gets, word for word
		Whole      string  `json:"whole,omitempty"`   // what Output was shortened from, where that is kept
		Summary    string  `json:"summary,omitempty"` // one line for people: what it was about
		Note       string  `json:"note,omitempty"`    // and what came of it: "exit 0", "3 files"
		DurationMS int64   `json:"duration_ms,omitempty"`
	}
	// FileChanged says what a call did to one file. Before and After are the
	// whole texts; for files that are binary or over 256 KiB both are empty and
	// Omitted says why.
	FileChanged struct {
		Call    string `json:"call"`
		Path    string `json:"path"`    // below the workspace, slash-separated
		Existed bool   `json:"existed"` // before the call
		Exists  bool   `json:"exists"`  // after it
		Before  string `json:"before,omitempty"`
		After   string `json:"after,omitempty"`
		Omitted string `json:"omitted,omitempty"`
		Added   int    `json:"added"`   // lines
		Removed int    `json:"removed"` // lines
		InPlan  bool   `json:"in_plan"`
		Todo    string `json:"todo,omitempty"` // the item in progress
	}
	// ModeChanged lands only between two model requests (P13, P22).
	ModeChanged struct {
		From   Mode   `json:"from"`
		To     Mode   `json:"to"`
		Reason string `json:"reason"`
	}
	// PlanSubmitted is a new immutable plan version (P12).
	PlanSubmitted struct {
		Version  int     `json:"version"`
		Call     string  `json:"call,omitempty"` // the parked submit_plan call; empty if it came as text (P10)
		Title    string  `json:"title"`
		Markdown string  `json:"markdown"`
		Scope    Scope   `json:"scope"`
		SHA256   string  `json:"sha256"`
		Blocks   []Block `json:"blocks"`
		// Threads are those that go to another block: theirs was split or merged.
		Threads []ThreadPlace `json:"threads,omitempty"`
	}
	// StepEdited is a reviewer's own change to the plan's text or scope. Its
	// kind depends on Op.
	StepEdited struct {
		Op      EditOp `json:"op"`
		Version int    `json:"version"`
		Step    string `json:"step"`
		Number  int    `json:"number,omitempty"` // of the step when the model submitted it; 0 if it is new or no step
		Title   string `json:"title"`            // of the step, for the history
		Base    string `json:"base"`             // SHA-256 that the reviewer saw
		Before  string `json:"before,omitempty"`
		After   string `json:"after,omitempty"`
		// Made are the blocks that the new text makes up; a rewrite may make
		// several of one.
		Made      []string `json:"made,omitempty"`
		PlanTitle string   `json:"plan_title,omitempty"` // afterwards
		Markdown  string   `json:"markdown"`             // the whole plan afterwards
		Scope     Scope    `json:"scope"`
		SHA256    string   `json:"sha256"`
		Blocks    []Block  `json:"blocks"`
		// Redo is what makes the same edit again, so that another one can be
		// undone. Records of before there was an undo have none.
		Redo *Redo `json:"redo,omitempty"`
	}
	// ThreadOpened starts a conversation about a step, a quote or the plan.
	ThreadOpened struct {
		Thread  string `json:"thread"`
		Version int    `json:"version"`
		Step    string `json:"step,omitempty"` // block id; empty for the plan as a whole
		Quote   string `json:"quote,omitempty"`
		Body    string `json:"body"`
	}
	// ThreadReplied adds to a thread.
	ThreadReplied struct {
		Thread string `json:"thread"`
		Body   string `json:"body"`
	}
	// ThreadResolved closes a thread: it needs no answer any more.
	ThreadResolved struct {
		Thread string `json:"thread"`
	}
	// ThreadReopened undoes ThreadResolved.
	ThreadReopened struct {
		Thread string `json:"thread"`
	}
	// ReviewApproved is one person's approval of exactly one text (P16).
	ReviewApproved struct {
		Version int    `json:"version"`
		SHA256  string `json:"sha256"`
		Note    string `json:"note,omitempty"`
	}
	// ReviewDecided ends the review of a version. Result is what the model
	// gets as the result of its parked call, byte for byte (P14, P18, P26).
	ReviewDecided struct {
		Version int     `json:"version"`
		SHA256  string  `json:"sha256"`
		Verdict Verdict `json:"verdict"`
		Note    string  `json:"note,omitempty"`
		Call    string  `json:"call,omitempty"`
		Result  string  `json:"result"`
	}
	// TodoWritten stores the whole list after a write (T4).
	TodoWritten struct {
		Call  string `json:"call,omitempty"` // empty when it was filled from an approved plan (T8)
		Items []Todo `json:"items"`
	}
	// PermissionAsked parks the session until a person answers.
	PermissionAsked struct {
		ID      string   `json:"id"`
		Call    string   `json:"call"`
		Tool    string   `json:"tool"`
		Reason  string   `json:"reason"`
		Paths   []string `json:"paths,omitempty"`
		Command string   `json:"command,omitempty"`
		Detail  string   `json:"detail,omitempty"` // the change as a diff, where it is known
		// Seen are the files that Detail was made from, by path: the SHA-256 of
		// their text, or "" for a file that is not there yet. What is allowed is
		// the change of exactly that.
		Seen map[string]string `json:"seen,omitempty"`
		// Held is there if the call has run already, and is asked about for what
		// it wrote. A yes writes just that; it runs nothing.
		Held *Held `json:"held,omitempty"`
	}
	// PermissionAnswered is a person's answer; the first one counts.
	PermissionAnswered struct {
		ID     string           `json:"id"`
		Answer PermissionAnswer `json:"answer"`
		Reason string           `json:"reason,omitempty"`
		// Patterns are the files that AnswerSession allows, where a person chose
		// more than exactly those that were asked about.
		Patterns []string `json:"patterns,omitempty"`
	}
	// RunParked says that the agent waits; nothing is kept in memory for it.
	RunParked struct {
		Wait Wait `json:"wait"`
	}
	// RunPaused says that a person, or a restart of the server, stopped it.
	RunPaused struct {
		Reason      string `json:"reason"`
		Interrupted bool   `json:"interrupted,omitempty"` // by a restart
	}
	// RunResumed lets a paused or failed session go on; only a person does it.
	RunResumed struct{}
	// RunFailed says that the agent can't go on by itself.
	RunFailed struct {
		Message string `json:"message"` // a sentence for people
		Detail  string `json:"detail,omitempty"`
	}
	// RunFinished says that the agent has nothing left to do.
	RunFinished struct {
		Unfinished int `json:"unfinished,omitempty"` // to-do items not completed
	}
)

// Verdict is a decision on a plan. The zero value is none.
type Verdict string

// The verdicts.
const (
	VerdictApprove        Verdict = "approve"
	VerdictRequestChanges Verdict = "request_changes"
	VerdictAbandon        Verdict = "abandon"
)

// PermissionAnswer is an answer to a request for permission. The zero value
// is none, and none is never yes.
type PermissionAnswer string

// The answers.
const (
	AnswerOnce    PermissionAnswer = "once"    // this call
	AnswerSession PermissionAnswer = "session" // the same paths or command until the session ends
	AnswerRefuse  PermissionAnswer = "refuse"  // no, with a reason for the model
	AnswerReplan  PermissionAnswer = "replan"  // no, and back to plan mode
)

// Wait is what a parked session waits for.
type Wait string

// What a session can wait for.
const (
	WaitReview     Wait = "review"
	WaitPermission Wait = "permission"
	WaitMessage    Wait = "message"
)

// Elapsed is the duration of a call as recorded.
func (t ToolFinished) Elapsed() time.Duration { return time.Duration(t.DurationMS) * time.Millisecond }

// Reverse is the change that takes this one back.
func (f FileChanged) Reverse() FileChanged {
	f.Existed, f.Exists = f.Exists, f.Existed
	f.Before, f.After = f.After, f.Before
	f.Added, f.Removed = f.Removed, f.Added
	return f
}
