package planning

// A version has as many texts as people have edited it, and one more. All of
// them can be looked up, so that what somebody saw can be held against what
// there is now.

// AsSubmitted is the version as the model sent it, before any edit.
func (p Plan) AsSubmitted() Plan {
	if p.First == nil {
		return p
	}
	p.Markdown, p.Title, p.Scope, p.Blocks, p.ScopeKeep = p.Submitted, p.First.Title, p.First.Scope, p.First.Blocks, p.First.ScopeKeep
	p.SHA256 = Hash(p.Markdown, p.Scope)
	p.Edits, p.Approvals, p.Decision, p.First, p.Submitted = nil, nil, nil, nil, ""
	return p
}

// Then is the text of the version after the edit that a record holds. It says
// no for a record of something else.
func (p Plan) Then(r Record) (Plan, bool) {
	payload, err := r.Payload()
	if err != nil {
		return p, false
	}
	switch e := payload.(type) {
	case StepEdited:
		return p.then(e.Version, e.outcome())
	case EditUndone:
		return p.then(e.Version, e.outcome())
	case ScopeEdited:
		return p.then(e.Version, e.outcome(p))
	}
	return p, false
}

func (p Plan) then(version int, o outcome) (Plan, bool) {
	if version != p.Version {
		return p, false
	}
	p.become(o)
	return p, true
}
