package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/tool"
	"countersign/internal/planning"
)

func askUser(id string, questions ...map[string]any) fakeopenai.Call {
	if questions == nil {
		questions = []map[string]any{}
	}
	return fakeopenai.Call{ID: id, Name: "ask_user", Arguments: map[string]any{"questions": questions}}
}

var whichOne = map[string]any{"id": "which", "question": "Which one?", "options": []string{"A", "B"}}

// reply answers the open question.
func (b *bench) reply(answers ...planning.QuestionAnswer) {
	b.t.Helper()
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.AnswerQuestion(s, bo.Actor(), s.OpenInquiries()[0].ID, answers)
	})
}

func (b *bench) waitsFor(w planning.Wait) planning.State {
	b.t.Helper()
	return b.until("a wait for a "+string(w), func(s planning.State) bool {
		return s.Run.Phase == planning.PhaseParked && s.Run.Wait == w
	})
}

func TestQuestion_Q1_T9_TheAnswerIsTheResult(t *testing.T) {
	for _, mode := range []planning.Mode{planning.ModePlan, planning.ModeNormal} {
		t.Run(string(mode), func(t *testing.T) {
			b := newBench(t, fakeopenai.Calls(askUser("q", whichOne)), fakeopenai.Text("Thanks."))
			b.begin(mode)
			b.waitsFor(planning.WaitQuestion)
			if names := toolNames(b.model.Requests()[0]); !strings.Contains(names, "ask_user") {
				t.Errorf("it is not offered: %s", names)
			}
			const words = "Neither: “C”,\n\n*and* <b>."
			b.reply(planning.QuestionAnswer{ID: "which", Custom: words})
			b.until("the model's thanks", func(s planning.State) bool {
				return s.Run.Phase != planning.PhaseRunning && !s.ModelDue() && len(b.model.Requests()) == 2
			})
			if got := b.results()["q"]; !strings.Contains(got, words) || !strings.Contains(got, "Bo") {
				t.Errorf("the model gets %q", got)
			}
		})
	}
}

func TestQuestion_Q2_NobodyIsBothered(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(askUser("none")),
		fakeopenai.Calls(askUser("empty", map[string]any{"id": "a", "question": " "})),
		fakeopenai.Calls(askUser("ids", whichOne, whichOne)),
		fakeopenai.Calls(askUser("options", map[string]any{"id": "a", "question": "?", "options": []string{"x", "x"}})),
		fakeopenai.Text("done"))
	b.begin(planning.ModeNormal)
	s := b.rests(planning.StatusDone)
	if len(s.Inquiries) != 0 {
		t.Errorf("people were asked: %+v", s.Inquiries)
	}
	got := b.results()
	for id, want := range map[string]string{"none": "no question", "empty": "no text", "ids": "twice", "options": "twice"} {
		if !strings.Contains(got[id], want) {
			t.Errorf("%s: %q does not say %q", id, got[id], want)
		}
	}
}

func TestQuestion_Q3_ASubagentCanNotAsk(t *testing.T) {
	for _, one := range tool.All(tool.Config{}) {
		if one.Spec().Name != "ask_user" {
			continue
		}
		args := json.RawMessage(`{"questions":[{"id":"a","question":"Which?"}]}`)
		_, err := one.Run(t.Context(), agent.Env{Subagent: true}, args)
		if err == nil || !strings.Contains(err.Error(), "report") {
			t.Errorf("the error is %v", err)
		}
		if result, err := one.Run(t.Context(), agent.Env{}, args); err != nil || !result.Park {
			t.Errorf("the agent itself: %+v, %v", result, err)
		}
		return
	}
	t.Error("there is no ask_user")
}

func TestQuestion_Q5_SomethingElseInstead(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(askUser("q", whichOne)), fakeopenai.Text("I see."))
	b.begin(planning.ModeNormal)
	b.waitsFor(planning.WaitQuestion)
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.DismissQuestion(s, bo.Actor(), s.OpenInquiries()[0].ID)
	})
	b.waitsFor(planning.WaitMessage)
	b.restart() // it still waits for the message
	if n := len(b.model.Requests()); n != 1 {
		t.Fatalf("%d requests before the message", n)
	}
	b.say("It is another thing.")
	b.rests(planning.StatusDone)
	messages := b.model.Requests()[1].Messages()
	last := messages[len(messages)-1]
	if got := b.results()["q"]; !strings.Contains(got, "Not answered") || last.Role != "user" || last.Content != "It is another thing." {
		t.Errorf("result %q, then %s: %q", got, last.Role, last.Content)
	}
}

func TestQuestion_Q5_AMessageGoesAlong(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(askUser("q", whichOne)), fakeopenai.Text("I see."))
	b.begin(planning.ModeNormal)
	b.waitsFor(planning.WaitQuestion)
	b.say("Never mind, do A.")
	b.rests(planning.StatusDone)
	messages := b.model.Requests()[1].Messages()
	tool, said := messages[len(messages)-2], messages[len(messages)-1]
	if tool.Role != "tool" || !strings.Contains(tool.Content, "Not answered") || said.Content != "Never mind, do A." {
		t.Errorf("the model gets %+v and %+v", tool, said)
	}
	b.results()
}

func TestQuestion_P13_PlanOffLandsAfterTheAnswer(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(askUser("q", whichOne), writeFile("w", "a.txt", "x")), fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	b.waitsFor(planning.WaitQuestion)
	b.say("/plan off")
	s := b.waitsFor(planning.WaitQuestion)
	if s.Mode != planning.ModePlan || len(s.OpenInquiries()) != 1 {
		t.Fatalf("mode %s, %d open", s.Mode, len(s.OpenInquiries()))
	}
	b.reply(planning.QuestionAnswer{ID: "which", Selected: []string{"A"}})
	s = b.rests(planning.StatusDone)
	if got := b.results(); s.Mode != planning.ModeNormal || !strings.Contains(got["w"], "plan mode") || !strings.Contains(got["q"], "Chosen: A") {
		t.Errorf("mode %s, results %v", s.Mode, got)
	}
}

func TestQuestion_Q1_BesideAPlan(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(submit("p"), askUser("q", whichOne)), fakeopenai.Text("done"))
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	b.waitsFor(planning.WaitQuestion)
	b.reply(planning.QuestionAnswer{ID: "which", Selected: []string{"B"}})
	s := b.rests(planning.StatusDone)
	if got := b.results(); s.Mode != planning.ModeExecuting || !strings.Contains(got["p"], "Approved") || !strings.Contains(got["q"], "Chosen: B") {
		t.Errorf("mode %s, results %v", s.Mode, got)
	}
}

// A question outlives a server that is killed: it is asked once, answered once,
// and the answer goes to the model once.
func TestQuestion_Q6_S4_OutlivesARestart(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(askUser("q", whichOne)), fakeopenai.Text("Thanks."))
	b.begin(planning.ModeNormal)
	before := b.waitsFor(planning.WaitQuestion)
	b.restart()
	after, err := b.db.State(t.Context(), b.id)
	if err != nil || len(after.OpenInquiries()) != 1 || after.Seq != before.Seq || after.Run.Wait != planning.WaitQuestion {
		t.Fatalf("after the restart: %d open at %d, %+v, %v", len(after.OpenInquiries()), after.Seq, after.Run, err)
	}
	b.reply(planning.QuestionAnswer{ID: "which", Selected: []string{"A"}})
	b.rests(planning.StatusDone)
	if got := b.results()["q"]; !strings.Contains(got, "Chosen: A") {
		t.Errorf("the model gets %q", got)
	}
	if n := len(recordsOf[planning.QuestionAsked](b)); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// While another call of the turn still runs, the session can be paused; the
// answer does not set it going.
func TestQuestion_Q1_AnswersWhilePaused(t *testing.T) {
	b := newBench(t, fakeopenai.Calls(askUser("q", whichOne)), fakeopenai.Text("Thanks."))
	b.begin(planning.ModeNormal)
	b.waitsFor(planning.WaitQuestion)
	b.do(func(planning.State) ([]planning.Event, error) {
		return []planning.Event{{Actor: ana.Actor(), Payload: planning.RunPaused{Reason: "Paused by Ana."}}}, nil
	})
	b.reply(planning.QuestionAnswer{ID: "which", Selected: []string{"A"}})
	if s := b.rests(planning.StatusPaused); s.ModelDue() == false || len(b.model.Requests()) != 1 {
		t.Fatalf("due %v after %d requests", s.ModelDue(), len(b.model.Requests()))
	}
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Resume(s, ana.Actor()) })
	b.rests(planning.StatusDone)
	b.results()
}
