package web

import "countersign/internal/planning"

// subagentView is a sub-agent. What it does is in the events.
type subagentView struct {
	ID      string           `json:"id"`
	Call    string           `json:"call"` // of spawn_agent, whose result is its report
	Task    string           `json:"task"`
	Tools   []string         `json:"tools"`             // it may use only these; empty: all that sub-agents get
	Outcome planning.Outcome `json:"outcome,omitempty"` // missing while it works
	Calls   int              `json:"calls"`             // that have a result
	Tokens  int64            `json:"tokens"`
	Doing   string           `json:"doing,omitempty"` // its last call, in one line
}

func viewSubagents(st planning.State) []subagentView {
	list := make([]subagentView, len(st.Subagents))
	for i, a := range st.Subagents {
		list[i] = subagentView{
			ID: a.ID, Call: a.Call, Task: a.Task, Tools: notNil(a.Tools),
			Outcome: a.Outcome, Calls: a.Calls, Tokens: a.Tokens, Doing: a.Doing,
		}
	}
	return list
}

// instructionView is a file of the project's instructions. Its text is in the
// event that says so.
type instructionView struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int64  `json:"bytes"`           // of the whole file
	Cut    bool   `json:"cut,omitempty"`   // the model gets only its beginning
	Fault  string `json:"fault,omitempty"` // why it was not read
}

func viewInstructions(st planning.State) []instructionView {
	list := make([]instructionView, len(st.Instructions))
	for i, f := range st.Instructions {
		list[i] = instructionView{Path: f.Path, SHA256: f.SHA256, Bytes: f.Bytes, Cut: f.Cut, Fault: f.Fault}
	}
	return list
}
