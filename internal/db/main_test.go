package db

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// TestMain makes this binary its own child for the test that kills one.
func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := appendForever(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// testDB opens a database of its own for the test.
func testDB(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "data", "countersign.db"))
}

func openAt(t testing.TB, path string) *DB {
	t.Helper()
	d, err := Open(context.Background(), Options{Path: path, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// reopen closes the database and opens it again.
func reopen(t testing.TB, d *DB) *DB {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return openAt(t, d.path)
}

var (
	agent = planning.Actor{Kind: planning.ActorAgent, ID: "agent", Name: "Agent"}
	ada   = planning.Actor{Kind: planning.ActorPerson, ID: "ada", Name: "Ada"}
)

func by(a planning.Actor, p planning.Payload) planning.Event {
	return planning.Event{Actor: a, Payload: p}
}

var created = by(ada, planning.SessionCreated{Title: "Rename", Workspace: "/w", Model: "builtin", Mode: planning.ModePlan, Approvals: 1})

func said(text string) planning.Event { return by(ada, planning.UserMessage{Text: text}) }

// begin makes a session that holds only its first event.
func begin(t testing.TB, log planning.Log, session string) planning.State {
	t.Helper()
	return mustAppend(t, log, session, 0, created)
}

func mustAppend(t testing.TB, log planning.Log, session string, after int64, events ...planning.Event) planning.State {
	t.Helper()
	s, err := log.Append(context.Background(), session, after, events...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustState(t testing.TB, log planning.Log, session string) planning.State {
	t.Helper()
	s, err := log.State(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allRecords pages through a log.
func allRecords(t testing.TB, log planning.Log, session string) []planning.Record {
	t.Helper()
	var all []planning.Record
	for {
		page, err := log.Records(context.Background(), session, int64(len(all)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// story is n events of a session as they happen: planning, a review with
// comments and rewrites, execution, over and over, with every sort of event.
func story(session string, n int) []planning.Event {
	events := []planning.Event{created}
	for round := 1; len(events) < n; round++ {
		events = append(events, chapter(session, round)...)
	}
	return events[:n]
}

func chapter(session string, round int) []planning.Event {
	id := func(kind string) string { return fmt.Sprintf("%s-%s-%d", session, kind, round) }
	plan := fmt.Sprintf("# Rename %d\n\n1. first\n2. second\n", round)
	scope := planning.Scope{Files: []string{"a.go", "b/*.go"}, Commands: []string{"go test ./..."}}
	blocks := []planning.Block{
		{Block: document.Block{Kind: document.Text, End: 12}, ID: id("s")},
		{Block: document.Block{Kind: document.Step, Number: 1, Title: "first", Start: 12, End: len(plan)}, ID: "s2", Change: planning.ChangeText},
	}
	hash := planning.Hash(plan, scope)
	return []planning.Event{
		said("please rename"),
		by(agent, planning.RunResumed{}),
		by(agent, planning.ModelMessage{Text: "looking", Reasoning: "hm", Calls: []planning.ToolCall{{ID: id("read"), Name: "read_file", Arguments: `{"path":"a.go"}`}, {ID: id("submit"), Name: "submit_plan", Arguments: "{}"}}, Usage: planning.Usage{Input: 10, Output: 2}, Seen: 1}),
		by(agent, planning.ToolStarted{Call: id("read"), Name: "read_file", Summary: "read a.go"}),
		by(agent, planning.ToolFinished{Call: id("read"), Name: "read_file", Outcome: planning.OutcomeOK, Output: "package a", DurationMS: 3}),
		by(agent, planning.PlanSubmitted{Version: round, Call: id("submit"), Title: "Rename", Markdown: plan, Scope: scope, SHA256: hash, Blocks: blocks}),
		by(planning.System, planning.RunParked{Wait: planning.WaitReview}),
		by(ada, planning.ThreadOpened{Thread: id("thread"), Version: round, Step: "s2", Quote: "first", Body: "why?"}),
		by(ada, planning.ThreadReplied{Thread: id("thread"), Body: "I see"}),
		by(ada, planning.ThreadResolved{Thread: id("thread")}),
		by(ada, planning.ThreadReopened{Thread: id("thread")}),
		by(ada, planning.StepEdited{Op: planning.EditRewrite, Version: round, Step: "s2", Title: "first", Base: hash, Before: "first", After: "1st", Markdown: plan + "!", Scope: scope, SHA256: planning.Hash(plan+"!", scope), Blocks: blocks}),
		by(ada, planning.ReviewApproved{Version: round, SHA256: planning.Hash(plan+"!", scope), Note: "fine"}),
		by(ada, planning.ReviewDecided{Version: round, SHA256: planning.Hash(plan+"!", scope), Verdict: planning.VerdictApprove, Call: id("submit"), Result: "approved"}),
		by(planning.System, planning.ModeChanged{From: planning.ModePlan, To: planning.ModeExecuting, Reason: "approved"}),
		by(planning.System, planning.TodoWritten{Items: []planning.Todo{{ID: "s2", Text: "first", Status: planning.TodoInProgress}}}),
		by(agent, planning.PermissionAsked{ID: id("ask"), Call: id("read"), Tool: "shell", Reason: "outside", Command: "ls"}),
		by(ada, planning.PermissionAnswered{ID: id("ask"), Answer: planning.AnswerSession}),
		by(agent, planning.FileChanged{Call: id("read"), Path: "a.go", Existed: true, Exists: true, Before: "a", After: "b", Added: 1, Removed: 1, InPlan: true, Todo: "s2"}),
		by(ada, planning.RunPaused{Reason: "lunch"}),
		by(ada, planning.RunResumed{}),
		by(planning.System, planning.RunFailed{Message: "The model does not answer.", Detail: "503"}),
		by(planning.System, planning.RunFinished{Unfinished: 1}),
		by(ada, planning.UserMessage{Text: "/plan again", Command: planning.CommandPlan}),
	}
}

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
