package planning

import "slices"

// Subagent is an agent that the session's agent has set to work on a part of
// its task. Its conversation is its own; its mode and scope are the session's
// (P19).
type Subagent struct {
	ID      string        `json:"id"`   // "a1", "a2", … in the order in which they started
	Call    string        `json:"call"` // the spawn_agent call whose result is its report
	Task    string        `json:"task"`
	Tools   []string      `json:"tools,omitempty"`   // it may use only these; empty: all that sub-agents get
	Outcome Outcome       `json:"outcome,omitempty"` // empty while it works
	Calls   int           `json:"calls"`             // that have a result
	Tokens  int64         `json:"tokens"`
	Doing   string        `json:"doing,omitempty"` // its last call, in one line
	Open    []StartedCall `json:"open,omitempty"`  // calls that could change something and have no result yet
}

// StartedCall is a call that has begun to run.
type StartedCall struct {
	ID      string `json:"id"`
	Started int64  `json:"started"` // seq of its record
}

type (
	// AgentStarted says that a sub-agent has begun to work.
	AgentStarted struct {
		Agent string   `json:"agent"`
		Call  string   `json:"call"`
		Task  string   `json:"task"`
		Tools []string `json:"tools,omitempty"`
	}
	// AgentMessage is one finished turn of a sub-agent. The ids of its calls
	// begin with the sub-agent's, so that they are unique in the session.
	AgentMessage struct {
		Agent string `json:"agent"`
		ModelMessage
	}
	// AgentToolStarted is to a sub-agent's call what ToolStarted is to another.
	AgentToolStarted struct {
		Agent string `json:"agent"`
		ToolStarted
	}
	// AgentToolFinished is the one result of a sub-agent's call.
	AgentToolFinished struct {
		Agent string `json:"agent"`
		ToolFinished
	}
	// AgentFinished ends a sub-agent. What it reported is the result of the call
	// that it was started by.
	AgentFinished struct {
		Agent   string  `json:"agent"`
		Outcome Outcome `json:"outcome"`
	}
)

// Kind implements Payload, here and below.
func (AgentStarted) Kind() Kind      { return KindAgentStarted }
func (AgentMessage) Kind() Kind      { return KindAgentMessage }
func (AgentToolStarted) Kind() Kind  { return KindAgentToolStarted }
func (AgentToolFinished) Kind() Kind { return KindAgentToolFinished }
func (AgentFinished) Kind() Kind     { return KindAgentFinished }

// Subagent returns the sub-agent with this id.
func (s State) Subagent(id string) (Subagent, bool) {
	i := slices.IndexFunc(s.Subagents, func(a Subagent) bool { return a.ID == id })
	if i < 0 {
		return Subagent{}, false
	}
	return s.Subagents[i], true
}

// SubagentsAtWork counts the sub-agents that have not finished.
func (s State) SubagentsAtWork() int {
	n := 0
	for _, a := range s.Subagents {
		if a.Outcome == "" {
			n++
		}
	}
	return n
}

// applySubagent follows the sub-agents.
func (s State) applySubagent(r Record, payload Payload) State {
	switch p := payload.(type) {
	case AgentStarted:
		s.Subagents = append(slices.Clip(s.Subagents), Subagent{ID: p.Agent, Call: p.Call, Task: p.Task, Tools: p.Tools})
	case AgentMessage:
		s.Usage = s.Usage.Add(p.Usage)
		return s.subagent(p.Agent, func(a *Subagent) { a.Tokens += p.Usage.Input + p.Usage.Output })
	case AgentToolStarted:
		return s.subagent(p.Agent, func(a *Subagent) {
			a.Doing = doing(p.Name, p.Summary)
			a.Open = append(slices.Clip(a.Open), StartedCall{p.Call, r.Seq})
		})
	case AgentToolFinished:
		return s.subagent(p.Agent, func(a *Subagent) {
			a.Calls++
			if p.Summary != "" {
				a.Doing = doing(p.Name, p.Summary)
			}
			a.Open = slices.DeleteFunc(slices.Clone(a.Open), func(c StartedCall) bool { return c.ID == p.Call })
		})
	case AgentFinished:
		return s.subagent(p.Agent, func(a *Subagent) { a.Outcome = p.Outcome })
	}
	return s
}

// subagent changes one sub-agent in a copy of the list.
func (s State) subagent(id string, change func(*Subagent)) State {
	s.Subagents = slices.Clone(s.Subagents)
	for i := range s.Subagents {
		if s.Subagents[i].ID == id {
			change(&s.Subagents[i])
		}
	}
	return s
}
