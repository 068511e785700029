//go:build !wip

package planning

import "errors"

// NewVersion is replaced in a moment by version.go.
func NewVersion(s State, markdown string, scope Scope) (PlanSubmitted, error) {
	return PlanSubmitted{Version: len(s.Plans) + 1, Markdown: markdown, Scope: scope, SHA256: Hash(markdown, scope)}, nil
}

// PlanEdit is replaced in a moment by edit.go.
type PlanEdit struct {
	Op                        EditOp
	Step, After, Markdown, By string
}

// ApplyEdit is replaced in a moment by edit.go.
func ApplyEdit(s State, e PlanEdit) (StepEdited, error) { return StepEdited{}, errors.New("not yet") }
