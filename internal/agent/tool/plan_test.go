package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
)

func steps(pairs ...string) []args {
	var s []args
	for i := 0; i < len(pairs); i += 2 {
		s = append(s, args{"step": pairs[i], "status": pairs[i+1]})
	}
	return s
}

// todo applies a write and keeps what it recorded, as the log would.
func (d *desk) todo(a args) string {
	d.t.Helper()
	r := d.call("update_plan", a)
	if len(r.Events) != 1 {
		d.t.Fatalf("events %v", r.Events)
	}
	e := r.Events[0].(planning.TodoWritten)
	if e.Call != d.env.Call {
		d.t.Errorf("call %q", e.Call)
	}
	d.env.State.Todos = e.Items
	return r.Output
}

func (d *desk) list() string {
	var b strings.Builder
	for _, t := range d.env.State.Todos {
		fmt.Fprintf(&b, "%s %s %s; ", t.ID, t.Text, t.Status)
	}
	return b.String()
}

func TestTodo_T1_RecordsTheListInPlanModeToo(t *testing.T) {
	d := newDesk(t, nil)
	d.env.State.Mode = planning.ModePlan
	got := d.todo(args{"steps": steps(" look ", "completed", "write", "in_progress", "test", "pending")})
	if got != "1 completed, 1 in progress, 1 pending" { // T7: one line of counts
		t.Errorf("receipt %q", got)
	}
	if d.list() != "t1 look completed; t2 write in_progress; t3 test pending; " {
		t.Errorf("list %s", d.list())
	}
}

func TestTodo_T2_WrongItemsChangeNothing(t *testing.T) {
	d := newDesk(t, nil)
	cases := []struct {
		raw, want string
	}{
		{`{"steps":[{"step":"a","status":"pending"},{"step":"  ","status":"pending"}]}`, "item 2: step is blank"},
		{`{"steps":[{"step":"a","status":"pending"},{"step":" a ","status":"completed"}]}`, `item 2: "a" is in the list twice`},
		{`{"steps":[{"step":"a","status":"done"}]}`, `item 1: status "done"`},
		{`{"steps":[{"step":"a","status":"pending","owner":"me"}]}`, "item 1:"},
		{`{"steps":[],"mode":"x"}`, "update_plan:"},
		{`{}`, "steps is missing"},
		{`{"steps":"a"}`, "update_plan:"},
		{`{"steps":[`, "update_plan:"},
		{`{"steps":[]}`, "the list is empty"}, // T4
		{`{"steps":[{"step":"a","status":"in_progress"},{"step":"b","status":"in_progress"}]}`, "only one step may be in_progress"}, // T3
	}
	for _, c := range cases {
		r, err := d.tool("update_plan").Run(t.Context(), d.env, json.RawMessage(c.raw))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(r.Events) != 0 {
			t.Errorf("%s: %v, %v; want %q", c.raw, err, r.Events, c.want)
		}
	}
}

func TestTodo_T3_ParallelWorkIsASetting(t *testing.T) {
	d := newDesk(t, nil)
	contains(t, d.tool("update_plan").Spec().Description, "one in_progress")
	d.config.ParallelTodos = true
	if strings.Contains(d.tool("update_plan").Spec().Description, "one in_progress") {
		t.Error("the description still says one")
	}
	d.todo(args{"steps": steps("a", "in_progress", "b", "in_progress")})
}

func TestTodo_T4_MergeKeepsTheRest(t *testing.T) {
	d := newDesk(t, nil)
	d.todo(args{"steps": steps("a", "in_progress", "b", "pending")})
	d.todo(args{"merge": true, "steps": steps("c", "pending", "a", "completed")})
	if d.list() != "t1 a completed; t2 b pending; t3 c pending; " {
		t.Errorf("list %s", d.list())
	}
	d.todo(args{"merge": true, "steps": []args{}})
	d.todo(args{"merge": true, "steps": []args{{"id": "t2", "step": "B, reworded", "status": "in_progress"}}})
	if d.list() != "t1 a completed; t2 B, reworded in_progress; t3 c pending; " {
		t.Errorf("list %s", d.list())
	}
	d.todo(args{"steps": steps("z", "pending")})
	if !strings.HasSuffix(d.list(), " z pending; ") || len(d.env.State.Todos) != 1 {
		t.Errorf("list %s", d.list())
	}
}

func TestTodo_T5_TwoReplacingCallsInOneTurn(t *testing.T) {
	d := newDesk(t, nil)
	one := `{"steps":[{"step":"a","status":"pending"}]}`
	call := func(id, arguments string) planning.Call {
		return planning.Call{ToolCall: planning.ToolCall{ID: id, Name: "update_plan", Arguments: arguments}}
	}
	d.env.State.Calls = []planning.Call{call("c1", one), call("c2", one)}
	for range 2 {
		contains(t, d.refused("update_plan", args{"steps": steps("a", "pending")}), "neither was done")
	}
	d.env.State.Calls = []planning.Call{call("c1", one), call("c2", `{"merge":true,"steps":[]}`), call("c3", `{"steps":[`)}
	d.todo(args{"steps": steps("a", "pending")})
}

func TestTodo_T6_CompletedIsNotPendingAgain(t *testing.T) {
	d := newDesk(t, nil)
	d.todo(args{"steps": steps("a", "completed")})
	contains(t, d.refused("update_plan", args{"merge": true, "steps": steps("a", "pending")}), "can't become pending")
	d.todo(args{"merge": true, "steps": steps("a", "in_progress")})
}

const goodPlan = "# Rename it\n\n1. Rename A to B in `a.go`.\n2. Run the tests.\n"

func TestPlan_P9_WhatIsWrongGoesBackAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	d.env.State.Mode = planning.ModePlan
	for _, plan := range []string{"", "do it", "## x", "#x", "# ", "1. a\n\n# late"} {
		contains(t, d.refused("submit_plan", args{"plan": plan}), "submit_plan: ")
	}
	cases := []struct {
		args args
		want string
	}{
		{args{"files": []string{"../x"}}, "files, entry 1: ../x lies outside"},
		{args{"files": []string{"a", "/etc/passwd"}}, "files, entry 2: /etc/passwd is an absolute path"},
		{args{"files": []string{""}}, "files, entry 1: The path is empty"},
		{args{"files": []string{"."}}, "whole workspace"},
		{args{"files": []string{"a/../b"}}, "not a clean path; write b"},
		{args{"files": []string{"[a"}}, "not a valid glob"},
		{args{"files": []string{".git/hooks/**"}}, "no tool may read or write"},
		{args{"files": make([]string, planning.MaxScope+1)}, "500 entries"},
		{args{"commands": []string{"ls", "  "}}, "commands, entry 2"},
		{args{"commands": []string{"a\x00b"}}, "commands, entry 1"},
	}
	for _, c := range cases {
		c.args["plan"] = goodPlan
		contains(t, d.refused("submit_plan", c.args), c.want)
	}
}

func TestPlan_P11_NotOutsidePlanMode(t *testing.T) {
	for _, mode := range []planning.Mode{planning.ModeExecuting, planning.ModeNormal, ""} {
		d := newDesk(t, nil)
		d.env.State.Mode = mode
		contains(t, d.refused("submit_plan", args{"plan": goodPlan}), "not in plan mode")
	}
}

func TestPlan_P12_ASubmissionParksAsANewVersion(t *testing.T) {
	d := newDesk(t, nil)
	d.env.State.Mode = planning.ModePlan
	d.env.State.NextBlock = 1
	d.env.Call = "c7"
	r := d.call("submit_plan", args{"plan": goodPlan, "files": []string{"./a.go", "web/", "internal/**/*.go"}, "commands": []string{" go test ./... "}})
	if !r.Park || len(r.Events) != 1 {
		t.Fatalf("%+v", r)
	}
	e := r.Events[0].(planning.PlanSubmitted)
	scope := planning.Scope{Files: []string{"a.go", "web/", "internal/**/*.go"}, Commands: []string{"go test ./..."}}
	if e.Call != "c7" || e.Version != 1 || e.Title != "Rename it" || e.Markdown != goodPlan || !cmp.Equal(e.Scope, scope) || e.SHA256 != planning.Hash(goodPlan, scope) {
		t.Errorf("%+v", e)
	}

	d.env.State.Plans = []planning.Plan{{Version: 1, Status: planning.PlanInReview, Markdown: goodPlan}}
	contains(t, d.refused("submit_plan", args{"plan": goodPlan}), "being reviewed already")
	d.env.State.Plans[0].Status = planning.PlanChangesRequested
	if e := d.call("submit_plan", args{"plan": goodPlan}).Events[0].(planning.PlanSubmitted); e.Version != 2 {
		t.Errorf("version %d", e.Version)
	}
}

func TestMatchScope(t *testing.T) {
	cases := []struct {
		patterns []string
		name     string
		want     bool
	}{
		{nil, "a", false},
		{[]string{}, "a", false},
		{[]string{"a.go"}, "a.go", true},
		{[]string{"a.go"}, "A.go", false},
		{[]string{"./a.go"}, "a.go", true},
		{[]string{"web/"}, "web/x/y.css", true},
		{[]string{"web/**"}, "web/x/y.css", true},
		{[]string{"web"}, "web/x", false},
		{[]string{"web/*"}, "web/x/y", false},
		{[]string{"web/"}, "web-evil/x", false},
		{[]string{"**/*.go"}, "a.go", true},
		{[]string{"**"}, "x/.git/config", false},
		{[]string{"**"}, ".GIT/config", false},
		{[]string{".git/"}, ".git/config", false},
		{[]string{"**"}, "../x", false},
		{[]string{"**"}, "/x", false},
		{[]string{"[a"}, "[a", true},
	}
	for _, c := range cases {
		if got := MatchScope(c.patterns, c.name); got != c.want {
			t.Errorf("%v, %q: %v", c.patterns, c.name, got)
		}
	}
}

func TestWholeFolders(t *testing.T) {
	got := wholeFolders([]string{"web/", "a/b/**", "x", "c/*", "d/**/*.go", "e*/", "./f/", "**", "/"})
	if diff := cmp.Diff([]string{"web", "a/b", "f"}, got); diff != "" {
		t.Error(diff)
	}
}
