package review

import (
	"countersign/internal/fault"
	"countersign/internal/planning"
)

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
	Rules   Rules // of the server
}

// Rules are what a server asks of decisions beyond the roles.
type Rules struct {
	RefuseOwn    bool // nobody approves the plan of a session that they started
	ThreadsBlock bool // no approval while comments are open; else the page asks once
}

// MayApprove fails with fault.Forbidden if the person can't approve any plan of
// this session.
func (r Rules) MayApprove(s planning.State, by Person) error {
	if r.own(s.CreatedBy, by) {
		return fault.New(fault.Forbidden, "You started this session, so somebody else has to approve its plan.")
	}
	return nil
}

// own tells whether the person can't approve because the session is their own.
func (r Rules) own(creator planning.Actor, by Person) bool { return r.RefuseOwn && creator.ID == by.ID }

// WithdrawApproval takes a person's own approval of the newest version back, as
// long as its review is open; also one that is stale. Faults: Forbidden,
// NotFound, and Conflict once the plan is decided on.
func WithdrawApproval(s planning.State, by Person, version int) ([]planning.Event, error) {
	if err := by.May(ActionDecide); err != nil {
		return nil, err
	}
	p, err := underReview(s, version)
	if err != nil {
		return nil, err
	}
	for _, a := range p.Approvals {
		if a.By.ID == by.ID {
			return []planning.Event{{Actor: by.Actor(), Payload: planning.ApprovalWithdrawn{Version: p.Version, SHA256: a.SHA256}}}, nil
		}
	}
	return nil, fault.New(fault.Conflict, "You have not approved this version.").With(current(p))
}
