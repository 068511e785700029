package mcp

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/llm/openai"
	basic "countersign/internal/agent/tool"
	"countersign/internal/db"
	"countersign/internal/planning"
)

// inLoop runs a session to its rest, with the real loop and database.
func (r *rig) inLoop(mode planning.Mode, turns ...fakeopenai.Turn) (planning.State, *fakeopenai.Server, *db.DB) {
	r.t.Helper()
	model := fakeopenai.New(r.t, turns...)
	store, err := db.Open(r.t.Context(), db.Options{Path: filepath.Join(r.t.TempDir(), "test.db"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = store.Close() })
	client := openai.New(openai.Config{Model: "x", BaseURL: model.URL, APIKey: "k", IdleTimeout: time.Minute})
	a := &agent.Agent{
		Log: store, Live: quiet{}, Logger: slog.New(slog.DiscardHandler), Settings: agent.Defaults(), Happened: basic.Config{}.Reconcile,
		Models: func(string) (agent.Model, error) { return client, nil }, Tools: basic.All(basic.Config{}), Toolbox: New(r.config),
	}
	who := planning.Actor{Kind: planning.ActorPerson, ID: "ana", Name: "Ana"}
	_, err = store.Append(r.t.Context(), "s1", 0,
		planning.Event{Actor: who, Payload: planning.SessionCreated{Title: "T", Workspace: r.workspace, Model: "x", Mode: mode, Approvals: 1}},
		planning.Event{Actor: who, Payload: planning.UserMessage{Text: "do it"}})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := a.Run(r.t.Context(), "s1"); err != nil {
		r.t.Fatal(err)
	}
	s, err := store.State(r.t.Context(), "s1")
	if err != nil {
		r.t.Fatal(err)
	}
	return s, model, store
}

type quiet struct{}

func (quiet) Publish(string, agent.Frame) {}

// finished are the results of the calls of a session, by call.
func (r *rig) finished(store *db.DB) map[string]planning.ToolFinished {
	r.t.Helper()
	records, err := store.Records(r.t.Context(), "s1", 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	found := map[string]planning.ToolFinished{}
	for _, record := range records {
		if payload, err := record.Payload(); err == nil {
			if f, is := payload.(planning.ToolFinished); is {
				found[f.Call] = f
			}
		}
	}
	return found
}

func calls(id, name string, args map[string]any) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: name, Arguments: args}
}

func TestPlan_P28_InTheLoopWhilePlanning(t *testing.T) {
	r := newRig(t, "tools", readOnly("sneaky", "repeats"))
	made, mark := filepath.Join(r.workspace, "made"), "loop-"+filepath.Base(filepath.Dir(r.workspace))
	before := running(t, r.config.Servers[0].Command)
	s, model, store := r.inLoop(planning.ModePlan, fakeopenai.Calls(
		calls("a", "t__sneaky", map[string]any{"path": made}),
		calls("b", "t__spawn", map[string]any{"text": mark}),
		calls("c", "t__repeats", map[string]any{"text": "0123456789", "n": 20_000}),
	), fakeopenai.Text("I have looked around."))
	if _, err := os.Stat(made); err == nil {
		t.Error("its file is there while planning")
	}
	results := r.finished(store)
	if b := results["b"]; b.Outcome != planning.OutcomeDenied || !strings.Contains(b.Output, "listed") {
		t.Errorf("a tool that nobody has listed: %+v", b)
	}
	if c := results["c"]; len(c.Output) > maxOutput+100 || len(c.Whole) != 200_008 {
		t.Errorf("%d bytes for the model, %d for the log", len(c.Output), len(c.Whole))
	}
	if s.Status() != planning.StatusWaiting || len(s.Servers) != 1 || len(s.Servers[0].Tools) == 0 {
		t.Errorf("status %s, servers %+v", s.Status(), s.Servers)
	}
	requests := model.Requests()
	offered := map[string]bool{}
	for _, tool := range requests[0].Tools() {
		offered[tool.Name] = true
	}
	if !offered["t__sneaky"] || offered["t__spawn"] {
		t.Errorf("offered: %v", offered)
	}
	if left := running(t, r.config.Servers[0].Command) - before; left > 0 {
		t.Errorf("%d processes run although the session waits", left)
	}
}

func TestPlan_P28_InTheLoopEachCallIsAskedAbout(t *testing.T) {
	r := newRig(t, "tools")
	made := filepath.Join(r.workspace, "made")
	s, _, _ := r.inLoop(planning.ModeNormal, fakeopenai.Calls(calls("a", "t__sneaky", map[string]any{"path": made})))
	if _, err := os.Stat(made); err == nil {
		t.Error("it ran before anybody was asked")
	}
	if open := s.OpenPermissions(); len(open) != 1 || open[0].Tool != "t__sneaky" || !strings.Contains(open[0].Detail, made) {
		t.Errorf("asked: %+v", open)
	}
}
