package planning

import "slices"

// LeftOut returns the steps that reviewers wrote in the version before and that
// the model did not bring back in this one, as they were (P27). One that it
// changed is there and says so itself: see Block.Broken.
func (s State) LeftOut(p Plan) []Block {
	old, ok := s.PlanVersion(p.Version - 1)
	if !ok {
		return nil
	}
	submitted := p.Blocks
	if p.First != nil {
		submitted = p.First.Blocks
	}
	return slices.DeleteFunc(slices.Clone(old.Blocks), func(b Block) bool {
		return b.Pinned == "" || slices.ContainsFunc(submitted, func(now Block) bool { return now.ID == b.ID })
	})
}

// NotKept counts what reviewers wrote in the version before and the model did
// not keep: steps that it changed or left out, and the scope.
func (s State) NotKept(p Plan) int {
	n := len(s.LeftOut(p))
	for _, b := range p.Blocks {
		if b.Broken {
			n++
		}
	}
	if p.ScopeKeep != nil && p.ScopeKeep.Broken {
		n++
	}
	return n
}
