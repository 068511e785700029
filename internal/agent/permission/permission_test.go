package permission

import (
	"strings"
	"testing"

	"countersign/internal/planning"

	"github.com/google/go-cmp/cmp"
)

var (
	scope = planning.Scope{Files: []string{"a.go", "web/", "docs/*.md"}, Commands: []string{"go test ./..."}}

	readFile   = Call{Tool: "read_file", Access: Read}
	writeIn    = Call{Tool: "write_file", Access: Write, Paths: []string{"a.go"}}
	writeOut   = Call{Tool: "write_file", Access: Write, Paths: []string{"b.go"}}
	writeHalf  = Call{Tool: "edit_file", Access: Write, Paths: []string{"a.go", "b.go"}}
	writeNone  = Call{Tool: "write_file", Access: Write}
	runIn      = Call{Tool: "shell", Access: Execute, Command: "go test ./..."}
	runOut     = Call{Tool: "shell", Access: Execute, Command: "go test ./... ; rm -r ."}
	runFirst   = Call{Tool: "shell", Access: Execute, Command: "curl x", First: true}
	submit     = Call{Tool: SubmitPlan, Access: Control}
	todo       = Call{Tool: "update_plan", Access: Control}
	unheardOf  = Call{Tool: "teleport"}
	foreign    = Call{Tool: "docs__write", Access: External}
	foreignRO  = Call{Tool: "docs__search", Access: ExternalRead}
	forTool    = planning.Grants{Tools: []string{"docs__write"}}
	byPattern  = planning.Grants{Patterns: []string{"**/*.go"}}
	forSession = planning.Grants{Files: []string{"b.go"}, Commands: []string{"go test ./... ; rm -r ."}}
)

func TestDecide(t *testing.T) {
	strict, layered := Policy{}, Policy{Layer: true}
	standing := Policy{Allowed: planning.Grants{Patterns: []string{"b.go"}, Commands: []string{"go test ./... ; rm -r ."}, Tools: []string{"docs__write"}}}
	guidedStanding, everyStanding := standing, standing
	guidedStanding.Enforcement, everyStanding.ConfirmAll = Guidance, true
	cases := []struct {
		row    string
		policy Policy
		s      Situation
		call   Call
		want   Verdict
	}{
		{"P5 reading runs", strict, Situation{Mode: planning.ModePlan}, readFile, Allow},
		{"P2 writing is refused", strict, Situation{Mode: planning.ModePlan}, writeIn, Deny},
		{"P2 a tool nobody knows is refused", strict, Situation{Mode: planning.ModePlan}, unheardOf, Deny},
		{"P3 plan mode stands before what was allowed", strict, Situation{Mode: planning.ModePlan, Scope: scope, Grants: forSession}, writeOut, Deny},
		{"P6 the shell runs in its sandbox", strict, Situation{Mode: planning.ModePlan}, runOut, Allow},
		{"P6 no sandbox, no shell", Policy{PlanShell: "No kernel support."}, Situation{Mode: planning.ModePlan}, runOut, Deny},
		{"P7 a tool left out is refused", Policy{PlanTools: []string{"read_file"}}, Situation{Mode: planning.ModePlan}, runOut, Deny},
		{"P7 listing a writing tool does not let it write", Policy{PlanTools: []string{"write_file"}}, Situation{Mode: planning.ModePlan}, writeIn, Deny},
		{"P7 an empty list means nothing", Policy{PlanTools: []string{}}, Situation{Mode: planning.ModePlan}, readFile, Deny},
		{"P9 a plan can be submitted", strict, Situation{Mode: planning.ModePlan}, submit, Allow},
		{"T1 the list in plan mode", strict, Situation{Mode: planning.ModePlan}, todo, Allow},
		{"P11 no plan in execution", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, submit, Deny},
		{"P11 no plan in normal mode", strict, Situation{Mode: planning.ModeNormal}, submit, Deny},
		{"P20 an approved file is written", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeIn, Allow},
		{"P20 confirm every asks", Policy{ConfirmAll: true}, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeIn, Ask},
		{"P24 another file asks", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeOut, Ask},
		{"P24 one of two outside asks", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeHalf, Ask},
		{"P24 an approved command runs", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, runIn, Allow},
		{"P24 another command asks", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, runOut, Ask},
		{"P24 allowed for the session", strict, Situation{Mode: planning.ModeExecuting, Scope: scope, Grants: forSession}, writeOut, Allow},
		{"P24 allowed by a pattern", strict, Situation{Mode: planning.ModeExecuting, Scope: scope, Grants: byPattern}, writeOut, Allow},
		{"P29 allowed by a pattern", strict, Situation{Mode: planning.ModeNormal, Grants: byPattern}, writeOut, Allow},
		{"P29 a pattern allows no command", strict, Situation{Mode: planning.ModeNormal, Grants: byPattern}, runIn, Ask},
		{"P3 plan mode stands before a pattern", strict, Situation{Mode: planning.ModePlan, Grants: byPattern}, writeOut, Deny},
		{"P24 a file that the settings allow", standing, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeOut, Allow},
		{"P24 a command that the settings allow", standing, Situation{Mode: planning.ModeExecuting, Scope: scope}, runOut, Allow},
		{"P24 with everything to be confirmed as well", everyStanding, Situation{Mode: planning.ModeExecuting, Scope: scope}, runOut, Allow},
		{"P24 the settings allow it to the letter", standing, Situation{Mode: planning.ModeExecuting, Scope: scope}, runFirst, Ask},
		{"P28 a tool that the settings allow", standing, Situation{Mode: planning.ModeExecuting, Scope: scope}, foreign, Allow},
		{"P29 the settings allow it in normal mode", standing, Situation{Mode: planning.ModeNormal}, runOut, Allow},
		{"P3 plan mode stands before the settings", standing, Situation{Mode: planning.ModePlan}, writeOut, Deny},
		{"P3 and before a tool of theirs", standing, Situation{Mode: planning.ModePlan}, foreign, Deny},
		{"P23 with guidance as well: a file", guidedStanding, Situation{Mode: planning.ModePlan}, writeOut, Ask},
		{"P23 with guidance as well: a command", guidedStanding, Situation{Mode: planning.ModePlan}, runOut, Ask},
		{"no mode, whatever the settings allow", standing, Situation{Mode: "yolo"}, writeOut, Deny},
		{"P24 another command runs in a layer", layered, Situation{Mode: planning.ModeExecuting, Scope: scope}, runOut, Allow},
		{"P24 unless it is to be asked about before", layered, Situation{Mode: planning.ModeExecuting, Scope: scope}, runFirst, Ask},
		{"P24 what the plan lists is not asked about", layered, Situation{Mode: planning.ModeExecuting, Scope: planning.Scope{Commands: []string{"curl x"}}}, runFirst, Allow},
		{"P20 confirm every asks before, layer or not", Policy{Layer: true, ConfirmAll: true}, Situation{Mode: planning.ModeExecuting, Scope: scope}, runOut, Ask},
		{"P24 a layer lets no file tool write", layered, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeOut, Ask},
		{"P29 a layer changes nothing in normal mode", layered, Situation{Mode: planning.ModeNormal}, runOut, Ask},
		{"P24 an empty plan lists nothing", strict, Situation{Mode: planning.ModeExecuting}, writeIn, Ask},
		{"P24 a write that names no file", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, writeNone, Deny},
		{"P29 reading runs", strict, Situation{Mode: planning.ModeNormal}, readFile, Allow},
		{"P29 writing asks", strict, Situation{Mode: planning.ModeNormal}, writeIn, Ask},
		{"P29 a plan's scope means nothing", strict, Situation{Mode: planning.ModeNormal, Scope: scope}, writeIn, Ask},
		{"P29 commands ask", strict, Situation{Mode: planning.ModeNormal}, runIn, Ask},
		{"P29 allowed for the session", strict, Situation{Mode: planning.ModeNormal, Grants: forSession}, runOut, Allow},
		{"P29 a file that was allowed is no pattern", strict, Situation{Mode: planning.ModeNormal, Grants: planning.Grants{Files: []string{"[a-z].go", "**"}}}, writeOut, Ask},
		{"P23 guidance asks instead", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, writeIn, Ask},
		{"P23 guidance takes what was allowed", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan, Grants: forSession}, writeOut, Allow},
		{"P23 guidance submits a plan", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, submit, Allow},
		{"P23 guidance asks about commands", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, runIn, Ask},
		{"P6 deny holds with guidance", Policy{Enforcement: Guidance, PlanShell: "Off."}, Situation{Mode: planning.ModePlan, Grants: forSession}, runOut, Deny},
		{"P6 deny is for planning only", Policy{Enforcement: Guidance, PlanShell: "Off."}, Situation{Mode: planning.ModeNormal}, runOut, Ask},
		{"P11 with guidance no plan in normal mode", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModeNormal}, submit, Deny},
		{"P11 with guidance no plan in execution", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModeExecuting, Scope: scope}, submit, Deny},
		{"P7 the tools of planning can't be left out", Policy{PlanTools: []string{"read_file"}}, Situation{Mode: planning.ModePlan}, submit, Allow},
		{"P7 nor can the list", Policy{PlanTools: []string{}}, Situation{Mode: planning.ModePlan}, todo, Allow},
		{"P28 a tool of another program counts as writing", strict, Situation{Mode: planning.ModePlan}, foreign, Deny},
		{"P28 naming it among the tools of planning changes nothing", Policy{PlanTools: []string{"docs__write"}}, Situation{Mode: planning.ModePlan}, foreign, Deny},
		{"P3 nor does that it was allowed before", strict, Situation{Mode: planning.ModePlan, Grants: forTool}, foreign, Deny},
		{"P28 one that a person listed runs", Policy{PlanTools: []string{}}, Situation{Mode: planning.ModePlan}, foreignRO, Allow},
		{"P28 in execution it asks", strict, Situation{Mode: planning.ModeExecuting, Scope: scope}, foreign, Ask},
		{"P28 a layer holds nothing of it", layered, Situation{Mode: planning.ModeExecuting, Scope: scope}, foreign, Ask},
		{"P28 a plan can't list it as a command", strict, Situation{Mode: planning.ModeExecuting, Scope: planning.Scope{Commands: []string{"docs__write"}}}, foreign, Ask},
		{"P28 allowed for the session", strict, Situation{Mode: planning.ModeExecuting, Grants: forTool}, foreign, Allow},
		{"P28 allowed for the session, with everything to be confirmed", Policy{ConfirmAll: true}, Situation{Mode: planning.ModeExecuting, Grants: forTool}, foreign, Allow},
		{"P28 that is for one tool", strict, Situation{Mode: planning.ModeExecuting, Grants: planning.Grants{Tools: []string{"docs__other"}, Commands: []string{"docs__write"}, Files: []string{"docs__write"}}}, foreign, Ask},
		{"P28 one that a person listed, in execution", strict, Situation{Mode: planning.ModeExecuting}, foreignRO, Allow},
		{"P28 in normal mode it asks", strict, Situation{Mode: planning.ModeNormal}, foreign, Ask},
		{"P28 allowed for the session, in normal mode", strict, Situation{Mode: planning.ModeNormal, Grants: forTool}, foreign, Allow},
		{"P23 guidance asks about it", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, foreign, Ask},
		{"P28 no mode, not even reading", strict, Situation{}, foreignRO, Deny},
		{"no mode, no access", strict, Situation{}, readFile, Deny},
		{"a mode nobody knows", strict, Situation{Mode: "yolo", Scope: scope, Grants: forSession}, writeIn, Deny},
	}
	for _, c := range cases {
		t.Run(c.row, func(t *testing.T) {
			got := c.policy.Decide(c.s, c.call)
			if got.Verdict != c.want {
				t.Errorf("verdict = %d (%s), want %d", got.Verdict, got.Reason, c.want)
			}
			if got.Verdict != Allow && got.Reason == "" {
				t.Error("no reason given")
			}
		})
	}
}

func TestPlan_P2_RefusalSaysWhatToDo(t *testing.T) {
	d := Policy{}.Decide(Situation{Mode: planning.ModePlan}, writeIn)
	for _, want := range []string{"write_file", "plan mode", "Investigate", "submit_plan"} {
		if !strings.Contains(d.Reason, want) {
			t.Errorf("the refusal %q does not mention %q", d.Reason, want)
		}
	}
	if strings.Contains(strings.ToLower(d.Reason), "approved") {
		t.Errorf("P18: the refusal %q says a word that only a stored approval may bring", d.Reason)
	}
}

func TestPlan_P28_WhenAProgramIsConfined(t *testing.T) {
	guided := Policy{Enforcement: Guidance}
	for _, c := range []struct {
		policy Policy
		mode   planning.Mode
		want   bool
	}{
		{Policy{}, planning.ModePlan, true}, {Policy{}, planning.ModeExecuting, false}, {Policy{}, planning.ModeNormal, false},
		{Policy{}, "", true}, {Policy{}, "yolo", true}, {guided, "yolo", true},
		{guided, planning.ModePlan, false}, {guided, planning.ModeExecuting, false},
	} {
		if got := c.policy.Confined(c.mode); got != c.want {
			t.Errorf("%q with %q: %v, want %v", c.mode, c.policy.Enforcement, got, c.want)
		}
	}
}

func TestPlan_P28_TheRefusalSaysWhy(t *testing.T) {
	d := Policy{}.Decide(Situation{Mode: planning.ModePlan}, foreign)
	for _, want := range []string{"docs__write", "listed", "plan mode", "submit_plan"} {
		if !strings.Contains(d.Reason, want) {
			t.Errorf("the refusal %q does not mention %q", d.Reason, want)
		}
	}
}

func TestPlan_P23_TheReasonIsTrue(t *testing.T) {
	d := Policy{Enforcement: Guidance}.Decide(Situation{Mode: planning.ModePlan}, writeIn)
	if !strings.Contains(d.Reason, "planning") || strings.Contains(d.Reason, "without a plan") {
		t.Errorf("while planning the reason is %q", d.Reason)
	}
}

func TestShell_P24_WhatACommandMayDo(t *testing.T) {
	planned := []string{"a.go", "web/", "docs/*.md"}
	executing := Situation{Mode: planning.ModeExecuting, Scope: scope}
	withGrants := executing
	withGrants.Grants = planning.Grants{Files: []string{"[b].go"}, Commands: []string{"make"}}
	everything := Shell{Everything: true, Network: true}
	standing := Policy{Allowed: planning.Grants{Patterns: []string{"gen/**"}, Commands: []string{"make"}}}
	guided := standing
	guided.Enforcement = Guidance
	cases := []struct {
		row      string
		policy   Policy
		s        Situation
		command  string
		answered bool
		want     Shell
	}{
		{"P6 nothing while planning", Policy{}, Situation{Mode: planning.ModePlan, Scope: scope, Grants: withGrants.Grants}, "make", true, Shell{}},
		{"P24 the plan's command, the plan's files", Policy{}, executing, "go test ./...", false, Shell{Writable: planned, Network: true}},
		{"P20 confirming it gives it no more", Policy{ConfirmAll: true}, executing, "go test ./...", true, Shell{Writable: planned, Network: true}},
		{"P24 and the files that people allowed", Policy{}, withGrants, "go test ./...", false, Shell{Writable: append(planned[:3:3], `\[b\].go`), Network: true}},
		{"P24 in a layer the rest is held", Policy{Layer: true}, executing, "go test ./...", false, Shell{Writable: planned, Network: true, Hold: true}},
		{"P24 another command, without network", Policy{Layer: true}, executing, "rm x", false, Shell{Writable: planned, Hold: true}},
		{"P24 a plan without files", Policy{Layer: true}, Situation{Mode: planning.ModeExecuting}, "rm x", false, Shell{Hold: true}},
		{"P24 allowed beforehand", Policy{Layer: true}, executing, "rm x", true, everything},
		{"P24 allowed by the settings", standing, executing, "make", false, everything},
		{"P24 the files that the settings allow", standing, executing, "rm x", false, Shell{Writable: append(planned[:3:3], "gen/**")}},
		{"P6 nothing while planning, whatever the settings allow", standing, Situation{Mode: planning.ModePlan}, "make", false, Shell{}},
		{"P23 nor with guidance", guided, Situation{Mode: planning.ModePlan}, "make", false, Shell{}},
		{"P6 planning, in a layer", Policy{Layer: true}, Situation{Mode: planning.ModePlan}, "rm x", false, Shell{}},
		{"P24 a command that a person allowed", Policy{}, executing, "rm x", true, everything},
		{"P29 for the session", Policy{}, Situation{Mode: planning.ModeNormal, Grants: withGrants.Grants}, "make", false, everything},
		{"P23 guidance, allowed", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, "make", true, everything},
		{"P23 guidance, not allowed", Policy{Enforcement: Guidance}, Situation{Mode: planning.ModePlan}, "make", false, Shell{}},
		{"no mode", Policy{}, Situation{}, "make", false, Shell{}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, c.policy.Shell(c.s, Call{Command: c.command}, c.answered)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.row, diff)
		}
	}
}

func TestPlan_P4_OfferedTools(t *testing.T) {
	tools := map[string]Access{"read_file": Read, "write_file": Write, "shell": Execute, "update_plan": Control, SubmitPlan: Control}
	cases := []struct {
		name   string
		policy Policy
		mode   planning.Mode
		absent []string
	}{
		{"planning", Policy{}, planning.ModePlan, []string{"write_file"}},
		{"planning without a sandbox", Policy{PlanShell: "none"}, planning.ModePlan, []string{"write_file", "shell"}},
		{"executing", Policy{}, planning.ModeExecuting, []string{SubmitPlan}},
		{"normal", Policy{}, planning.ModeNormal, []string{SubmitPlan}},
		{"P23 guidance, planning", Policy{Enforcement: Guidance, PlanShell: "Off."}, planning.ModePlan, nil},
		{"P23 guidance, executing", Policy{Enforcement: Guidance}, planning.ModeExecuting, nil},
		{"P23 guidance, normal", Policy{Enforcement: Guidance}, planning.ModeNormal, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for tool, access := range tools {
				want := true
				for _, a := range c.absent {
					want = want && a != tool
				}
				if got := c.policy.Offered(c.mode, tool, access); got != want {
					t.Errorf("%s offered: %v, want %v", tool, got, want)
				}
			}
		})
	}
}

func TestScope_HasFile(t *testing.T) {
	for name, want := range map[string]bool{
		"a.go": true, "b.go": false, "web/x/y.css": true, "web": false, "webby/x": false, "docs/a.md": true, "docs/x/a.md": false,
		"": false, ".": false, "../a.go": false, "/a.go": false, "web/../b.go": false, "web/.git/config": false, "web/.GIT/hooks/x": false, "web/.git./config": false, "web/git~1/config": false, "A.go": false,
	} {
		if got := scope.HasFile(name); got != want {
			t.Errorf("HasFile(%q) = %v, want %v", name, got, want)
		}
	}
	if (planning.Scope{}).HasFile("a.go") {
		t.Error("an empty scope lists a file")
	}
}
