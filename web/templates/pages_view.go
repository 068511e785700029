package templates

import "countersign/internal/planning"

// HistoryPage is who did what to which version, the newest first.
type HistoryPage struct {
	Page
	State   planning.State
	Records []planning.Record // the newest first
	Older   int64             // where older records begin, counted back; 0 if there are none
}

// ModelsPage says how to connect a model.
type ModelsPage struct {
	Page
	Model   string // what new sessions use
	Servers string // names of models at the servers that are known
}
