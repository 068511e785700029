package agent_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
	"countersign/internal/trial"

	"go.uber.org/goleak"
)

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
	trial.Figures(t, "%d points: ran once at %d, outcome said to be unknown at %d, never twice", points, once, asked)
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
	trial.Figures(t, "%d ways: one event each, resumed, no goroutine left", len(cases))
}
