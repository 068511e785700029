package templates

import (
	"context"
	"strings"

	"countersign/internal/planning"
	"countersign/web/lang"
)

// entry is a line of the activity with what belongs to it: the result of a
// tool call stands under the call, and so does what a sub-agent did.
type entry struct {
	planning.Record
	parts []planning.Record
	fold  *fold
}

// fold is what a sub-agent did, as far as it is on a page. Where the call that
// started it is on another page, it is a line by itself.
type fold struct {
	agent planning.Subagent
	live  bool // for the socket, where only the sub-agent's id is known
	lines lines
}

// lines puts results and changed files under the call that they are of, if that
// is among them.
type lines struct {
	list  []entry
	calls map[string]int
}

func (l *lines) add(r planning.Record, payload planning.Payload) {
	if at, known := l.calls[partOf(payload)]; known {
		l.list[at].parts = append(l.list[at].parts, r)
		return
	}
	if call := callOf(payload); call != "" {
		if l.calls == nil {
			l.calls = map[string]int{}
		}
		l.calls[call] = len(l.list)
	}
	l.list = append(l.list, entry{Record: r})
}

// entries are the lines of a page.
func (p ActivityPage) entries() []entry {
	var all lines
	folds := map[string]*fold{}
	for _, r := range p.Records {
		payload, err := r.Payload()
		if err != nil {
			continue
		}
		agent := agentOf(r, payload)
		if agent == "" {
			all.add(r, payload)
			continue
		}
		f := folds[agent]
		if f == nil && silent(payload) {
			continue
		}
		if f == nil {
			f = p.newFold(agent)
			folds[agent] = f
			all.fold(r, payload, f)
		}
		f.add(r, payload)
	}
	return all.list
}

func (p ActivityPage) newFold(agent string) *fold {
	f := &fold{agent: planning.Subagent{ID: agent}}
	if known, ok := p.State.Subagent(agent); ok {
		f.agent = known
	}
	return f
}

// fold finds a place for the first that there is of a sub-agent.
func (l *lines) fold(r planning.Record, payload planning.Payload, f *fold) {
	if started, is := payload.(planning.AgentStarted); is {
		if at, known := l.calls[started.Call]; known {
			l.list[at].fold = f
			return
		}
	}
	l.list = append(l.list, entry{Record: r, fold: f})
}

// add puts a record into the fold. Beginning and end are told by its heading.
func (f *fold) add(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.AgentStarted:
		f.agent.Task, f.agent.Tools = p.Task, p.Tools
	case planning.AgentFinished:
		f.agent.Outcome = p.Outcome
	default:
		f.lines.add(r, payload)
	}
}

// looseFold is one record of a sub-agent by itself, for the socket. A script
// moves what is in it to where the rest of that sub-agent is.
func looseFold(r planning.Record, payload planning.Payload) *fold {
	f := &fold{agent: planning.Subagent{ID: agentOf(r, payload)}, live: true}
	f.add(r, payload)
	return f
}

// silent is a record of a sub-agent that is no line in its fold.
func silent(payload planning.Payload) bool {
	switch p := payload.(type) {
	case planning.AgentFinished:
		return true
	case planning.AgentMessage:
		return p.Text == "" && p.Reasoning == "" && p.Stop == ""
	default:
		return false
	}
}

// agentOf is the sub-agent that a record is of, or empty.
func agentOf(r planning.Record, payload planning.Payload) string {
	switch p := payload.(type) {
	case planning.AgentStarted:
		return p.Agent
	case planning.AgentMessage:
		return p.Agent
	case planning.AgentToolStarted:
		return p.Agent
	case planning.AgentToolFinished:
		return p.Agent
	case planning.AgentFinished:
		return p.Agent
	case planning.FileChanged:
		if r.Actor.Kind == planning.ActorSubagent {
			return r.Actor.ID
		}
	}
	return ""
}

// callOf is the call whose beginning a record is, or empty.
func callOf(payload planning.Payload) string {
	switch p := payload.(type) {
	case planning.ToolStarted:
		return p.Call
	case planning.AgentToolStarted:
		return p.Call
	default:
		return ""
	}
}

// partOf is the call that a record only adds to, or empty.
func partOf(payload planning.Payload) string {
	switch p := payload.(type) {
	case planning.ToolFinished:
		return p.Call
	case planning.AgentToolFinished:
		return p.Call
	case planning.FileChanged:
		return p.Call
	default:
		return ""
	}
}

// subagentFacts is what a sub-agent has done so far, in one line.
func subagentFacts(ctx context.Context, a planning.Subagent) string {
	facts := []string{tr(ctx, "%d calls", a.Calls), tr(ctx, "%s tokens", lang.Of(ctx).Short(a.Tokens))}
	return strings.Join(facts, " · ")
}

// subagentState says how far it is. class colours a chip.
func subagentState(ctx context.Context, o planning.Outcome) (class, words string) {
	switch o {
	case "":
		return "live", tr(ctx, "working")
	case planning.OutcomeOK:
		return "ok", tr(ctx, "reported")
	case planning.OutcomeCancelled:
		return "", tr(ctx, "stopped")
	case planning.OutcomeUnknown:
		return "bad", tr(ctx, "cut off")
	default:
		return "bad", tr(ctx, "failed")
	}
}
