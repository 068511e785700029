package planning

import "slices"

// FileChange adds up what happened to one file since the session began. First
// and Last are the records that hold the text before and after.
type FileChange struct {
	Path    string   `json:"path"`
	First   int64    `json:"first"`
	Last    int64    `json:"last"`
	Existed bool     `json:"existed"`
	Exists  bool     `json:"exists"`
	InPlan  bool     `json:"in_plan"`
	Todos   []string `json:"todos,omitempty"` // items in progress while it changed
	// Spans are the stretches in which one item was in progress, oldest first.
	Spans []ChangeSpan `json:"spans,omitempty"`
}

// ChangeSpan adds up what happened to a file while one item of the to-do list
// was in progress, without a change for another item in between.
type ChangeSpan struct {
	Todo    string `json:"todo,omitempty"` // empty for no item
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Existed bool   `json:"existed"`
	Exists  bool   `json:"exists"`
	InPlan  bool   `json:"in_plan"`
}

func foldChange(changes []FileChange, seq int64, p FileChanged) []FileChange {
	changes = slices.Clone(changes)
	i := slices.IndexFunc(changes, func(c FileChange) bool { return c.Path == p.Path })
	if i < 0 {
		changes = append(changes, FileChange{Path: p.Path, First: seq, Existed: p.Existed, InPlan: true})
		i = len(changes) - 1
	}
	c := &changes[i]
	c.Last, c.Exists = seq, p.Exists
	c.InPlan = c.InPlan && p.InPlan
	if p.Todo != "" && !slices.Contains(c.Todos, p.Todo) {
		c.Todos = append(slices.Clip(c.Todos), p.Todo)
	}
	c.Spans = foldSpan(c.Spans, seq, p)
	return changes
}

func foldSpan(spans []ChangeSpan, seq int64, p FileChanged) []ChangeSpan {
	spans = slices.Clone(spans)
	if n := len(spans); n == 0 || spans[n-1].Todo != p.Todo {
		spans = append(spans, ChangeSpan{Todo: p.Todo, First: seq, Existed: p.Existed, InPlan: true})
	}
	s := &spans[len(spans)-1]
	s.Last, s.Exists = seq, p.Exists
	s.InPlan = s.InPlan && p.InPlan
	return spans
}
