package planning

// KindToolsListed is the kind of ToolsListed.
const KindToolsListed Kind = "tools.listed"

// ToolsListed says which servers of tools a session has, and what they offered
// when the agent took their list: when a run began, or the mode changed. The
// list holds until the next one.
type ToolsListed struct {
	Servers []ToolServer `json:"servers"`
}

// Kind implements Payload.
func (ToolsListed) Kind() Kind { return KindToolsListed }

// ToolServer is a program that offers tools to the agent.
type ToolServer struct {
	Name      string       `json:"name"`
	Transport string       `json:"transport"`        // how it is reached: "stdio" or "http"
	Failed    string       `json:"failed,omitempty"` // why it offers nothing, in a sentence; empty if it is connected
	Notes     []string     `json:"notes,omitempty"`  // what of it is not used and why, a sentence each
	Tools     []ServedTool `json:"tools,omitempty"`
}

// ServedTool is one tool of a server.
type ServedTool struct {
	Name     string `json:"name"`                // as the model calls it
	Hint     bool   `json:"hint,omitempty"`      // the server says that it only reads, which changes nothing (P28)
	ReadOnly bool   `json:"read_only,omitempty"` // a person has listed it as one that only reads
}
