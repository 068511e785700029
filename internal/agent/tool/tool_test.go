package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/sandbox"
	"countersign/internal/agent/sandbox/sandboxtest"
	"countersign/internal/planning"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(sandboxtest.Main(m.Run))
}

// desk is a workspace with the tools in front of it.
type desk struct {
	t      *testing.T
	dir    string
	config Config
	env    agent.Env
	ahead  []planning.Payload // what was recorded before it was done
}

// newDesk makes a workspace; a name with a slash at its end is a folder.
func newDesk(t *testing.T, files map[string]string) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	for name, text := range files {
		d.put(name, text)
	}
	d.env = agent.Env{Session: "s", Call: "c1", Workspace: d.dir}
	d.env.Ahead = func(_ context.Context, p ...planning.Payload) error {
		d.ahead = append(d.ahead, p...)
		return nil
	}
	d.env.State.Mode = planning.ModeExecuting
	return d
}

func (d *desk) put(name, text string) {
	d.t.Helper()
	full := filepath.Join(d.dir, name)
	if strings.HasSuffix(name, "/") {
		d.must(os.MkdirAll(full, 0o755))
		return
	}
	d.must(os.MkdirAll(filepath.Dir(full), 0o755))
	d.must(os.WriteFile(full, []byte(text), 0o644))
}

func (d *desk) get(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return "(missing)"
	}
	d.must(err)
	return string(b)
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) tool(name string) agent.Tool {
	d.t.Helper()
	for _, tool := range All(d.config) {
		if tool.Spec().Name == name {
			return tool
		}
	}
	d.t.Fatalf("no tool %q", name)
	return nil
}

type args map[string]any

func (d *desk) try(name string, a args) (agent.Result, error) {
	d.t.Helper()
	raw, err := json.Marshal(a)
	d.must(err)
	return d.tool(name).Run(d.t.Context(), d.env, raw)
}

// call expects success.
func (d *desk) call(name string, a args) agent.Result {
	d.t.Helper()
	r, err := d.try(name, a)
	if err != nil {
		d.t.Fatalf("%s %v: %v", name, a, err)
	}
	return r
}

// refused expects an error for the model and returns it.
func (d *desk) refused(name string, a args) string {
	d.t.Helper()
	r, err := d.try(name, a)
	var no *agent.ToolError
	if !errors.As(err, &no) {
		d.t.Fatalf("%s %v: got %+v, %v; want a refusal", name, a, r, err)
	}
	return no.Message
}

// contains checks a text for parts that it must have, in this order.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, p := range parts {
		_, after, found := strings.Cut(rest, p)
		if !found {
			t.Errorf("no %q (in this order) in: %s", p, text)
			return
		}
		rest = after
	}
}

func TestAll_SpecsAreSound(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range All(Config{}) {
		s := tool.Spec()
		if seen[s.Name] || s.Name == "" || s.Description == "" {
			t.Errorf("name or description of %q", s.Name)
		}
		seen[s.Name] = true
		var schema struct {
			Type       string
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(s.Parameters, &schema); err != nil || schema.Type != "object" || len(schema.Properties) == 0 {
			t.Errorf("schema of %s: %v: %s", s.Name, err, s.Parameters)
		}
		for _, r := range schema.Required {
			if schema.Properties[r] == nil {
				t.Errorf("%s requires %q, which it does not describe", s.Name, r)
			}
		}
	}
	if len(seen) != 13 {
		t.Errorf("tools: %v", seen)
	}
}

// The budget of T11 is 1,156 characters for both tools and the planning prompt.
func TestTodo_T11_ToolsForPlanningAreSmall(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		size := 0
		for _, tool := range All(Config{ParallelTodos: parallel}) {
			if s := tool.Spec(); s.Name == "update_plan" || s.Name == "submit_plan" {
				size += len(s.Name) + len(s.Description) + len(s.Parameters)
			}
		}
		if size > 650 {
			t.Errorf("parallel %v: %d characters", parallel, size)
		}
	}
}

func TestArguments_ErrorsNameTheField(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "x\n"})
	cases := []struct{ tool, raw, want string }{
		{"read_file", `{}`, "path is missing"},
		{"read_file", ``, "path is missing"},
		{"read_file", `{"path":null}`, "path is missing"},
		{"read_file", `{"path":"a","lines":3}`, `no argument "lines"; it takes path, start_line, end_line`},
		{"read_file", `{"PATH":"a"}`, `no argument "PATH"`},
		{"read_file", `{"path":7}`, "path is to be a text, not number"},
		{"read_file", `{"path":"a","start_line":"2"}`, "start_line is to be a whole number, not string"},
		{"read_file", `{"path":"a","start_line":1.5}`, "start_line is to be a whole number, not number 1.5"},
		{"read_file", `{"path":"a"`, "not a JSON object"},
		{"read_file", `["a"]`, "not a JSON object"},
		{"read_file", `null`, "not a JSON object"},
		{"edit_file", `{"path":"a","old":"x","new":"y","replace_all":"yes"}`, "replace_all is to be true or false, not string"},
		{"submit_plan", `{"plan":"# x","files":"a"}`, "files is to be a list, not string"},
		{"submit_plan", `{"plan":"# x","files":[1]}`, "files is to be a text, not number"},
		{"shell", `{"command":"ls","timeout_seconds":"9"}`, "timeout_seconds is to be a number, not string"},
	}
	for _, c := range cases {
		for which, err := range map[string]error{
			"touch": func() error { _, err := d.tool(c.tool).Touch(json.RawMessage(c.raw)); return err }(),
			"run":   func() error { _, err := d.tool(c.tool).Run(t.Context(), d.env, json.RawMessage(c.raw)); return err }(),
		} {
			var no *agent.ToolError
			if !errors.As(err, &no) || !strings.Contains(no.Message, c.want) || !strings.HasPrefix(no.Message, c.tool) {
				t.Errorf("%s %s %s: %v; want %q", which, c.tool, c.raw, err, c.want)
			}
		}
	}
}

func TestArguments_NullForAnOptionalOneIsLeftOut(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "x\n"})
	r, err := d.tool("read_file").Run(t.Context(), d.env, json.RawMessage(`{"path":"a","start_line":null}`))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, r.Output, "lines 1–1 of 1", "x")
}

func TestTouch_SaysWhatACallIsAbout(t *testing.T) {
	cases := []struct {
		tool, raw string
		want      agent.Touch
	}{
		{"read_file", `{"path":"a.go","start_line":1,"end_line":40}`, agent.Touch{Summary: "a.go lines 1–40"}},
		{"read_file", `{"path":"a.go","start_line":3}`, agent.Touch{Summary: "a.go from line 3"}},
		{"list_dir", `{}`, agent.Touch{Summary: "."}},
		{"grep", `{"pattern":"x","path":"web"}`, agent.Touch{Summary: "x in web"}},
		{"write_file", `{"path":"./web//a.go","content":""}`, agent.Touch{Summary: "web/a.go", Paths: []string{"web/a.go"}}},
		{"edit_file", `{"path":"web/../a.go","old":"x","new":"y"}`, agent.Touch{Summary: "a.go", Paths: []string{"a.go"}}},
		{"shell", `{"command":" go test\n./... "}`, agent.Touch{Summary: "go test …", Command: " go test\n./... "}},
		{"update_plan", `{"steps":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}`, agent.Touch{Summary: "b"}},
		{"submit_plan", `{"plan":"# Do it\n\n1. x"}`, agent.Touch{Summary: "Do it"}},
	}
	d := newDesk(t, nil)
	for _, c := range cases {
		got, err := d.tool(c.tool).Touch(json.RawMessage(c.raw))
		if err != nil || got.Summary != c.want.Summary || got.Command != c.want.Command || strings.Join(got.Paths, "|") != strings.Join(c.want.Paths, "|") {
			t.Errorf("%s %s: %+v, %v; want %+v", c.tool, c.raw, got, err, c.want)
		}
	}
}
