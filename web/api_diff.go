package web

import "countersign/internal/planning"

// diffView compares two plan versions step by step.
type diffView struct {
	From  int                 `json:"from"` // 0 stands for no plan
	To    int                 `json:"to"`
	Steps []planning.StepDiff `json:"steps"`
	Scope planning.ScopeDiff  `json:"scope"`
}
