package web

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// served is what a run with three MCP servers leaves in the log: one that works,
// one that could not be started, and one of which something is left out.
func (r *rig) served(session string) planning.State {
	return r.agent(session, planning.ToolsListed{Servers: []planning.ToolServer{
		{Name: "docs", Transport: "stdio", Tools: []planning.ServedTool{{Name: "docs__search", ReadOnly: true}, {Name: "docs__write", Hint: true}}},
		{Name: "gone", Transport: "stdio", Failed: "The program ended at once."},
		{Name: "much", Transport: "http", Notes: []string{"It offers too many tools."}, Tools: []planning.ServedTool{{Name: "much__a"}}},
	}})
}

func TestServers_P28_WhatEachOffersIsOnThePage(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	b := r.browse(r.owner).open("/sessions/" + id + "/activity").lacks("#servers")
	r.served(id)
	b.open("/sessions/"+id+"/activity").
		sees("#server-docs li:nth-child(1)", "docs__search", "listed as read-only").
		sees("#server-docs li:nth-child(2)", "docs__write", "counts as writing", "says that it only reads").
		sees("#server-gone", "not connected", "The program ended at once.").lacks("#server-gone li").
		sees("#server-much", "It offers too many tools.", "much__a").
		sees("#feed li:last-child", "MCP servers", "docs", "2 tools", "gone", "not connected", "much", "1 tool")
	history := r.do("GET", "/sessions/"+id+"/export", nil, header("Cookie: "+r.cookie(r.owner))).is(200)
	for _, want := range []string{"tools of 3 MCP servers", "docs__search` (listed as read-only)", "gone: not connected: The program ended at once.", "It offers too many tools."} {
		if !strings.Contains(history.body, want) {
			t.Errorf("the export lacks %q", want)
		}
	}
}

// A server that floods: the model gets it shortened, people the whole of it.
func TestServers_P28_AShortenedResultIsThereAsAWhole(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	whole := strings.Repeat("<b>flood</b>\n", 9000)
	done := planning.ToolFinished{Call: "c1", Name: "much__a", Outcome: planning.OutcomeOK, Output: whole[:200] + "[…]", Whole: whole}
	st := r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c1", Name: "much__a"}}}, planning.ToolStarted{Call: "c1", Name: "much__a"}, done)
	b := r.browse(r.person("Vi", review.RoleViewer, "vi")).open("/sessions/"+id+"/activity").sees(`[data-call="c1"] .more`, "The model got this shortened.")
	link, _ := b.doc.Find(`[data-call="c1"] .more a`).Attr("href")
	got := r.do("GET", link, nil, header("Cookie: "+r.cookie(r.owner))).is(200)
	if got.body != whole || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain") || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d bytes as %q", len(got.body), got.Header.Get("Content-Type"))
	}
	other := r.begin()
	for _, path := range []string{"/sessions/" + other + "/results/99", "/sessions/" + id + "/results/1", "/sessions/" + id + "/results/x", "/sessions/" + id + "/results/0"} {
		r.do("GET", path, nil, header("Cookie: "+r.cookie(r.owner))).is(http.StatusNotFound)
	}

	// What is only too long for the page is there as well, and so is a sub-agent's.
	long := strings.Repeat("line\n", 20_000)
	st = r.agent(id, planning.ToolFinished{Call: "c2", Name: "shell", Outcome: planning.OutcomeOK, Output: long},
		planning.ToolFinished{Call: "c3", Name: "shell", Outcome: planning.OutcomeOK, Output: "short"})
	b.open("/sessions/" + id + "/activity")
	if n := b.doc.Find("#feed .more").Length(); n != 2 {
		t.Errorf("%d results have more, want 2 of 3 (seq %d)", n, st.Seq)
	}
}
