package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"

	"go.uber.org/goleak"
)

// The tests here are rows of what must hold when something breaks; see also
// internal/db. Each says its figures as an attribute.

// many is how often a fault is tried: a few times in every run of the tests,
// often in the long form.
func many(short, long int) int {
	if os.Getenv("FAULTS") == "long" {
		return long
	}
	return short
}

func figures(t *testing.T, format string, args ...any) {
	t.Attr("figures", fmt.Sprintf(format, args...))
}

// TestFault_14_ManyApprovalsAtOnce: however many people approve in the same
// moment, there is one decision and one run.
func TestFault_14_ManyApprovalsAtOnce(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Calls(writeFile("w", "a.txt", "new\n")), fakeopenai.Text("done"))
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	s := b.rests(planning.StatusInReview)
	p, _ := s.Plan()
	people := many(200, 1000)
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
	figures(t, "%d approvals at once: %d event, %d run", people, decided, runs)
}

// TestFault_15_ApproveAgainstRewrite: an approval and a rewrite at the same
// moment never let another text run than the one that was approved.
func TestFault_15_ApproveAgainstRewrite(t *testing.T) {
	store, err := db.Open(t.Context(), db.Options{Path: filepath.Join(t.TempDir(), "test.db"), Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rounds, first := many(150, 10_000), map[string]int{}
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
	figures(t, "%d interleavings, never another hash (%v)", rounds, first)
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

// crashing is a log that the process ends at: the nth append from now is the
// last thing that happens, or does not happen any more.
type crashing struct {
	planning.Log
	left     atomic.Int64
	recorded bool // the last append still reaches the disk, and nobody hears of it
	ended    func()
}

var errCrashed = errors.New("the process has ended")

func (c *crashing) Append(ctx context.Context, session string, after int64, events ...planning.Event) (planning.State, error) {
	left := c.left.Add(-1)
	if left <= 0 {
		defer c.ended()
	}
	if left < 0 || left == 0 && !c.recorded {
		return planning.State{}, errCrashed
	}
	s, err := c.Log.Append(ctx, session, after, events...)
	if left == 0 {
		return planning.State{}, errCrashed
	}
	return s, err
}

// TestFault_16_CrashBetweenApprovalAndFirstWrite: wherever the process ends
// after the approval, the command of the plan runs once, or people are told
// that nobody knows whether it did; it never runs twice.
func TestFault_16_CrashBetweenApprovalAndFirstWrite(t *testing.T) {
	points, once, asked := 0, 0, 0
	for _, recorded := range []bool{false, true} {
		for n := int64(1); ; n++ {
			runs, unknown, crashed := crashAt(t, n, recorded)
			if !crashed {
				break
			}
			points++
			switch {
			case runs > 1:
				t.Errorf("at append %d (recorded: %v) it ran %d times", n, recorded, runs)
			case unknown:
				asked++
			case runs == 1:
				once++
			default:
				t.Errorf("at append %d (recorded: %v) it never ran, and nobody was told", n, recorded)
			}
		}
	}
	if points < 8 {
		t.Errorf("only %d points", points)
	}
	figures(t, "%d points: ran once at %d, outcome said to be unknown at %d, never twice", points, once, asked)
}

// crashAt approves a plan with one command, crashes at the nth append, starts
// again and goes on.
func crashAt(t *testing.T, n int64, recorded bool) (runs int, unknown, crashed bool) {
	const command = "echo run >> a.txt"
	b := newBench(t, fakeopenai.Calls(fakeopenai.Call{ID: "p", Name: "submit_plan", Arguments: map[string]any{
		"plan": "# Change a\n\n1. Edit a.txt\n", "files": []string{"a.txt"}, "commands": []string{command},
	}}), fakeopenai.Calls(shell("c", command)))
	b.file("a.txt", "")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.model.Otherwise(fakeopenai.Text("done"))
	log := &crashing{Log: b.db, recorded: recorded, ended: func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moved.Broadcast()
	}}
	log.left.Store(n)
	b.agent.Log = log
	ended := make(chan struct{})
	go func() { // until it is done, or can record nothing more
		defer close(ended)
		b.mu.Lock()
		defer b.mu.Unlock()
		for log.left.Load() > 0 && b.latest.Status() != planning.StatusDone {
			b.moved.Wait()
		}
	}()
	b.verdict(planning.VerdictApprove, "")
	<-ended
	if log.left.Load() > 0 {
		b.agent.Log = b.db
		return strings.Count(b.text("a.txt"), "run"), false, false
	}
	s := b.restart()
	asked := false
	for _, m := range recordsOf[planning.ModelMessage](b) {
		asked = asked || len(m.Calls) == 1 && m.Calls[0].ID == "c"
	}
	if !asked && len(b.model.Requests()) > 1 {
		b.model.Add(fakeopenai.Calls(shell("c", command)))
	}
	if s.Status() == planning.StatusPaused {
		b.resume()
	}
	b.rests(planning.StatusDone)
	for _, f := range recordsOf[planning.ToolFinished](b) {
		unknown = unknown || f.Call == "c" && f.Outcome == planning.OutcomeUnknown
	}
	return strings.Count(b.text("a.txt"), "run"), unknown, true
}

// TestFault_18_TheModelMisbehaves: each ends in one clear event, from which one
// can go on, and in no goroutine that is left.
func TestFault_18_TheModelMisbehaves(t *testing.T) {
	cases := map[string]fakeopenai.Turn{
		"hangs":         {Text: "half", Stall: true},
		"500":           {Status: http.StatusInternalServerError, Error: "boom"},
		"half a stream": {Text: "half", Cut: true},
		"10 MB call":    fakeopenai.Calls(writeFile("w", "a.txt", strings.Repeat("x", 10<<20))),
		"wrong JSON":    {Text: "half", Frame: `{"choices":[`},
	}
	for name, turn := range cases {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Run("told", func(t *testing.T) {
				b := newBench(t)
				b.agent.Settings.Tries = 2
				b.model.Add(turn, turn)
				b.begin(planning.ModePlan)
				s := b.rests(planning.StatusFailed)
				if n := len(recordsOf[planning.RunFailed](b)); n != 1 || s.Run.Message == "" || strings.Contains(s.Run.Message, "\n") {
					t.Errorf("%d events: %q", n, s.Run.Message)
				}
				if n := len(recordsOf[planning.ModelMessage](b)); n != 0 {
					t.Errorf("%d messages entered the log", n)
				}
				for b.model.Left() > 0 {
					b.model.Take(fakeopenai.Request{})
				}
				b.model.Add(fakeopenai.Calls(submit("p")))
				b.resume()
				b.rests(planning.StatusInReview)
			})
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
	figures(t, "%d ways: one event each, resumed, no goroutine left", len(cases))
}
