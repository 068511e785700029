package planning

import "time"

// Thread is a conversation about a step, a quote in it, or the whole plan.
type Thread struct {
	ID         string    `json:"id"`
	Version    int       `json:"version"`              // it was opened on
	Step       string    `json:"step,omitempty"`       // block id; empty for the plan as a whole
	StepTitle  string    `json:"step_title,omitempty"` // when it was opened
	Quote      string    `json:"quote,omitempty"`
	Comments   []Comment `json:"comments"` // the first one opened it
	Resolved   bool      `json:"resolved,omitempty"`
	ResolvedBy Actor     `json:"resolved_by"`
	Answered   int       `json:"answered,omitempty"` // the version that changed its step after the agent got it; 0 if none
	Detached   bool      `json:"detached,omitempty"` // its step is gone
	OldText    string    `json:"old_text,omitempty"` // of the step that is gone
	Sent       int       `json:"sent"`               // how many of its comments the agent has got
}

// Comment is one message in a thread.
type Comment struct {
	Seq  int64     `json:"seq"`
	By   Actor     `json:"by"`
	At   time.Time `json:"at"`
	Body string    `json:"body"`
}

// Open tells whether the thread still waits for something.
func (t Thread) Open() bool {
	return !t.Resolved && (t.Answered == 0 || t.Sent < len(t.Comments))
}
