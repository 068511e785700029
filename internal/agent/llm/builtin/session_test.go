package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"countersign/internal/agent"
	"countersign/internal/agent/tool"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session drives the model as the loop does: it runs the calls of each turn
// with the real tools, and stops where a person is needed.
type session struct {
	t        *testing.T
	dir      string
	tools    map[string]agent.Tool
	messages []agent.Message
	todos    []planning.Todo
	offered  []string
	turns    int
	used     map[string]int // calls by tool

	// refuse, if set, refuses calls; an empty text lets one run.
	refuse func(planning.ToolCall) string
	// cut, if set, makes a call run but its result say that nobody knows.
	cut func(planning.ToolCall) bool
}

var (
	planTools = []string{"read_file", "list_dir", "glob", "grep", "update_plan", "submit_plan"}
	execTools = []string{"read_file", "list_dir", "glob", "grep", "write_file", "edit_file", "update_plan"}
)

// newSession starts planning in a folder with these files.
func newSession(t *testing.T, files map[string]string) *session {
	t.Helper()
	return sessionIn(t, workspace(t, files))
}

func sessionIn(t *testing.T, dir string) *session {
	s := &session{t: t, dir: dir, tools: map[string]agent.Tool{}, offered: planTools, used: map[string]int{}}
	for _, tool := range tool.All(tool.Config{}) {
		s.tools[tool.Spec().Name] = tool
	}
	return s
}

func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (s *session) file(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// say is a message of a person.
func (s *session) say(text string) {
	s.messages = append(s.messages, agent.Message{Role: agent.RoleUser, Text: text})
}

func (s *session) request() agent.Request {
	req := agent.Request{Messages: s.messages}
	for _, name := range s.offered {
		req.Tools = append(req.Tools, agent.ToolSpec{Name: name})
	}
	if len(s.todos) > 0 {
		marks := map[planning.TodoStatus]string{planning.TodoPending: " ", planning.TodoInProgress: ">", planning.TodoCompleted: "x"}
		text := todoHead
		for _, t := range s.todos {
			text += "[" + marks[t.Status] + "] " + t.Text + " (" + t.ID + ")\n"
		}
		req.Messages = append(append([]agent.Message(nil), s.messages...), agent.Message{Role: agent.RoleUser, Text: text, Passing: true})
	}
	return req
}

// turn takes one turn of the model into the conversation.
func (s *session) turn() agent.Message {
	s.t.Helper()
	m := agent.Message{Role: agent.RoleAssistant}
	stop := agent.Stop("")
	for d, err := range New().Stream(s.t.Context(), s.request()) {
		if err != nil {
			s.t.Fatal(err)
		}
		m.Text += d.Text
		if d.Call != nil {
			m.Calls = append(m.Calls, planning.ToolCall{ID: d.Call.ID, Name: d.Call.Name, Arguments: d.Call.Arguments})
		}
		stop = d.Stop
	}
	if stop != agent.StopEnd {
		s.t.Fatalf("the turn ended with %q", stop)
	}
	for _, before := range s.messages {
		for _, c := range before.Calls {
			for _, mine := range m.Calls {
				if c.ID == mine.ID {
					s.t.Fatalf("the id %s is used twice", c.ID)
				}
			}
		}
	}
	s.messages = append(s.messages, m)
	if s.turns++; s.turns > 600 {
		s.t.Fatal("it does not come to an end")
	}
	return m
}

// run goes on until the model says something without a call, or submits. It
// returns what it said last.
func (s *session) run() string {
	s.t.Helper()
	for {
		m := s.turn()
		submitted := false
		for _, c := range m.Calls {
			s.used[c.Name]++
			if c.Name == "submit_plan" {
				submitted = true
				continue // its result is the decision
			}
			s.result(c.ID, s.call(c))
		}
		if submitted || len(m.Calls) == 0 {
			return m.Text
		}
	}
}

type outcome struct {
	text   string
	failed bool
}

func (s *session) result(id string, o outcome) {
	s.messages = append(s.messages, agent.Message{Role: agent.RoleTool, CallID: id, Text: o.text, Failed: o.failed})
}

func (s *session) call(c planning.ToolCall) outcome {
	s.t.Helper()
	if s.refuse != nil {
		if why := s.refuse(c); why != "" {
			return outcome{why, true}
		}
	}
	if c.Name == "update_plan" {
		return s.updatePlan(c.Arguments)
	}
	tool := s.tools[c.Name]
	args := json.RawMessage(c.Arguments)
	if _, err := tool.Touch(args); err != nil {
		return outcome{err.Error(), true}
	}
	result, err := tool.Run(s.t.Context(), agent.Env{Workspace: s.dir, Call: c.ID, Ahead: ahead}, args)
	var no *agent.ToolError
	switch {
	case errors.As(err, &no):
		return outcome{no.Message, true}
	case err != nil:
		s.t.Fatal(err)
	case s.cut != nil && s.cut(c):
		return outcome{"The outcome is unknown: the server went down while this ran. It was not run again. Look at what is there before you go on.", true}
	}
	return outcome{result.Output, false}
}

func (s *session) updatePlan(args string) outcome {
	w, err := planning.ParseTodoWrite([]byte(args))
	if err == nil {
		var next []planning.Todo
		if next, err = w.Write(s.todos, false); err == nil {
			s.todos = next
			return outcome{"ok", false}
		}
	}
	s.t.Errorf("update_plan was refused: %v", err)
	return outcome{err.Error(), true}
}

// plan is what was submitted last, after checking what holds for every plan.
func (s *session) plan() submitArgs {
	s.t.Helper()
	m := s.messages[len(s.messages)-1]
	if len(m.Calls) != 1 || m.Calls[0].Name != "submit_plan" {
		s.t.Fatalf("no plan was submitted: %q", m.Text)
	}
	var args submitArgs
	if err := json.Unmarshal([]byte(m.Calls[0].Arguments), &args); err != nil {
		s.t.Fatal(err)
	}
	if err := document.CheckPlan(args.Plan); err != nil {
		s.t.Fatalf("%v:\n%s", err, args.Plan)
	}
	return args
}

// steps are the texts of the plan's steps.
func steps(plan string) []string {
	var out []string
	doc := document.Parse(plan)
	for i, b := range doc.Blocks {
		if b.Kind == document.Step {
			out = append(out, doc.Text(i))
		}
	}
	return out
}

func titles(plan string) []string {
	var out []string
	for _, b := range document.Parse(plan).Blocks {
		if b.Kind == document.Step {
			out = append(out, b.Title)
		}
	}
	return out
}

// decide gives the submitted plan its result.
func (s *session) decide(result string) {
	s.t.Helper()
	s.plan()
	s.result(s.messages[len(s.messages)-1].Calls[0].ID, outcome{result, false})
}

// requestChanges sends the plan back with this letter behind its first line.
func (s *session) requestChanges(letter string) {
	s.t.Helper()
	s.decide("The plan was reviewed by Ana and Bo. Please change it and submit it again with submit_plan.\n\n" + letter + "\n")
}

// approve approves the plan, or the final text that reviewers made of it, and
// fills the to-do list from its steps.
func (s *session) approve(final string) {
	s.t.Helper()
	plan := s.plan().Plan
	text := "Approved by Ana and Bo. Carry out exactly this plan now.\n"
	if final != "" {
		plan = final
		text += "\nThe reviewers changed it. This is the final text:\n`````\n" + strings.TrimRight(final, "\n") + "\n`````\n"
	}
	text += "\nOnly these files may be changed: `" + strings.Join(s.plan().Files, "`, `") + "`\n"
	s.decide(text)
	p := planning.Plan{Markdown: plan}
	for i, b := range document.Parse(plan).Blocks {
		p.Blocks = append(p.Blocks, planning.Block{Block: b, ID: "s" + string(rune('0'+i%10)) + "x" + strings.Repeat("i", i/10)})
	}
	s.todos = planning.SeedTodos(s.todos, p)
	s.offered = execTools
}

func (s *session) done() (completed, all int) {
	return planning.State{Todos: s.todos}.TodoCounts()
}

func ahead(_ context.Context, _ ...planning.Payload) error { return nil }
