package review

import "countersign/internal/planning"

// NewComment opens a thread.
type NewComment struct {
	Thread  string // id for the new thread
	Version int
	Step    string // block id; empty for the plan as a whole
	Quote   string
	Body    string
}

// NewEdit is a reviewer's own change to the plan.
type NewEdit struct {
	Op       planning.EditOp
	Version  int
	Step     string // the block; for an insertion or a move, see After
	After    string // block that the inserted or moved one follows; empty: before the first step
	Markdown string // new text, for a rewrite or an insertion
	Base     string // SHA-256 of the plan that the reviewer saw
	// Seen is the block's text as the reviewer saw it. Where it is still the
	// same, a change elsewhere in the plan is no conflict.
	Seen *string
}

// NewDecision is a person's verdict.
type NewDecision struct {
	Version int
	Verdict planning.Verdict
	SHA256  string // of the plan that the person saw
	Note    string
}
