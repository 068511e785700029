package planning

import "time"

// Thread is a conversation about a step, a quote in it, or the whole plan.
//
// What answers it (R4): on a step, the next version in which that step reads
// differently, or is left out, once the agent has got the comment; how the
// step changed then stands beside it. On the plan as a whole no change can be
// taken for an answer, since it may have come of any other comment: such a
// thread stays open until a person resolves it, and goes to the agent again
// with every round, marked as said before. Revised tells the person that there
// is something new to hold it against.
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
	Revised    int       `json:"revised,omitempty"`  // on the plan as a whole: the version that changed the plan after the agent got it; 0 if none. It stays open all the same
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
