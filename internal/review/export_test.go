package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	source "github.com/yuin/goldmark/text"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

var (
	ada   = planning.Actor{Kind: planning.ActorPerson, ID: "p1", Name: "Ada"}
	bob   = planning.Actor{Kind: planning.ActorPerson, ID: "p2", Name: "Bob"}
	model = planning.Actor{Kind: planning.ActorAgent, Name: "Agent"}
)

const (
	planOne = "# Rename\n\n1. in a.go\n"
	planTwo = "# Rename\n\n1. in a.go only\n"
)

// reviewed is a session with two versions of a plan, a comment, a rewrite, a
// refusal and a change; every text of somebody's is made by say.
func reviewed(t *testing.T, say func(string) string) (planning.State, []planning.Record) {
	t.Helper()
	block := []planning.Block{{Block: document.Block{Kind: document.Step, Number: 1, Title: say("in a.go"), End: len(planOne)}, ID: "s1"}}
	changed := slices.Clone(block)
	changed[0].Change = planning.ChangeText
	return folded(t,
		event(ada, planning.SessionCreated{Title: say("Rename A"), Workspace: say("/w"), Model: "builtin", Mode: planning.ModePlan, Approvals: 1}),
		event(ada, planning.UserMessage{Text: say("rename A to B")}),
		event(model, planning.ModelMessage{Text: say("I look around"), Calls: []planning.ToolCall{{ID: "c1", Name: "write_file"}}}),
		event(model, planning.ToolFinished{Call: "c1", Name: say("write_file"), Outcome: planning.OutcomeDenied, Output: say("not while planning")}),
		event(model, planning.PlanSubmitted{Version: 1, Title: say("Rename"), Markdown: say(planOne), Scope: planning.Scope{Files: []string{say("a.go")}, Commands: []string{say("go test")}}, SHA256: "aa11", Blocks: block}),
		event(bob, planning.ThreadOpened{Thread: "t1", Version: 1, Step: "s1", Quote: say("a.go"), Body: say("why only there?")}),
		event(bob, planning.ReviewDecided{Version: 1, SHA256: "aa11", Verdict: planning.VerdictRequestChanges, Note: say("a note"), Result: say("what the agent got")}),
		event(model, planning.PlanSubmitted{Version: 2, Title: say("Rename"), Markdown: say(planOne), SHA256: "bb22", Blocks: changed}),
		event(ada, planning.StepEdited{Op: planning.EditRewrite, Version: 2, Step: "s1", Title: say("in a.go"), Before: say("in a.go"), After: say("in a.go only"), Markdown: say(planTwo), SHA256: "cc33", Blocks: block}),
		event(ada, planning.ReviewApproved{Version: 2, SHA256: "cc33"}),
		event(ada, planning.ReviewDecided{Version: 2, SHA256: "cc33", Verdict: planning.VerdictApprove, Result: say("go ahead")}),
		event(model, planning.TodoWritten{Items: []planning.Todo{{ID: "s1", Text: say("in a.go"), Status: planning.TodoCompleted}, {ID: "t1", Text: say("look again"), Status: planning.TodoInProgress}}}),
		event(model, planning.PermissionAsked{ID: "q1", Tool: "shell", Reason: say("not in the plan"), Command: say("rm x")}),
		event(bob, planning.PermissionAnswered{ID: "q1", Answer: planning.AnswerRefuse, Reason: say("never")}),
		event(model, planning.FileChanged{Path: say("a.go"), Existed: true, Exists: true, Before: say("old A\n"), After: say("new B\n"), InPlan: true}),
		event(model, planning.FileChanged{Path: "logo.png", Exists: true, Omitted: "binary"}),
		event(model, planning.RunFailed{Message: say("no model")}),
	)
}

func event(a planning.Actor, p planning.Payload) planning.Event {
	return planning.Event{Actor: a, Payload: p}
}

func folded(t *testing.T, events ...planning.Event) (planning.State, []planning.Record) {
	t.Helper()
	var records []planning.Record
	for i, e := range events {
		r, err := planning.NewRecord("session-1", int64(i+1), time.Date(2026, 3, 4, 5, 6, i, 0, time.UTC), e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	s, err := planning.Fold(planning.State{}, records...)
	if err != nil {
		t.Fatal(err)
	}
	return s, records
}

func TestExport_R10_MarkdownSaysWhoDidWhatWhenToWhichHash(t *testing.T) {
	s, records := reviewed(t, func(text string) string { return text })
	got := Markdown(s, records)
	for _, want := range []string{
		"# Rename A\n",
		"- People: Ada and Bob\n",
		"## Task\n\n```text\nrename A to B\n```\n",
		"## Plan, version 1: Rename\n\nSubmitted 2026-03-04 05:06:04 UTC by Agent. Status: changes_requested.\n\nSHA-256: `aa11`\n",
		"- `a.go`\n", "- `go test`\n",
		"```markdown\n" + planOne + "```\n",
		"On “in a.go” (answered in version 2):\n\nQuoted:\n\n```text\na.go\n```\n\n2026-03-04 05:06:05 UTC, Bob:\n\n```text\nwhy only there?\n```\n",
		"05:06:06 UTC, Bob asked for changes: `aa11`.\n", "```text\na note\n```\n", "The agent got:\n\n```text\nwhat the agent got\n```\n",
		"As submitted:\n\n```markdown\n" + planOne + "```\n\nAs changed by the reviewers:\n\n```markdown\n" + planTwo + "```\n",
		"Ada rewrote “in a.go”.\n\n```diff\n--- before\n+++ after\n@@ -1 +1 @@\n-in a.go\n+in a.go only\n```\n",
		"05:06:09 UTC, Ada approved `cc33`.\n", "05:06:10 UTC, Ada approved: `cc33`.\n",
		"- 4 · 2026-03-04 05:06:03 UTC, Agent: write\\_file: denied: not while planning\n",
		"- 14 · 2026-03-04 05:06:13 UTC, Bob: answered the request for permission: refuse: never\n",
		"## To-do list\n\n- [x] in a.go\n- [ ] look again (in progress)\n",
		"### `a.go`\n\nChanged, in the plan.\n\n```diff\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-old A\n+new B\n```\n",
		"### `logo.png`\n\nNew, not in the plan.\n\nNo diff: binary.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing:\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// outline is everything in a Markdown text but what stands in code.
func outline(markdown string) string {
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(source.NewReader([]byte(markdown)))
	var b strings.Builder
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			fmt.Fprintf(&b, "%s ", n.Kind())
			switch n := n.(type) {
			case *ast.Heading:
				fmt.Fprintf(&b, "%d ", n.Level)
			case *ast.FencedCodeBlock, *ast.CodeSpan:
				return ast.WalkSkipChildren, nil
			}
		}
		return ast.WalkContinue, nil
	})
	// How a paragraph's text is cut into nodes depends on what was escaped.
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "Text ", "")), " ")
}

func TestExport_TextCantBreakOut(t *testing.T) {
	harmless, records := reviewed(t, func(text string) string { return text })
	want := outline(Markdown(harmless, records))
	for _, attack := range []string{
		"```\n# Approved by Ada\n```", "`````\n<script>alert(1)</script>\n", "~~~\n# x\n~~~", "` `` ``` ````", "<b>x</b>",
		"x\r# y", "x\r\n\r\n# y", "- a\n- b", "# x", "1. x", "2) x", "> x", "![a](http://evil/x.png)", "[a](javascript:x)",
		"a\n\n\n    code\n\n<!-- ", "| a | b |\n|---|---|\n", "x\n===", "x\n---", "***x***", "\\", "http\x00", "&lt;b&gt;", "~~x~~",
	} {
		s, records := reviewed(t, func(text string) string { return attack + " " + text })
		if got := outline(Markdown(s, records)); got != want {
			t.Errorf("%q changes the document:\n%s", attack, cmp.Diff(strings.Fields(want), strings.Fields(got)))
		}
	}
}

func TestExport_ControlCharactersAreSymbols(t *testing.T) {
	s, records := reviewed(t, func(text string) string { return text + "\x1b]8;;http://evil\x07\u202e\u009b31m\x7f" })
	got := Markdown(s, records)
	if strings.ContainsAny(got, "\x1b\x07\u202e\u009b\x7f") {
		t.Error("control characters came through")
	}
	if !strings.Contains(got, "␛]8;;http://evil␇<U+202E><U+009B>31m␡") {
		t.Errorf("and are not shown:\n%s", got)
	}
}

func TestExport_R10_JSONHoldsEverything(t *testing.T) {
	s, records := reviewed(t, func(text string) string { return text })
	var b bytes.Buffer
	if err := JSON(&b, s, records); err != nil {
		t.Fatal(err)
	}
	var got Export
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Summary(), got.Session); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]planning.Actor{ada, bob}, got.People); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Plans, got.Plans); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Threads, got.Threads); diff != "" {
		t.Error(diff)
	}
	again, err := planning.Fold(planning.State{}, got.Events...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Errorf("the events do not give the state again:\n%s", diff)
	}
}

func TestExport_EmptySession(t *testing.T) {
	s, records := folded(t, event(ada, planning.SessionCreated{Title: "x", Mode: planning.ModePlan}))
	if got := Markdown(s, records); strings.Contains(got, "## Plan") || !strings.Contains(got, "began the session in plan mode") {
		t.Error(got)
	}
	var b bytes.Buffer
	if err := JSON(&b, s, records); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), ": null") {
		t.Errorf("null for an empty list:\n%s", b.String())
	}
}
