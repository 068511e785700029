package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/planning"
	"countersign/web/lang"
)

// subagent records what a sub-agent does.
func (r *rig) subagent(session, id string, payloads ...planning.Payload) planning.State {
	r.t.Helper()
	st, err := planning.Decide(context.Background(), r.db, session, func(planning.State) ([]planning.Event, error) {
		var events []planning.Event
		for _, p := range payloads {
			events = append(events, planning.Event{Actor: planning.Actor{Kind: planning.ActorSubagent, ID: id, Name: "Agent"}, Payload: p})
		}
		return events, nil
	})
	r.must(err)
	return st
}

// spawns begins a sub-agent for each call, "a1" for the first.
func (r *rig) spawns(session string, calls ...string) {
	r.t.Helper()
	said := planning.ModelMessage{}
	for _, c := range calls {
		said.Calls = append(said.Calls, planning.ToolCall{ID: c, Name: "spawn_agent"})
	}
	payloads := []planning.Payload{said}
	for i, c := range calls {
		payloads = append(payloads, planning.ToolStarted{Call: c, Name: "spawn_agent", Summary: "look around"},
			planning.AgentStarted{Agent: fmt.Sprintf("a%d", i+1), Call: c, Task: "look around\nin all folders", Tools: []string{"grep"}})
	}
	r.agent(session, payloads...)
}

func agentSays(id, text string) planning.AgentMessage {
	return planning.AgentMessage{Agent: id, ModelMessage: planning.ModelMessage{Text: text, Usage: planning.Usage{Input: 11_000, Output: 1_000}}}
}

func agentDid(id, call, name, summary string, outcome planning.Outcome, output string) planning.AgentToolFinished {
	return planning.AgentToolFinished{Agent: id, ToolFinished: planning.ToolFinished{Call: call, Name: name, Summary: summary, Outcome: outcome, Output: output}}
}

func TestActivity_P19_SubagentsAreFoldedUnderTheirCalls(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.spawns(id, "c1", "c2")
	r.subagent(id, "a1", agentSays("a1", "I **look**."), agentDid("a1", "a1_1_g", "grep", "foo", planning.OutcomeOK, "a.go:1: foo"))
	r.subagent(id, "a2", planning.AgentToolStarted{Agent: "a2", ToolStarted: planning.ToolStarted{Call: "a2_1_s", Name: "shell", Summary: "make x"}},
		planning.FileChanged{Call: "a2_1_s", Path: "x.go", Added: 3})
	r.subagent(id, "a1", agentDid("a1", "a1_1_w", "write_file", "b.go", planning.OutcomeDenied, "Not while planning."),
		planning.AgentFinished{Agent: "a1", Outcome: planning.OutcomeOK})
	r.agent(id, planning.ToolFinished{Call: "c1", Name: "spawn_agent", Outcome: planning.OutcomeOK, Note: "2 calls", Output: "All is well."})

	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	one, two := `[data-call="c1"] [data-fold="a1"]`, `[data-call="c2"] [data-fold="a2"]`
	b.sees(one+" > summary", "a1", "reported", "2 calls", "12.0k tokens").sees(one, "in all folders", "only grep", "a.go:1: foo")
	b.sees(one+" strong", "look").sees(one+" .deny", "refused: Not while planning.")
	b.sees(two+" > summary", "a2", "working", "0 calls", "make x").sees(two+` [data-call="a2_1_s"]`, "x.go", "+3")
	b.sees(`[data-call="c1"]`, "All is well.").sees(`#subagents [data-subagent="a2"]`, "working")
	if n := b.doc.Find("#feed > li").Length(); n != 4 {
		t.Errorf("%d lines beside the folds, want 4", n)
	}
	b.open("/").sees("#s-"+id+" .agents", "1 sub-agent")
	st := read[sessionView](r.api("GET", "/sessions/"+id, nil).is(200))
	if len(st.Subagents) != 2 || st.Subagents[0].Outcome != planning.OutcomeOK || st.Subagents[1].Doing != "make x" {
		t.Errorf("the API says %+v", st.Subagents)
	}
	b.open("/sessions/"+id+"/history").sees("#log", "Agent started sub-agent a1", "Sub-agent a1: reported")
	a := b.do(http.MethodGet, "/sessions/"+id+"/export", nil, b.cookie).is(200)
	a.says("started sub-agent a1").says(`sub-agent a1, write\_file: denied: Not while planning.`).says("sub-agent a1 ended: ok")
	b.do(http.MethodGet, "/sessions/"+id+"/export?format=json", nil, b.cookie).is(200).says(`"agent.tool_finished"`)

	r.agent(id, planning.AgentFinished{Agent: "a2", Outcome: planning.OutcomeCancelled})
	b.open("/").lacks("#s-"+id+" .agents").open("/sessions/"+id+"/activity").sees(two+" > summary", "stopped").lacks(two + " > summary code")
}

// A fold may begin on one page and go on over the next ones: nothing is lost or
// twice, and each page has one fold.
func TestActivity_P19_AFoldGoesOverPages(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.spawns(id, "c1")
	var many []planning.Payload
	for i := range 450 {
		many = append(many, agentSays("a1", fmt.Sprintf("said %d.", i)))
	}
	r.subagent(id, "a1", many...)
	r.subagent(id, "a1", planning.AgentFinished{Agent: "a1", Outcome: planning.OutcomeUnknown})
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	seen := 0
	for {
		if n := b.doc.Find("#feed [data-fold]").Length(); n != 1 {
			t.Fatalf("%d folds on %s", n, b.at)
		}
		b.sees("#feed [data-fold] > summary", "a1", "cut off")
		seen += b.doc.Find("#feed [data-fold] ol > li").Length()
		older, ok := b.doc.Find(`a.older[href*="before="]`).Attr("href")
		if !ok {
			break
		}
		b.open(older)
	}
	if b.sees(`[data-call="c1"] [data-fold="a1"]`, "said 0."); seen != 450 {
		t.Errorf("%d messages on all pages, want 450", seen)
	}
	// The end alone is no fold.
	b.open(fmt.Sprintf("/sessions/%s/activity?after=%d", id, b.state(id).Seq-1)).lacks("#feed [data-fold]")
}

// T9: who watches gets the events of sub-agents by seq like all others, also
// after a lost connection, and live text says whose it is.
func TestLive_S5_SubagentEventsComeOnceAndInOrder(t *testing.T) {
	r := newRig(t)
	r.hub.render = ActivityLine
	id := r.begin()
	r.spawns(id, "c1", "c2")
	conn := r.watch("session=" + id + "&after=2")
	var kinds []planning.Kind
	last := int64(2)
	next := func() anyFrame {
		t.Helper()
		for {
			f := readFrame(t, conn)
			if f.Type != "event" {
				if f.Agent != "" {
					return f
				}
				continue
			}
			if f.Seq != last+1 {
				t.Fatalf("event %d after %d", f.Seq, last)
			}
			last = f.Seq
			kinds = append(kinds, f.Kind)
			return f
		}
	}
	for range 5 {
		if f := next(); f.Kind == planning.KindAgentStarted && (!strings.Contains(f.HTML, `data-part-of="c`) || !strings.Contains(f.HTML, `data-fold="a`)) {
			t.Errorf("the beginning is no fold under its call: %s", f.HTML)
		}
	}
	r.subagent(id, "a1", agentSays("a1", "one"))
	if f := next(); !strings.Contains(f.HTML, `<li data-agent="a1">`) || !strings.Contains(f.HTML, fmt.Sprintf(`data-seq="%d"`, f.Seq)) {
		t.Errorf("what a sub-agent said: %s", f.HTML)
	}
	r.hub.Frame(id, agent.Frame{Type: "delta", Agent: "a2", Text: "half a"})
	if f := next(); f.Agent != "a2" || f.Text != "half a" {
		t.Errorf("live: %+v", f)
	}
	conn.Close()
	r.subagent(id, "a2", agentSays("a2", "two"), agentDid("a2", "a2_1_g", "grep", "foo", planning.OutcomeDenied, "no"))
	conn = r.watch(fmt.Sprintf("session=%s&after=%d", id, last))
	next()
	if f := next(); !strings.Contains(f.HTML, `data-part-of="a2_1_g"`) || !strings.Contains(f.HTML, "refused: no") {
		t.Errorf("the result of a sub-agent's call: %s", f.HTML)
	}
	r.subagent(id, "a2", planning.AgentFinished{Agent: "a2", Outcome: planning.OutcomeOK})
	if f := next(); f.HTML != "" {
		t.Errorf("the end is a line: %s", f.HTML)
	}
	want := []planning.Kind{
		planning.KindModelMessage, planning.KindToolStarted, planning.KindAgentStarted, planning.KindToolStarted, planning.KindAgentStarted,
		planning.KindAgentMessage, planning.KindAgentMessage, planning.KindAgentToolFinished, planning.KindAgentFinished,
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("kinds %v", kinds)
	}
}

func TestActivity_S8_CompactionInstructionsAndRounds(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	goal := planning.Goal{ID: "g1", Revision: 1, Phase: planning.GoalActive, Objective: "Green <b>tests</b>", MaxRounds: 3, Number: 1}
	r.agent(id, planning.InstructionsRead{Files: []planning.Instruction{
		{Path: "AGENTS.md", Text: "Speak in rhymes.", Bytes: 90_000, Cut: true, SHA256: "ab"},
		{Path: "sub/CLAUDE.md", Fault: "sub/CLAUDE.md is a symbolic link that leads out of the workspace."},
	}}, planning.ContextCompacted{Upto: 2, Text: "What it **came** to.", Messages: 182, Before: 96_000, After: 7_000},
		planning.ContextCompacted{Asked: true}, planning.InstructionsRead{Same: true},
		planning.GoalChanged{Op: planning.GoalCreate, Goal: goal},
		planning.GoalRoundStarted{Goal: "g1", Round: 1, Of: 3, Text: "Round 1 of 3, go on."})
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.sees("#feed", "The conversation was made shorter: 182 messages, about 96,000 → 7,000 tokens", "by itself", "There was nothing in the conversation to make shorter")
	b.sees("#feed .quiet details strong", "came").sees("#feed .quiet .chip", "AGENTS.md", "only its beginning").sees("#feed .quiet", "leads out of the workspace")
	b.sees("#feed .quiet details", "Speak in rhymes.").sees("#instructions", "AGENTS.md", "Speak in rhymes.", "sub/CLAUDE.md", "leads out")
	b.sees("#feed", "Agent set a goal", "Green <b>tests</b>", "Round 1 of 3").sees("#feed .quiet details", "Round 1 of 3, go on.").lacks("#feed .person:contains('Round 1')")
	if n := b.doc.Find(`#feed li:contains("Instructions")`).Length(); n != 1 {
		t.Errorf("%d lines about instructions, want 1: they did not change", n)
	}
	st := read[sessionView](r.api("GET", "/sessions/"+id, nil).is(200))
	if len(st.Instructions) != 2 || !st.Instructions[0].Cut || st.Instructions[1].Fault == "" {
		t.Errorf("the API says %+v", st.Instructions)
	}
	b.open("/sessions/"+id+"/history").sees("#log", "182 messages", "Instructions: AGENTS.md, sub/CLAUDE.md")
	b.do(http.MethodGet, "/sessions/"+id+"/export", nil, b.cookie).is(200).says("182 messages, about 96000").says("`AGENTS.md` (cut)").says("round 1 towards the goal").says("nothing new")
	records, err := r.db.Records(context.Background(), id, 2, 10)
	r.must(err)
	line, err := ActivityLine(lang.Chinese, records[0])
	r.must(err)
	if !strings.Contains(line, "符号链接") {
		t.Errorf("in Chinese: %s", line)
	}
}
