package agent_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// restart ends the runner and the database as a crash would leave them, and
// opens both again with the sessions put at rest, as the server does at start.
func (b *bench) restart() planning.State {
	b.t.Helper()
	if err := b.db.Close(); err != nil { // the run can record nothing more
		b.t.Fatal(err)
	}
	b.runner.Stop(b.t.Context()) // its error is that the log is closed
	b.open()
	if err := b.agent.Interrupt(b.t.Context(), b.id, "The server was restarted."); err != nil {
		b.t.Fatal(err)
	}
	s, err := b.db.State(b.t.Context(), b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) resume() {
	b.t.Helper()
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Resume(s, ana.Actor()) })
}

func TestSession_S4_RestartWhileInReview(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	before := b.rests(planning.StatusInReview)
	after := b.restart()
	if after.Status() != planning.StatusInReview || after.Seq != before.Seq {
		t.Fatalf("after the restart: %s at %d, before at %d", after.Status(), after.Seq, before.Seq)
	}
	b.verdict(planning.VerdictApprove, "")
	b.rests(planning.StatusDone)
}

func TestSession_S4_RestartWhileTheModelIsAsked(t *testing.T) {
	b := newBench(t, fakeopenai.Turn{Text: "half a mess", Stall: true})
	b.begin(planning.ModePlan)
	b.model.Await(1)
	s := b.restart()
	if s.Status() != planning.StatusPaused || !s.Run.Interrupted {
		t.Fatalf("after the restart: %s, %+v", s.Status(), s.Run)
	}
	if n := len(b.model.Requests()); n != 1 {
		t.Fatalf("%d requests: it ran on by itself", n)
	}
	b.model.Add(fakeopenai.Calls(submit("p")))
	b.resume()
	b.rests(planning.StatusInReview)
	for _, m := range recordsOf[planning.ModelMessage](b) {
		if strings.Contains(m.Text, "half") {
			t.Error("half a message entered the log")
		}
	}
}

func TestSession_S4_ACommandThatWasCutOffIsNotRunAgain(t *testing.T) {
	b := newBench(t)
	b.dir = t.TempDir()
	b.begin(planning.ModeNormal)
	b.model.Add(fakeopenai.Calls(shell("c", "echo run >> log.txt; sleep 600")))
	b.rests(planning.StatusWaiting)
	b.answer(planning.AnswerOnce, "")
	b.until("the command to start", func(s planning.State) bool {
		return len(s.Calls) == 1 && s.Calls[0].State == planning.CallStarted
	})
	s := b.restart()
	if s.Status() != planning.StatusPaused || s.Calls[0].State != planning.CallDone {
		t.Fatalf("after the restart: %s, call %s", s.Status(), s.Calls[0].State)
	}
	b.model.Add(fakeopenai.Text("done"))
	b.resume()
	b.rests(planning.StatusDone)
	if got := b.results()["c"]; !strings.Contains(got, "outcome is unknown") {
		t.Errorf("the result says %q", got)
	}
	if n := strings.Count(b.text("log.txt"), "run"); n > 1 {
		t.Errorf("the command ran %d times", n)
	}
}

func TestSession_S4_AWriteThatNeverHappenedIsTakenBack(t *testing.T) {
	b := approved(t)
	b.model.Otherwise(fakeopenai.Turn{Stall: true})
	b.model.Await(2)
	s := b.restart()
	// The log as a crash between announcement and write leaves it.
	events := []planning.Payload{
		planning.RunResumed{},
		planning.ModelMessage{Calls: []planning.ToolCall{{ID: "w", Name: "write_file", Arguments: `{"path":"a.txt","content":"new\n"}`}}, Seen: s.Seq},
		planning.ToolStarted{Call: "w", Name: "write_file", Summary: "a.txt"},
		planning.FileChanged{Call: "w", Path: "a.txt", Existed: true, Exists: true, Before: "old\n", After: "new\n", Added: 1, Removed: 1, InPlan: true},
	}
	b.db.SetOnCommit(func(planning.State, []planning.Record) {}) // nothing runs
	for _, p := range events {
		b.do(func(planning.State) ([]planning.Event, error) {
			return []planning.Event{{Actor: planning.System, Payload: p}}, nil
		})
	}
	b.restart()
	changes := recordsOf[planning.FileChanged](b)
	if len(changes) != 2 || changes[1].After != "old\n" || changes[1].Before != "new\n" {
		t.Errorf("changes in the log: %+v", changes)
	}
	if got := b.text("a.txt"); got != "old\n" {
		t.Errorf("a.txt = %q", got)
	}
}

func TestSession_S7_FailedRequests(t *testing.T) {
	temporary := map[string]fakeopenai.Turn{
		"500":         {Status: http.StatusInternalServerError, Error: "boom"},
		"429":         {Status: http.StatusTooManyRequests, Error: "slow down", Header: map[string]string{"Retry-After": "0"}},
		"cut":         {Text: "half", Cut: true},
		"stall":       {Text: "half", Stall: true},
		"broken JSON": {Text: "half", Frame: `{"choices":[`},
	}
	for name, turn := range temporary {
		t.Run(name+" is tried again", func(t *testing.T) {
			b := newBench(t, turn, turn, fakeopenai.Calls(submit("p")))
			b.begin(planning.ModePlan)
			b.rests(planning.StatusInReview)
			if m := recordsOf[planning.ModelMessage](b); len(m) != 1 || strings.Contains(m[0].Text, "half") {
				t.Errorf("messages in the log: %+v", m)
			}
			retries := 0
			for _, f := range b.frames {
				if f.Type == "retry" {
					retries++
				}
			}
			if retries != 2 {
				t.Errorf("%d retries were shown, want 2", retries)
			}
		})
	}
	t.Run("401 fails at once, with a sentence, and can be resumed", func(t *testing.T) {
		b := newBench(t, fakeopenai.Turn{Status: http.StatusUnauthorized, Error: "bad key"}, fakeopenai.Calls(submit("p")))
		b.begin(planning.ModePlan)
		s := b.rests(planning.StatusFailed)
		if s.Run.Message == "" || len(b.model.Requests()) != 1 {
			t.Errorf("message %q after %d requests", s.Run.Message, len(b.model.Requests()))
		}
		b.resume()
		b.rests(planning.StatusInReview)
	})
	t.Run("gives up at last", func(t *testing.T) {
		b := newBench(t)
		b.model.Otherwise(fakeopenai.Turn{Status: http.StatusServiceUnavailable, Error: "down"})
		b.begin(planning.ModePlan)
		b.rests(planning.StatusFailed)
		if n, want := len(b.model.Requests()), b.agent.Settings.Tries; n != want {
			t.Errorf("asked %d times, want %d", n, want)
		}
	})
}

func TestRun_PauseStopsAndResumeGoesOn(t *testing.T) {
	b := newBench(t, fakeopenai.Turn{Text: "thinking", Stall: true})
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Pause(s, ana.Actor()) })
	b.rests(planning.StatusPaused)
	b.say("one more thing")
	b.model.Add(fakeopenai.Calls(submit("p")))
	b.resume()
	b.rests(planning.StatusInReview)
	if last := b.model.Requests()[1].Last(); last.Content != "one more thing" {
		t.Errorf("the message sent while paused did not arrive: %q", last.Content)
	}
}

func TestRun_AMessageDuringATurnStandsBehindIt(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t,
		fakeopenai.Turn{From: func(fakeopenai.Request) fakeopenai.Turn {
			<-release
			return fakeopenai.Turn{Text: "looking", Calls: []fakeopenai.Call{{ID: "r", Name: "list_dir", Arguments: map[string]any{"path": "."}}}}
		}},
		fakeopenai.Calls(submit("p")))
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.say("wait, also this")
	close(release)
	b.rests(planning.StatusInReview)
	var roles []string
	for _, m := range b.model.Requests()[1].Messages() {
		roles = append(roles, m.Role)
	}
	if got := strings.Join(roles, " "); got != "system user assistant tool user" {
		t.Errorf("order of the second request: %s", got)
	}
}

func TestPlan_T9_APauseBesideASubmittedPlanLosesNothing(t *testing.T) {
	work := t.TempDir()
	b := newBench(t)
	b.dir = work
	b.model.Add(
		fakeopenai.Calls(submit("p"), shell("c", "sleep 600")),
		fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	b.until("the plan and the command", func(s planning.State) bool {
		return s.InReview() && s.Calls[1].State == planning.CallStarted
	})
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Pause(s, ana.Actor()) })
	b.until("the end of the command", func(s planning.State) bool { return s.Calls[1].State == planning.CallDone })
	b.verdict(planning.VerdictApprove, "")
	b.rests(planning.StatusDone)
	got := b.results()
	if !strings.HasPrefix(got["p"], "Approved by Ana.") || !strings.Contains(got["c"], "Stopped by a person") {
		t.Errorf("results: %q", got)
	}
}

func TestRun_AbandonStopsWhatRuns(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p"), shell("c", "sleep 600")))
	b.begin(planning.ModePlan)
	b.until("the command", func(s planning.State) bool {
		return s.InReview() && s.Calls[1].State == planning.CallStarted
	})
	b.verdict(planning.VerdictAbandon, "")
	b.until("its end", func(s planning.State) bool { return s.Calls[1].State == planning.CallDone })
	if n := len(b.model.Requests()); n != 1 {
		t.Errorf("%d requests after the end of the session", n)
	}
}

func TestPlan_P22_LeavingPlanModeBeforeThePlanComes(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t,
		fakeopenai.Turn{From: func(fakeopenai.Request) fakeopenai.Turn { <-release; return fakeopenai.Calls(submit("p")) }},
		fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	b.model.Await(1)
	b.say("/plan off")
	close(release)
	s := b.rests(planning.StatusDone)
	if len(s.Plans) != 0 || s.Mode != planning.ModeNormal || !strings.Contains(b.results()["p"], "ended plan mode") {
		t.Errorf("%d plans, mode %q, result %q", len(s.Plans), s.Mode, b.results()["p"])
	}
}

func TestPlan_P10_ACutTextIsNoPlan(t *testing.T) {
	b := newBench(t, fakeopenai.Turn{Text: "\n# Half a plan\n\n1. Ste", Finish: "length"}, fakeopenai.Text("\n\n# Whole\n\n1. Step\n"))
	b.begin(planning.ModePlan)
	if s := b.rests(planning.StatusWaiting); len(s.Plans) != 0 {
		t.Fatalf("half a plan is in review: %+v", s.Plans)
	}
	b.say("go on")
	b.rests(planning.StatusInReview)
}

// panicking is a model whose provider has a fault of its own.
type panicking struct{}

func (panicking) Stream(context.Context, agent.Request) iter.Seq2[agent.Delta, error] {
	panic("a fault in a provider")
}

func TestRun_APanicFailsOneSessionOnly(t *testing.T) {
	b := newBench(t)
	b.agent.Models = func(string) (agent.Model, error) { return panicking{}, nil }
	b.begin(planning.ModePlan)
	if s := b.rests(planning.StatusFailed); s.Run.Message == "" || strings.Contains(s.Run.Message, "panic") {
		t.Errorf("the session says %q", s.Run.Message)
	}
}
