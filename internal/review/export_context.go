package review

import (
	"cmp"
	"strings"

	"countersign/internal/planning"
)

// subagent lists what a sub-agent did, each line with its name in front.
func (h *history) subagent(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.AgentStarted:
		h.event(r, "started sub-agent %s", inline(p.Agent))
		h.said(p.Task)
	case planning.AgentMessage:
		h.event(r, "sub-agent %s answered%s", inline(p.Agent), asking(len(p.Calls)))
		h.said(p.Text)
	case planning.AgentToolStarted:
		h.event(r, "sub-agent %s, %s: %s", inline(p.Agent), inline(p.Name), inline(p.ToolStarted.Summary))
	case planning.AgentToolFinished:
		h.event(r, "sub-agent %s, %s: %s%s", inline(p.Agent), inline(p.Name), p.Outcome, because(outcomeReason(p.ToolFinished)))
	case planning.AgentFinished:
		h.event(r, "sub-agent %s ended: %s", inline(p.Agent), p.Outcome)
	}
}

// context lists what became of the conversation that the model gets.
func (h *history) context(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.ContextCompacted:
		if p.Upto == 0 {
			h.event(r, "there was nothing in the conversation to make shorter")
			return
		}
		h.event(r, "the conversation was made shorter: %d messages, about %d → %d tokens", p.Messages, p.Before, p.After)
		h.said(p.Text)
	case planning.InstructionsRead:
		h.instructions(r, p)
	case planning.ToolsListed:
		h.servers(r, p)
	case planning.TodoReminded:
		h.event(r, "reminded the agent of %d unfinished to-do items", p.Unfinished)
		h.said(p.Text)
	case planning.GoalRoundStarted:
		h.event(r, "round %d towards the goal", p.Round)
		h.said(p.Text)
	case planning.GoalChanged:
		h.event(r, "goal: %s, revision %d, %s%s", inline(string(p.Op)), p.Goal.Revision, inline(string(p.Goal.Phase)), because(p.Goal.Reason))
		h.said(p.Goal.Objective)
	}
}

func (h *history) instructions(r planning.Record, p planning.InstructionsRead) {
	if p.Same {
		h.event(r, "looked for instructions of the project: nothing new")
		return
	}
	files := []string{}
	for _, f := range p.Files {
		file := code(f.Path)
		switch {
		case f.Fault != "":
			file += " (" + inline(f.Fault) + ")"
		case f.Cut:
			file += " (cut)"
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		files = []string{"none"}
	}
	h.event(r, "instructions: %s", strings.Join(files, ", "))
}

// servers lists what the MCP servers offer from here on.
func (h *history) servers(r planning.Record, p planning.ToolsListed) {
	h.event(r, "tools of %d MCP servers", len(p.Servers))
	for _, s := range p.Servers {
		if s.Failed != "" {
			h.line("  - %s: not connected%s", inline(s.Name), because(s.Failed))
			continue
		}
		names := []string{}
		for _, t := range s.Tools {
			name := code(t.Name)
			if t.ReadOnly {
				name += " (listed as read-only)"
			}
			names = append(names, name)
		}
		h.line("  - %s: %s", inline(s.Name), cmp.Or(strings.Join(names, ", "), "no tools"))
		for _, note := range s.Notes {
			h.line("    - %s", inline(note))
		}
	}
}
