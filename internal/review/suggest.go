package review

import (
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// NewScope is a reviewer's own change to what the plan may write and run.
type NewScope struct {
	Version  int
	Files    []string // as for the plan's own scope: paths, folders or globs below the workspace
	Commands []string
	Base     string // SHA-256 of the plan that the reviewer saw
	// Seen is the scope as the reviewer saw it. Where it is still the same, a
	// change elsewhere in the plan is no conflict.
	Seen *planning.Scope
}

// EditScope records a reviewer's own scope. It is in force for the plan at
// once, and changes its hash. Faults: Forbidden, NotFound, Invalid with the
// field, and Conflict, which carries the scope as it is now.
func EditScope(s planning.State, by Person, in NewScope) ([]planning.Event, error) {
	if err := by.May(ActionEdit); err != nil {
		return nil, err
	}
	p, err := underReview(s, in.Version)
	if err != nil {
		return nil, err
	}
	scope, err := planning.NewScope(in.Files, in.Commands)
	switch {
	case err != nil:
		return nil, err
	case in.Base == "" && in.Seen == nil:
		return nil, fault.New(fault.Invalid, "Say which plan you saw: base is its SHA-256.").At("base")
	case in.Base != p.SHA256 && (in.Seen == nil || !in.Seen.Same(p.Scope)):
		return nil, scopeConflict(p)
	case scope.Same(p.Scope):
		return nil, fault.New(fault.Invalid, "This changes nothing.").At("files")
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.ScopeEdited{
		Version: p.Version, Base: p.SHA256, Before: p.Scope, Scope: scope, SHA256: planning.Hash(p.Markdown, scope),
	}}}, nil
}

func scopeConflict(p planning.Plan) error {
	now := current(p)
	now["files"], now["commands"] = full(p.Scope.Files), full(p.Scope.Commands)
	conflict := fault.New(fault.Conflict, "The plan has changed since you saw it.")
	if by, at, changed := lastChange(p, func(e planning.Edit) bool { return e.Op == planning.EditScope }); changed {
		now["by"], now["at"] = by, at
		conflict = fault.New(fault.Conflict, "%s changed the scope while you were at it.", by)
	}
	return conflict.With(now)
}

// Undo takes a reviewer's change to the plan back; its author can, and an owner.
// It is possible until the plan is decided on. Faults: Forbidden, NotFound, and
// Conflict if somebody has changed the same since, with who.
func Undo(s planning.State, by Person, version int, edit int64) ([]planning.Event, error) {
	if err := by.May(ActionEdit); err != nil {
		return nil, err
	}
	p, err := underReview(s, version)
	if err != nil {
		return nil, err
	}
	if e, ok := p.Edit(edit); ok && !MayUndo(by, e) {
		return nil, fault.New(fault.Forbidden, "This is %s’s change; they can undo it, or an owner.", e.By.Name)
	}
	undone, err := planning.Undo(s, edit)
	if err != nil {
		return nil, err
	}
	return []planning.Event{{Actor: by.Actor(), Payload: undone}}, nil
}

// MayUndo tells whether the person may undo this edit.
func MayUndo(by Person, e planning.Edit) bool {
	return by.Can(ActionEdit) && (e.By.ID == by.ID || by.Role == RoleOwner)
}
