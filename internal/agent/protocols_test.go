package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/anthropic"
	"countersign/internal/agent/llm/fakeanthropic"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

// claude is a bench whose model speaks Anthropic's protocol.
func claude(t *testing.T, turns ...fakeanthropic.Turn) (*bench, *fakeanthropic.Server) {
	b := newBench(t)
	s := fakeanthropic.New(t, turns...)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := anthropic.New(anthropic.Config{Model: "claude-x", BaseURL: s.URL, APIKey: "k", Client: &http.Client{Transport: transport}, IdleTimeout: 2 * time.Second})
	b.agent.Models = func(string) (agent.Model, error) { return c, nil }
	return b, s
}

// as is a scripted call for the other protocol.
func as(calls ...fakeopenai.Call) fakeanthropic.Turn {
	var list []fakeanthropic.Call
	for _, c := range calls {
		list = append(list, fakeanthropic.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	turn := fakeanthropic.Calls(list...)
	turn.Piece = 1
	return turn
}

// todo is a call that moves the list.
func todo(id, status string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "update_plan", Arguments: map[string]any{
		"merge": true, "steps": []map[string]string{{"step": "Write it down", "status": status}},
	}}
}

// wholeSession are the turns of a session from the plan, which is sent back
// once, to its execution.
func wholeSession() [][]fakeopenai.Call {
	read := func(id string) fakeopenai.Call {
		return fakeopenai.Call{ID: id, Name: "read_file", Arguments: map[string]any{"path": "a.txt"}}
	}
	return [][]fakeopenai.Call{
		{read("r1"), todo("t0", "pending")}, {submit("p1")}, {submit("p2")},
		{todo("t1", "in_progress"), read("r2")}, {writeFile("w", "a.txt", "new\n")}, {todo("t2", "completed")},
	}
}

// play takes the session through review and execution.
func play(b *bench) planning.State {
	b.file("a.txt", "old\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictRequestChanges, "Shorter, please.")
	b.until("the second version", func(s planning.State) bool {
		return len(s.Plans) == 2 && s.InReview() && s.Run.Phase != planning.PhaseRunning
	})
	b.verdict(planning.VerdictApprove, "")
	return b.rests(planning.StatusDone)
}

// sent is what the byte comparison sees of a request.
type sent struct{ mode, cached, all, last string }

// comparePrefixes: each request begins with all that the one before left in the
// cache, but where the mode changed; and the list is there once, at the end.
func comparePrefixes(t *testing.T, requests []sent) {
	t.Helper()
	broken := 0
	for i, r := range requests {
		if i > 0 && requests[i-1].mode != r.mode {
			broken++
		} else if i > 0 && !strings.HasPrefix(r.all, requests[i-1].cached) {
			t.Errorf("request %d does not begin as the one before:\n%s\n\n%s", i, requests[i-1].cached, r.all)
		}
		if n := strings.Count(r.all, "Current to-do list:"); i > 0 && (n != 1 || !strings.Contains(r.last, "Current to-do list:")) || strings.Contains(r.cached, "Current to-do list:") {
			t.Errorf("request %d: the list is there %d times, at the end %q", i, n, r.last)
		}
	}
	if broken != 1 {
		t.Errorf("the prefix changed with the mode %d times", broken)
	}
}

func TestProtocols_T7_P8_AWholeSessionByAnthropic(t *testing.T) {
	for _, binds := range []bool{false, true} {
		b, s := claude(t)
		s.Binds = binds
		for _, calls := range wholeSession() {
			s.Add(as(calls...))
		}
		s.Add(fakeanthropic.Text("done"))
		b.agent.Price = func(model string, u planning.Usage) (int64, bool) { return u.Tokens(), model == "openai:x" }
		state := play(b)
		if b.text("a.txt") != "new\n" || len(state.Plans) != 2 {
			t.Errorf("a.txt is %q after %d versions", b.text("a.txt"), len(state.Plans))
		}
		var requests []sent
		for i, r := range s.Requests() {
			data, err := json.Marshal(r.Body.Messages[len(r.Body.Messages)-1])
			if err != nil {
				t.Fatal(err)
			}
			whole := r.CachedPrefix() + string(data)
			requests = append(requests, sent{mode: r.System() + strings.Join(r.ToolNames(), " "), cached: r.CachedPrefix(), all: r.CachedPrefix(), last: r.Last()})
			if n := strings.Count(whole, "Current to-do list:"); i > 0 && n != 1 || strings.Count(string(r.Raw), "Current to-do list:") > 1 {
				t.Errorf("request %d has the list %d times", i, n)
			}
			requests[i].all += r.Last()
		}
		if !binds { // dropping what no longer fits changes the conversation, and so the cache
			comparePrefixes(t, requests)
		}
		if u := state.Usage; u.Cached == 0 || u.Cost != u.Tokens() || !u.Priced || u.CachedShare() < 30 {
			t.Errorf("usage %+v", u)
		}
	}
}

func TestProtocols_T7_P8_AWholeSessionByOpenAI(t *testing.T) {
	b := newBench(t)
	for _, calls := range wholeSession() {
		b.model.Add(fakeopenai.Turn{Calls: calls, Piece: 1, Usage: &fakeopenai.Usage{Prompt: 100, Completion: 10, Cached: 40}})
	}
	b.model.Add(fakeopenai.Text("done"))
	state := play(b)
	if u := state.Usage; u.Input != 600 || u.Cached != 240 || u.Priced {
		t.Errorf("usage %+v", u)
	}
	var requests []sent
	for i, r := range b.model.Requests() {
		raw := string(r.Raw)
		a := sent{mode: r.System() + strings.Join(r.ToolNames(), " "), all: raw, cached: strings.TrimSuffix(raw, "]}"), last: r.Last().Content}
		if i > 0 { // without the list, which is the last message
			a.cached = raw[:strings.LastIndex(raw, `,{"role":"user","content":`)]
		}
		requests = append(requests, a)
	}
	comparePrefixes(t, requests)
}

// Whatever happens to a request, the page says it in one sentence, and Resume
// goes on with nothing lost and nothing done twice.
func TestProtocols_S7_ResumeAfterEveryError(t *testing.T) {
	for name, test := range map[string]struct {
		turn fakeanthropic.Turn
		says string
	}{
		"401":                  {fakeanthropic.Turn{Status: 401, Type: "authentication_error", Error: "no"}, "Check ANTHROPIC_API_KEY."},
		"403":                  {fakeanthropic.Turn{Status: 403, Type: "permission_error", Error: "no"}, "does not allow this key"},
		"404":                  {fakeanthropic.Turn{Status: 404, Type: "not_found_error", Error: "model"}, `knows no model "claude-x"`},
		"413":                  {fakeanthropic.Turn{Status: 413, Type: "request_too_large", Error: "big"}, "too large"},
		"429":                  {fakeanthropic.Turn{Status: 429, Type: "rate_limit_error", Error: "slow", Header: map[string]string{"Retry-After": "0"}}, "asks to slow down"},
		"500":                  {fakeanthropic.Turn{Status: 500, Type: "api_error", Error: "oops"}, "a fault of its own"},
		"529":                  {fakeanthropic.Turn{Status: 529, Type: "overloaded_error", Error: "Overloaded"}, "overloaded"},
		"cut":                  {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "half a mess"}}, Cut: true}, "broke in the middle"},
		"stalled":              {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "half a mess"}}, Stall: true}, "nothing has come for"},
		"HTML":                 {fakeanthropic.Turn{Body: "<html>"}, "a web page instead"},
		"JSON":                 {fakeanthropic.Turn{Frame: "{not"}, "can't be read"},
		"nothing but thinking": {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Think: "hm"}}, Stop: "max_tokens"}, "used up its tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := claude(t, as(submit("p")), as(writeFile("w", "a.txt", "new\n"), shell("c", "echo run >> log.txt")))
			b.agent.Settings.Tries = 2
			b.file("a.txt", "old\n")
			b.begin(planning.ModePlan)
			b.rests(planning.StatusInReview)
			s.Add(test.turn, test.turn)
			if name == "413" { // a summary of it is asked for, of all and then of less
				s.Add(test.turn, test.turn)
			}
			b.verdict(planning.VerdictApprove, "")
			b.until("the question about the command", func(st planning.State) bool { return len(st.OpenPermissions()) == 1 })
			b.answer(planning.AnswerOnce, "")
			failed := b.rests(planning.StatusFailed)
			if !strings.Contains(failed.Run.Message, test.says) || strings.Count(failed.Run.Message, "\n") > 0 {
				t.Errorf("the page says %q, want %q", failed.Run.Message, test.says)
			}
			for s.Left() > 0 {
				s.Take(fakeanthropic.Request{})
			}
			s.Add(fakeanthropic.Text("done"))
			b.resume()
			b.rests(planning.StatusDone)
			if b.text("a.txt") != "new\n" || b.text("log.txt") != "run\n" {
				t.Errorf("a.txt %q, log.txt %q", b.text("a.txt"), b.text("log.txt"))
			}
			for _, m := range recordsOf[planning.ModelMessage](b) {
				if strings.Contains(m.Text, "half") {
					t.Error("half a message entered the log")
				}
			}
		})
	}
}

// A call of a tool that isn't there, and arguments that don't fit, are told to
// the model, which makes it good; 64 calls in a turn each have their result.
func TestProtocols_T9_TheModelRepairsItsCalls(t *testing.T) {
	var many []fakeopenai.Call
	for i := range 64 {
		many = append(many, fakeopenai.Call{ID: fmt.Sprintf("r%d", i), Name: "read_file", Arguments: map[string]any{"path": "a.txt"}})
	}
	b, s := claude(t,
		as(fakeopenai.Call{ID: "u", Name: "fly", Arguments: "{}"}, fakeopenai.Call{ID: "x", Name: "read_file", Arguments: `{"path":7}`}, fakeopenai.Call{ID: "y", Name: "read_file", Arguments: `{"path":`}),
		as(many...), as(submit("p")))
	b.file("a.txt", "hello\n")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	requests := s.Requests()
	for call, want := range map[string]string{"u": "There is no tool named", "x": "path", "y": "JSON"} {
		if got := requests[1].Results(call); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", call, got)
		}
	}
	for i := range 64 {
		if got := requests[2].Results(fmt.Sprintf("r%d", i)); len(got) != 1 || !strings.Contains(got[0], "hello") {
			t.Fatalf("call %d: %q", i, got)
		}
	}
}
