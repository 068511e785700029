package agent_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/llm/openai"
	"countersign/internal/agent/sandbox"
	"countersign/internal/agent/tool"
	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/google/uuid"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	goleak.VerifyTestMain(m)
}

var (
	ana = review.Person{ID: "ana", Name: "Ana", Role: review.RoleApprover}
	bo  = review.Person{ID: "bo", Name: "Bo", Role: review.RoleApprover}
)

// bench is the real database, the real loop and the real tools; only the
// model's server is scripted.
type bench struct {
	t      *testing.T
	db     *db.DB
	path   string // of the database
	agent  *agent.Agent
	runner *agent.Runner
	model  *fakeopenai.Server
	dir    string // workspace
	id     string // session

	mu     sync.Mutex
	moved  *sync.Cond
	latest planning.State
	frames []agent.Frame
}

func newBench(t *testing.T, turns ...fakeopenai.Turn) *bench {
	t.Helper()
	b := &bench{t: t, model: fakeopenai.New(t, turns...), dir: t.TempDir(), path: filepath.Join(t.TempDir(), "test.db")}
	b.moved = sync.NewCond(&b.mu)
	t.Cleanup(func() { b.shutDown() })
	b.open()
	return b
}

// open starts database and runner, as the server does.
func (b *bench) open() {
	b.t.Helper()
	store, err := db.Open(b.t.Context(), db.Options{Path: b.path, Log: quiet()})
	if err != nil {
		b.t.Fatal(err)
	}
	settings := agent.Defaults()
	settings.Backoff = time.Millisecond
	settings.Reminders = 0 // scripts that leave a list unfinished are about something else
	settings.Policy.Layer = sandbox.Detect().Overlay
	client := openai.New(openai.Config{Model: "x", BaseURL: b.model.URL, APIKey: "k", IdleTimeout: 2 * time.Second})
	b.db = store
	b.agent = &agent.Agent{
		Log: store, Live: b, Logger: quiet(), Settings: settings, Happened: tool.Config{}.Reconcile,
		Models: func(string) (agent.Model, error) { return client, nil },
		Tools:  tool.All(tool.Config{Protected: []string{filepath.Dir(b.path)}, Held: b.held()}),
	}
	b.runner = agent.NewRunner(b.agent)
	store.SetOnCommit(func(s planning.State, _ []planning.Record) {
		b.runner.Notice(s)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.latest = s
		b.moved.Broadcast()
	})
}

// held is where the contents are that people are to decide on.
func (b *bench) held() string { return filepath.Join(filepath.Dir(b.path), "held") }

func (b *bench) shutDown() {
	b.model.Close()
	if err := b.runner.Stop(context.Background()); err != nil {
		b.t.Error(err)
	}
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// Publish implements agent.Live.
func (b *bench) Publish(_ string, f agent.Frame) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.frames = append(b.frames, f)
}

// begin starts a session in this mode.
func (b *bench) begin(mode planning.Mode) {
	b.t.Helper()
	b.beginWith(mode, "the task")
}

func (b *bench) beginWith(mode planning.Mode, task string) {
	b.t.Helper()
	events, err := planning.NewSession{
		Workspace: b.dir, Model: "openai:x", Task: task, Mode: mode, Approvals: 1,
	}.Events(ana.Actor())
	if err != nil {
		b.t.Fatal(err)
	}
	b.id = uuid.NewString()
	if _, err := b.db.Append(b.t.Context(), b.id, 0, events...); err != nil {
		b.t.Fatal(err)
	}
}

// do records what decide answers, as the web does.
func (b *bench) do(decide func(planning.State) ([]planning.Event, error)) planning.State {
	b.t.Helper()
	s, err := planning.Decide(b.t.Context(), b.db, b.id, decide)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) say(text string) {
	b.t.Helper()
	b.do(func(s planning.State) ([]planning.Event, error) { return planning.Say(s, ana.Actor(), text) })
}

func (b *bench) verdict(v planning.Verdict, note string) {
	b.t.Helper()
	b.do(func(s planning.State) ([]planning.Event, error) {
		p, _ := s.Plan()
		return review.Decide(s, ana, review.NewDecision{Version: p.Version, Verdict: v, SHA256: p.SHA256, Note: note})
	})
}

func (b *bench) answer(a planning.PermissionAnswer, reason string) {
	b.t.Helper()
	b.do(func(s planning.State) ([]planning.Event, error) {
		return planning.AnswerPermission(s, ana.Actor(), s.OpenPermissions()[0].ID, a, reason)
	})
}

// until waits for a commit after which ok holds, and returns that state. An
// unexpected failure of the run ends the test.
func (b *bench) until(what string, ok func(planning.State) bool) planning.State {
	b.t.Helper()
	late := time.AfterFunc(30*time.Second, func() { b.moved.Broadcast() })
	defer late.Stop()
	begun := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		s := b.latest
		if s.ID == b.id && ok(s) {
			return s
		}
		if time.Since(begun) > 29*time.Second {
			b.t.Fatalf("waited in vain for %s; status %s, run %+v", what, s.Status(), s.Run)
		}
		b.moved.Wait()
	}
}

// rests waits until the session waits for a person, is done or has failed.
func (b *bench) rests(want planning.Status) planning.State {
	b.t.Helper()
	return b.until(string(want), func(s planning.State) bool {
		return s.Status() == want && s.Run.Phase != planning.PhaseRunning
	})
}

func (b *bench) file(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// text returns what a file holds, or "(none)".
func (b *bench) text(name string) string {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return "(none)"
	}
	return string(data)
}

// records returns the payloads of one type, in order.
func recordsOf[P planning.Payload](b *bench) []P {
	b.t.Helper()
	var found []P
	for after := int64(0); ; {
		page, err := b.db.Records(context.Background(), b.id, after, 0)
		if err != nil {
			b.t.Fatal(err)
		}
		if len(page) == 0 {
			return found
		}
		for _, r := range page {
			after = r.Seq
			payload, err := r.Payload()
			if err != nil {
				b.t.Fatal(err)
			}
			if p, ok := payload.(P); ok {
				found = append(found, p)
			}
		}
	}
}

// results maps call ids to their results in the newest request, and fails if a
// call has none or several (T9).
func (b *bench) results() map[string]string {
	b.t.Helper()
	requests := b.model.Requests()
	got := map[string]string{}
	calls := 0
	for _, m := range requests[len(requests)-1].Messages() {
		calls += len(m.ToolCalls)
		if m.Role == "tool" {
			if _, twice := got[m.ToolCallID]; twice {
				b.t.Errorf("call %s has two results", m.ToolCallID)
			}
			got[m.ToolCallID] = m.Content
		}
	}
	if calls != len(got) {
		b.t.Errorf("%d calls have %d results", calls, len(got))
	}
	return got
}

func toolNames(r fakeopenai.Request) string {
	var names []string
	for _, t := range r.Tools() {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// submit is a call of submit_plan for a plan that may write a.txt.
func submit(id string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "submit_plan", Arguments: map[string]any{
		"plan": "# Change a\n\n1. Edit a.txt\n2. Check it\n", "files": []string{"a.txt"},
	}}
}

func writeFile(id, path, content string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "write_file", Arguments: map[string]any{"path": path, "content": content}}
}

func shell(id, command string) fakeopenai.Call {
	return fakeopenai.Call{ID: id, Name: "shell", Arguments: map[string]any{"command": command}}
}
