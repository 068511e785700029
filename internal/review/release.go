package review

import (
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// NewRelease names something that the model did not keep and that is not to be
// asked for any more.
type NewRelease struct {
	Version int
	Step    string          // empty for the scope
	Of      planning.EditOp // what the reviewer had done; empty for whatever there is first
}

// Release takes the agent's text, place or scope instead of what a reviewer had
// made of it (P27). Who had made it can do that, and who decides on plans.
// Faults: Forbidden, NotFound, and Conflict once it is settled.
func Release(s planning.State, by Person, in NewRelease) ([]planning.Event, error) {
	if err := by.May(ActionEdit); err != nil {
		return nil, err
	}
	p, err := underReview(s, in.Version)
	if err != nil {
		return nil, err
	}
	for _, u := range p.Outstanding() {
		if !in.names(u) {
			continue
		}
		if !MayRelease(by, u) {
			return nil, fault.New(fault.Forbidden, "This is %s’s change; they can give it up, or an approver.", u.By.Name)
		}
		return []planning.Event{{Actor: by.Actor(), Payload: planning.NewRelease(p, u)}}, nil
	}
	for _, u := range p.Unkept {
		if in.names(u) {
			return nil, fault.New(fault.Conflict, "This has been settled already.").With(current(p))
		}
	}
	return nil, fault.New(fault.NotFound, "There is nothing here that the agent did not keep.")
}

func (in NewRelease) names(u planning.Unkept) bool {
	return u.Step == in.Step && (in.Of == "" || in.Of == u.Op)
}

// MayRelease tells whether the person may give up what a reviewer had made.
func MayRelease(by Person, u planning.Unkept) bool {
	return by.Can(ActionEdit) && (u.By.ID != "" && u.By.ID == by.ID || by.Can(ActionDecide))
}
