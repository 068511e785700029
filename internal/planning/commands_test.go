package planning

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
)

var ana = Actor{Kind: ActorPerson, ID: "p1", Name: "Ana"}

// session folds payloads into a state, each of them caused by Ana.
func session(t *testing.T, payloads ...Payload) State {
	t.Helper()
	s, _ := recorded(t, payloads...)
	return s
}

func recorded(t testing.TB, payloads ...Payload) (State, []Record) {
	t.Helper()
	var records []Record
	for i, p := range payloads {
		r, err := NewRecord("x", int64(i+1), time.Unix(int64(i), 0), Event{ana, p})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	s, err := Fold(State{}, records...)
	if err != nil {
		t.Fatal(err)
	}
	return s, records
}

// apply adds events to a state.
func apply(t *testing.T, s State, events []Event) State {
	t.Helper()
	for _, e := range events {
		r, err := NewRecord(s.ID, s.Seq+1, time.Unix(s.Seq, 0), e)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func created(mode Mode) []Payload {
	return []Payload{
		SessionCreated{Title: "T", Workspace: "/w", Model: "builtin", Mode: mode, Approvals: 1},
		UserMessage{Text: "do it"},
	}
}

func TestPlan_P1_OnlyAPersonStartsPlanMode(t *testing.T) {
	idle := append(created(ModeNormal), ModelMessage{Text: "done"}, RunFinished{})
	s := session(t, idle...)
	events, err := Say(s, ana, "/plan rename it\nin all files")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, events)
	if s.Mode != ModePlan || !s.Unread || !s.Runnable() {
		t.Errorf("after /plan: mode %q, unread %v, runnable %v", s.Mode, s.Unread, s.Runnable())
	}
	m := events[0].Payload.(UserMessage)
	if m.Text != "rename it\nin all files" || m.Command != CommandPlan {
		t.Errorf("message = %+v", m)
	}
	for _, kind := range []Payload{ModelMessage{Text: "/plan x"}, TodoWritten{}, ToolFinished{Call: "c"}} {
		if after := apply(t, session(t, idle...), []Event{{Actor{Kind: ActorAgent}, kind}}); after.Mode != ModeNormal {
			t.Errorf("%s of the agent's changed the mode to %q", kind.Kind(), after.Mode)
		}
	}
}

func TestPlan_P22_ModeIsQueuedWhileATurnRuns(t *testing.T) {
	s := session(t, created(ModePlan)...)
	off, err := Say(s, ana, "/plan off")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, off)
	if s.Mode != ModePlan || s.Queued != ModeNormal {
		t.Fatalf("while a turn runs: mode %q, queued %q; want plan, normal", s.Mode, s.Queued)
	}
	back, err := Say(s, ana, "/plan go on")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, back)
	if s.Queued != "" {
		t.Errorf("after the reversal %q is still queued", s.Queued)
	}
	for _, e := range append(off, back...) {
		if e.Payload.Kind() == KindModeChanged {
			t.Error("the reversal left a mode.changed event")
		}
	}
}

func TestPlan_P22_NotWhileAPlanIsInReview(t *testing.T) {
	s := session(t, append(created(ModePlan), PlanSubmitted{Version: 1, Markdown: "# T\n"}, RunParked{Wait: WaitReview})...)
	if _, err := Say(s, ana, "/plan off"); !fault.Is(err, fault.Conflict) {
		t.Errorf("error = %v, want a conflict", err)
	}
}

func TestSay_BadInput(t *testing.T) {
	s := session(t, created(ModeNormal)...)
	for text, code := range map[string]fault.Code{
		"": fault.Invalid, " \n": fault.Invalid, "/plan": fault.Invalid, "/plan ": fault.Invalid,
		"/plam x": fault.Invalid, "/plan off": fault.Conflict, "a\x00b": fault.Invalid, "\xff": fault.Invalid,
		strings.Repeat("x", MaxMessage+1): fault.TooLarge,
	} {
		if _, err := Say(s, ana, text); !fault.Is(err, code) {
			t.Errorf("Say(%.20q) = %v, want %s", text, err, code)
		}
	}
	if _, err := Say(s, ana, "/usr/bin is full"); err != nil {
		t.Errorf("a path is no command: %v", err)
	}
}

func TestPermission_FirstAnswerCounts(t *testing.T) {
	s := session(t, append(created(ModeNormal),
		ModelMessage{Calls: []ToolCall{{ID: "c1", Name: "shell"}}},
		PermissionAsked{ID: "p1", Call: "c1", Tool: "shell", Command: "make"}, RunParked{Wait: WaitPermission})...)
	if s.Runnable() || s.Status() != StatusWaiting {
		t.Fatalf("while asked: runnable %v, status %s", s.Runnable(), s.Status())
	}
	for _, bad := range []PermissionAnswer{"", "yes", "always"} {
		if _, err := AnswerPermission(s, ana, "p1", bad, ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("answer %q: %v", bad, err)
		}
	}
	events, err := AnswerPermission(s, ana, "p1", AnswerSession, "")
	if err != nil {
		t.Fatal(err)
	}
	s = apply(t, s, events)
	if !s.Runnable() || s.Calls[0].State != CallAllowed || !s.Grants().HasCommand("make") {
		t.Errorf("after the answer: runnable %v, call %s, grants %v", s.Runnable(), s.Calls[0].State, s.Grants())
	}
	if _, err := AnswerPermission(s, ana, "p1", AnswerRefuse, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("second answer: %v, want a conflict", err)
	}
}

func TestNewSession_BadInput(t *testing.T) {
	good := NewSession{Workspace: "/w", Model: "builtin", Task: "x", Mode: ModePlan, Approvals: 1}
	for name, change := range map[string]func(*NewSession){
		"task":      func(n *NewSession) { n.Task = " " },
		"title":     func(n *NewSession) { n.Title = strings.Repeat("x", MaxTitle+1) },
		"mode":      func(n *NewSession) { n.Mode = "" },
		"approvals": func(n *NewSession) { n.Approvals = 0 },
	} {
		n := good
		change(&n)
		_, err := n.Events(ana)
		if f, ok := fault.As(err); !ok || f.Field != name {
			t.Errorf("%s: error %v is not about that field", name, err)
		}
	}
	good.Task = strings.Repeat("long ", 40) + "\nmore"
	events, err := good.Events(ana)
	if title := events[0].Payload.(SessionCreated).Title; err != nil || len([]rune(title)) != 80 {
		t.Errorf("title %q has %d characters, error %v", title, len([]rune(title)), err)
	}
}

func TestSession_S6_UnknownEventsAreKeptAndSkipped(t *testing.T) {
	s := session(t, created(ModePlan)...)
	for i, r := range []Record{
		{Kind: "weather.changed", Version: 1, Data: []byte(`{"rain":true}`)},
		{Kind: KindTodoWritten, Version: FormatVersion + 1, Data: []byte(`{"items":"in another form"}`)},
	} {
		r.Session, r.Seq = s.ID, s.Seq+1
		next, err := s.Apply(r)
		if err != nil || next.Seq != s.Seq+1 || len(next.Todos) != 0 {
			t.Fatalf("record %d: seq %d, todos %v, error %v", i, next.Seq, next.Todos, err)
		}
		s = next
	}
	if _, err := s.Apply(Record{Session: s.ID, Seq: s.Seq + 2, Kind: KindRunResumed}); err == nil {
		t.Error("a gap in the log was accepted")
	}
	if _, err := s.Apply(Record{Session: s.ID, Seq: s.Seq + 1, Kind: KindTodoWritten, Version: 1, Data: []byte(`{`)}); err == nil {
		t.Error("a payload that can't be read was accepted")
	}
}

func TestHash_TextAndScopeCanNotBeConfused(t *testing.T) {
	seen := map[string]string{}
	for i, c := range []struct {
		markdown string
		scope    Scope
	}{
		{"# T", Scope{}}, {"# T\n", Scope{}}, {"# T", Scope{Files: []string{"a"}}}, {"# T", Scope{Commands: []string{"a"}}},
		{"# T", Scope{Files: []string{"a", "b"}}}, {"# T", Scope{Files: []string{"ab"}}}, {"# Ta", Scope{}},
		{"# T", Scope{Files: []string{"a"}, Commands: []string{"b"}}},
	} {
		h := Hash(c.markdown, c.scope)
		if other, clash := seen[h]; clash || len(h) != 64 {
			t.Errorf("case %d has the hash of %s", i, other)
		}
		seen[h] = fmt.Sprint("case ", i)
	}
}
