package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func readFile(id, path string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "read_file", Arguments: map[string]any{"path": path}}
}

// weighing is a turn of which the provider says how long its request was.
func weighing(tokens int64, t fakeopenai.Turn) fakeopenai.Turn {
	t.Usage = &fakeopenai.Usage{Prompt: tokens, Completion: 10}
	return t
}

// everyCallHasItsResult fails the test if a request has a call without one, or
// a result without its call (T9).
func everyCallHasItsResult(t *testing.T, r fakeopenai.Request) {
	t.Helper()
	open := map[string]int{}
	for _, m := range r.Messages() {
		for _, c := range m.ToolCalls {
			open[c.ID]++
		}
		if m.Role == "tool" {
			open[m.ToolCallID]--
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("call %s has %d results", id, 1-n)
		}
	}
}

func TestSession_S8_CompactedAtAShareOfTheWindow(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(submit("p")),
		fakeopenai.Calls(readFile("r1", "a.txt")),
		fakeopenai.Calls(createGoal("g", "green tests", 2)),
		weighing(110_000, fakeopenai.Calls(readFile("r2", "a.txt"))),
		weighing(110_100, fakeopenai.Text("THE SUMMARY")),
		weighing(9_000, fakeopenai.Text("done")),
		fakeopenai.Text("round 1"), fakeopenai.Text("round 2"))
	b.file("a.txt", "text of a")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	s := b.until("the end", func(s planning.State) bool {
		return s.Status() == planning.StatusDone && s.Goal.Rounds == 2
	})

	requests := b.model.Requests()
	ask, after := requests[4], requests[5]
	if last := ask.Last(); last.Role != "user" || !strings.Contains(last.Content, "summary") {
		t.Errorf("the summary is asked for with %q", last.Content)
	}
	if len(ask.Messages()) <= len(requests[3].Messages()) || len(ask.Tools()) != len(requests[3].Tools()) {
		t.Error("the request for the summary does not begin like the one before it")
	}
	first := after.Messages()[1] // behind the system prompt
	for _, want := range []string{"THE SUMMARY", "# Change a\n\n1. Edit a.txt\n2. Check it\n", "version 1, approved", "a.txt"} {
		if first.Role != "user" || !strings.Contains(first.Content, want) {
			t.Errorf("in the place of the older turns stands, without %q: %q", want, first.Content)
		}
	}
	everyCallHasItsResult(t, after)
	if got := after.Results("r2"); len(got) != 1 || !strings.Contains(got[0], "text of a") {
		t.Errorf("the newest turn came as %q", got)
	}
	if got := after.Results("r1"); len(got) != 0 {
		t.Errorf("an older turn is there as well: %q", got)
	}
	tail := after.Last().Content
	if !strings.HasPrefix(tail, "Current goal g1") || !strings.Contains(tail, "[ ] Edit a.txt") {
		t.Errorf("the request ends with %q", tail)
	}
	for _, m := range after.Messages()[:len(after.Messages())-1] {
		if strings.Contains(m.Content, "Current to-do list") {
			t.Error("the list is in the request twice")
		}
	}
	done := recordsOf[planning.ContextCompacted](b)
	if len(done) != 1 || done[0].Before < 110_000 || done[0].After >= done[0].Before || done[0].Messages == 0 || done[0].Asked {
		t.Errorf("recorded: %+v", done)
	}
	if len(recordsOf[planning.ToolFinished](b)) < 3 || s.Goal.Objective != "green tests" {
		t.Error("the log has lost something")
	}
}

func TestSession_S8_ALongTranscriptIsCompactedTwice(t *testing.T) {
	const turns = 1000
	n := 0
	b := newBench(t, fakeopenai.Calls(submit("p")), fakeopenai.Calls(createGoal("g", "green tests", 1)))
	b.agent.Settings.MaxTurns = 2 * turns
	b.agent.Window = func(string) int64 { return 32_000 }
	b.model.Otherwise(fakeopenai.Turn{From: func(r fakeopenai.Request) fakeopenai.Turn {
		everyCallHasItsResult(t, r)
		if strings.Contains(r.Last().Content, "summary of yours") {
			return fakeopenai.Text("THE SUMMARY")
		}
		if n++; n > turns {
			return fakeopenai.Text("done")
		}
		return fakeopenai.Turn{Text: strings.Repeat("thinking aloud ", 8), Calls: []fakeopenai.Call{readFile(fmt.Sprintf("r%d", n), "a.txt")}}
	}})
	b.file("a.txt", "text of a")
	b.begin(planning.ModePlan)
	b.rests(planning.StatusInReview)
	b.verdict(planning.VerdictApprove, "")
	for part := range int64(10) { // until waits for half a minute at most
		b.until("a tenth of it", func(s planning.State) bool { return s.Seq > part*turns/5 })
	}
	b.until("the end", func(s planning.State) bool { return s.Status() == planning.StatusDone && s.Goal.Rounds == 1 })

	done := recordsOf[planning.ContextCompacted](b)
	if len(done) != 2 {
		t.Errorf("compacted %d times, want 2: %+v", len(done), done)
	}
	requests := b.model.Requests()
	last := requests[len(requests)-1]
	if first := last.Messages()[1].Content; !strings.Contains(first, "THE SUMMARY") || !strings.Contains(first, "1. Edit a.txt") {
		t.Errorf("the last request begins with %q", first)
	}
	if tail := last.Last().Content; !strings.Contains(tail, "green tests") || !strings.Contains(tail, "[ ] Edit a.txt") {
		t.Errorf("and ends with %q", tail)
	}
	calls := 0
	for _, m := range recordsOf[planning.ModelMessage](b) {
		calls += len(m.Calls)
	}
	// The result of submit_plan is the decision. A request that came too late on
	// a slow machine was sent again, so there may be a few turns less.
	if results := len(recordsOf[planning.ToolFinished](b)); results != calls-1 || results < turns*9/10 {
		t.Errorf("the log has %d calls and %d results", calls, results)
	}
}

func TestSession_S8_AConversationThatDoesNotFit(t *testing.T) {
	tooLong := fakeopenai.Turn{Status: 400, Error: "prompt is too long: 210000 tokens > 200000 maximum"}
	b := newBench(t,
		fakeopenai.Calls(readFile("r1", "a.txt")), fakeopenai.Calls(readFile("r2", "a.txt")), fakeopenai.Calls(readFile("r3", "a.txt")),
		tooLong, tooLong, fakeopenai.Text("THE SUMMARY"), fakeopenai.Text("done"))
	b.file("a.txt", "text of a")
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusDone)
	requests := b.model.Requests()
	whole, half := len(requests[4].Messages()), len(requests[5].Messages())
	if half >= whole {
		t.Errorf("the summary was asked for with %d messages, and then with %d", whole, half)
	}
	everyCallHasItsResult(t, requests[5])
	if first := requests[5].Messages()[1]; first.Role != "user" {
		t.Errorf("half of the conversation begins with a message of the %s", first.Role)
	}
	if first := requests[6].Messages()[1].Content; !strings.Contains(first, "THE SUMMARY") {
		t.Errorf("after it the request begins with %q", first)
	}
}

func TestSession_S8_ByHand(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(readFile("r1", "a.txt")), fakeopenai.Calls(readFile("r2", "a.txt")), fakeopenai.Text("found it"),
		fakeopenai.Text("THE SUMMARY"), fakeopenai.Text("again"))
	b.file("a.txt", "text of a")
	b.begin(planning.ModeNormal)
	b.rests(planning.StatusDone)
	b.say("/compact")
	b.until("the compaction", func(s planning.State) bool { return !s.CompactAsked && s.Status() == planning.StatusDone })
	if done := recordsOf[planning.ContextCompacted](b); len(done) != 1 || !done[0].Asked || done[0].Upto == 0 {
		t.Fatalf("recorded: %+v", done)
	}
	b.restart()
	b.say("and now?")
	b.rests(planning.StatusDone)
	requests := b.model.Requests()
	last := requests[len(requests)-1]
	if len(requests) != 5 || !strings.Contains(last.Messages()[1].Content, "THE SUMMARY") || last.Last().Content != "and now?" {
		t.Errorf("%d requests; the last: %+v", len(requests), last.Messages())
	}
	b.say("/compact")
	b.model.Add(fakeopenai.Text("ANOTHER"))
	b.until("the second", func(s planning.State) bool { return !s.CompactAsked && s.Status() == planning.StatusDone })
}

// A summary that fails parks the session, and Resume asks for it again (S7).
func TestSession_S8_ASummaryThatFails(t *testing.T) {
	b := newBench(t,
		fakeopenai.Calls(readFile("r1", "a.txt")), weighing(120_000, fakeopenai.Calls(readFile("r2", "a.txt"))),
		fakeopenai.Turn{Status: 401, Error: "no"})
	b.file("a.txt", "text of a")
	b.begin(planning.ModeNormal)
	if s := b.rests(planning.StatusFailed); s.Run.Message == "" {
		t.Error("nothing is said about it")
	}
	b.model.Add(fakeopenai.Text("THE SUMMARY"), fakeopenai.Text("done"))
	b.resume()
	b.rests(planning.StatusDone)
	if done := recordsOf[planning.ContextCompacted](b); len(done) != 1 {
		t.Errorf("compacted %d times", len(done))
	}
}
