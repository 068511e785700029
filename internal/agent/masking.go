package agent

import (
	"slices"

	"countersign/internal/planning"
)

// hide takes the secrets out of what is about to be recorded: of what tools and
// commands answered, of files' texts, of what people are shown of a change, and
// of messages of errors. What people and the model say is theirs.
func (a *Agent) hide(events []planning.Event) []planning.Event {
	events = slices.Clone(events)
	for i, e := range events {
		switch p := e.Payload.(type) {
		case planning.ToolFinished:
			events[i].Payload = a.hideResult(p)
		case planning.AgentToolFinished:
			p.ToolFinished = a.hideResult(p.ToolFinished)
			events[i].Payload = p
		case planning.FileChanged:
			p.Before, p.After = a.Mask.Text(p.Before), a.Mask.Text(p.After)
			events[i].Payload = p
		case planning.PermissionAsked:
			events[i].Payload = a.hideAsked(p)
		case planning.RunFailed:
			p.Message, p.Detail = a.Mask.Text(p.Message), a.Mask.Text(p.Detail)
			events[i].Payload = p
		}
	}
	return events
}

func (a *Agent) hideResult(p planning.ToolFinished) planning.ToolFinished {
	p.Output, p.Whole, p.Note = a.Mask.Text(p.Output), a.Mask.Text(p.Whole), a.Mask.Text(p.Note)
	return p
}

// hideAsked leaves the command as it is: a person decides on exactly that.
func (a *Agent) hideAsked(p planning.PermissionAsked) planning.PermissionAsked {
	p.Detail = a.Mask.Text(p.Detail)
	if p.Held != nil {
		held := *p.Held
		held.Output, held.Note = a.Mask.Text(held.Output), a.Mask.Text(held.Note)
		p.Held = &held
	}
	return p
}

// hideInstructions does it for what the workspace has to say to agents.
func (a *Agent) hideInstructions(files []planning.Instruction) []planning.Instruction {
	for i := range files {
		files[i].Text = a.Mask.Text(files[i].Text)
	}
	return files
}
