package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"
	"countersign/internal/trial"
)

// The tests here are rows of what must hold when something breaks; see also
// internal/db. Each says its figures as an attribute.

// TestFault_14_ManyApprovalsAtOnce: however many people approve in the same
// moment, there is one decision and one run.
func TestFault_14_ManyApprovalsAtOnce(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Calls(writeFile("w", "a.txt", "new\n")), fakeopenai.Text("done"))
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	p, _ := s.Plan()
	people := trial.Often(200, 1000)
	var counted atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range people {
		all.Go(func() {
			person := review.Person{ID: fmt.Sprint("person-", i), Name: fmt.Sprint("Person ", i), Role: review.RoleApprover}
			<-start
			_, err := planning.Decide(context.Background(), b.db, b.id, func(s planning.State) ([]planning.Event, error) {
				return review.Decide(s, person, review.NewDecision{Version: p.Version, Verdict: planning.VerdictApprove, SHA256: p.SHA256})
			})
			if err == nil {
				counted.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	b.rests(planning.StatusDone)
	decided, runs, writes := len(recordsOf[planning.ReviewDecided](b)), 0, len(recordsOf[planning.FileChanged](b))
	for _, m := range recordsOf[planning.ModeChanged](b) {
		if m.To == planning.ModeExecuting {
			runs++
		}
	}
	if counted.Load() != 1 || decided != 1 || runs != 1 || writes != 1 || len(b.model.Requests()) != 3 {
		t.Errorf("%d were told that theirs counts; %d decisions, %d runs, %d writes, %d requests", counted.Load(), decided, runs, writes, len(b.model.Requests()))
	}
	trial.Figures(t, "%d approvals at once: %d event, %d run", people, decided, runs)
}

// TestFault_15_ApproveAgainstRewrite: an approval and a rewrite at the same
// moment never let another text run than the one that was approved.
func TestFault_15_ApproveAgainstRewrite(t *testing.T) {
	store, err := db.Open(t.Context(), db.Options{Path: filepath.Join(t.TempDir(), "test.db"), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rounds, first := trial.Often(150, 10_000), map[string]int{}
	for i := range rounds {
		id := fmt.Sprint("session-", i)
		p := inReview(t, store, id)
		var both sync.WaitGroup
		both.Go(func() {
			_, _ = planning.Decide(context.Background(), store, id, func(s planning.State) ([]planning.Event, error) {
				return review.Decide(s, ana, review.NewDecision{Version: 1, Verdict: planning.VerdictApprove, SHA256: p.SHA256})
			})
		})
		both.Go(func() {
			_, _ = planning.Decide(context.Background(), store, id, func(s planning.State) ([]planning.Event, error) {
				return review.EditPlan(s, bo, rewrite(s))
			})
		})
		both.Wait()
		first[whatRuns(t, store, id, p.SHA256)]++
	}
	if len(first) < 2 {
		t.Errorf("one was always first: %v", first)
	}
	trial.Figures(t, "%d interleavings, never another hash (%v)", rounds, first)
}

// inReview makes a session whose plan waits for a decision.
func inReview(t *testing.T, log planning.Log, id string) planning.Plan {
	t.Helper()
	events, err := planning.NewSession{Workspace: "/w", Model: "builtin", Task: "task", Mode: planning.ModePlan, Approvals: 1}.Events(ana.Actor())
	if err != nil {
		t.Fatal(err)
	}
	s, err := log.Append(t.Context(), id, 0, events...)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planning.NewVersion(s, "# Change a\n\n## Step 1: Edit a.txt\n\nEdit it.\n", planning.Scope{Files: []string{"a.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	plan.Call = "p"
	for _, p := range []planning.Payload{
		planning.ModelMessage{Calls: []planning.ToolCall{{ID: "p", Name: "submit_plan", Arguments: "{}"}}, Seen: s.Seq},
		plan, planning.RunParked{Wait: planning.WaitReview},
	} {
		if s, err = log.Append(t.Context(), id, s.Seq, planning.Event{Actor: planning.System, Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := s.Plan()
	return p
}

// rewrite is an edit of the plan's step by somebody who sees it as it is.
func rewrite(s planning.State) review.NewEdit {
	p, _ := s.Plan()
	for _, block := range p.Blocks {
		if block.Kind == document.Step {
			return review.NewEdit{Op: planning.EditRewrite, Version: p.Version, Step: block.ID, Base: p.SHA256, Markdown: "## Step 1: Edit b.txt\n\nEdit that.\n"}
		}
	}
	return review.NewEdit{}
}

// whatRuns says who was first, and fails if what was approved is not what was
// seen.
func whatRuns(t *testing.T, log planning.Log, id, seen string) string {
	t.Helper()
	records, err := log.Records(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var s planning.State
	edited, outcome := false, "rewritten first"
	for _, r := range records {
		payload, err := r.Payload()
		if err != nil {
			t.Fatal(err)
		}
		switch p := payload.(type) {
		case planning.StepEdited:
			edited = true
		case planning.ReviewDecided:
			plan, _ := s.Plan()
			if edited || p.SHA256 != seen || plan.SHA256 != seen {
				t.Errorf("%s: %s runs, %s was seen", id, plan.SHA256, seen)
			}
			outcome = "approved first"
		}
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	return outcome
}
