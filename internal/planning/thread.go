package planning

import "slices"

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
	QuoteGone  int       `json:"quote_gone,omitempty"` // the version in which the quoted words were no longer in its step; 0 while they are
	QuotedIn   string    `json:"quoted_in,omitempty"`  // then: the step as it last read with them
	Trail      []string  `json:"trail,omitempty"`      // block ids of the steps that it was on before, the first one first
	Comments   []Comment `json:"comments"`             // the first one opened it
	Resolved   bool      `json:"resolved,omitempty"`
	ResolvedBy Actor     `json:"resolved_by"`
	Answered   int       `json:"answered,omitempty"` // the version that changed its step after the agent got it; 0 if none
	Revised    int       `json:"revised,omitempty"`  // on the plan as a whole: the version that changed the plan after the agent got it; 0 if none. It stays open all the same
	Detached   bool      `json:"detached,omitempty"` // its step is gone
	OldText    string    `json:"old_text,omitempty"` // of the step that is gone
	Sent       int       `json:"sent"`               // how many of its comments the agent has got
}

// Open tells whether the thread still waits for something: an answer, or for
// the agent to get what was said since the last one.
func (t Thread) Open() bool {
	return !t.Resolved && !t.Withdrawn() && (t.Answered == 0 || t.untold())
}

// Due tells whether the agent's next letter carries the thread: it is open, or
// something in it was taken back that the agent has.
func (t Thread) Due() bool {
	return t.Open() || !t.Resolved && slices.ContainsFunc(t.Comments, func(c Comment) bool { return c.GotAs != "" })
}

// Withdrawn tells whether all that was said in the thread has been deleted.
func (t Thread) Withdrawn() bool { return !slices.ContainsFunc(t.Comments, present) }

// Comment returns the comment with this seq.
func (t Thread) Comment(seq int64) (Comment, bool) {
	i := slices.IndexFunc(t.Comments, func(c Comment) bool { return c.Seq == seq })
	if i < 0 {
		return Comment{}, false
	}
	return t.Comments[i], true
}

func (t Thread) untold() bool { return slices.ContainsFunc(t.Comments, Comment.Untold) }

func present(c Comment) bool { return !c.Deleted() }

// told notes that the agent has now got the thread. What was said since the
// last answer waits for an answer of its own.
func (t *Thread) told() {
	if !t.Withdrawn() {
		if t.untold() {
			t.Answered, t.Revised = 0, 0
		}
		t.Sent = len(t.Comments)
	}
	t.Comments = slices.Clone(t.Comments)
	for i := range t.Comments {
		t.Comments[i].told()
	}
}
