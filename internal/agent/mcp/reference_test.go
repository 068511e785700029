//go:build reference

package mcp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// packages is the variable that names the folder in which npm has put the
// reference servers.
const packages = "MCP_REFERENCE"

// reference has one of the reference servers, with arguments.
func reference(t *testing.T, name string, args func(*rig) []string, listed ...string) *rig {
	t.Helper()
	dir, err := filepath.Abs(os.Getenv(packages))
	if err != nil || os.Getenv(packages) == "" {
		t.Fatal(packages + " names no folder; make mcp-reference does")
	}
	modules := filepath.Join(dir, "node_modules")
	r := newRig(t, "", readOnly(listed...))
	s := &r.config.Servers[0]
	s.Command, s.Env, s.Readable = "node", nil, []string{modules}
	s.Args = append([]string{filepath.Join(modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")}, args(r)...)
	if name == "memory" {
		s.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(r.workspace, "memory.jsonl")}
	}
	return r
}

// try calls a tool and returns what the model gets.
func (r *rig) try(name string, args map[string]any) string {
	r.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	result, err := r.tool(name).Run(r.t.Context(), agent.Env{}, raw)
	if no, is := errors.AsType[*agent.ToolError](err); is {
		return "refused: " + no.Message
	}
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	return result.Output
}

func TestReference_P28_Filesystem(t *testing.T) {
	r := reference(t, "filesystem", func(r *rig) []string { return []string{r.workspace} }, "read_text_file", "write_file")
	if err := os.WriteFile(filepath.Join(r.workspace, "a.txt"), []byte("alpha\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(r.workspace, "made.txt")
	if told := r.open(planning.ModePlan); told.Failed != "" || len(told.Tools) < 8 {
		t.Fatalf("%+v", told)
	}
	if said := r.try("read_text_file", map[string]any{"path": filepath.Join(r.workspace, "a.txt")}); !strings.Contains(said, "alpha") {
		t.Errorf("it reads %q", said)
	}
	said := r.try("write_file", map[string]any{"path": made, "content": "x"})
	if _, err := os.Stat(made); err == nil {
		t.Errorf("its file is there while planning; it said %q", said)
	}
	r.open(planning.ModeExecuting)
	said = r.try("write_file", map[string]any{"path": made, "content": "x"})
	if text, err := os.ReadFile(made); err != nil || string(text) != "x" {
		t.Errorf("in execution: %v; it said %q", err, said)
	}
	if said := r.try("read_text_file", map[string]any{"path": "/etc/passwd"}); !strings.HasPrefix(said, "refused: ") {
		t.Errorf("beyond its folder: %q", said)
	}
}

func TestReference_Everything(t *testing.T) {
	r := reference(t, "everything", func(*rig) []string { return nil }, "echo")
	if told := r.open(planning.ModePlan); told.Failed != "" || !slices.ContainsFunc(told.Tools, func(s planning.ServedTool) bool { return s.Name == "t__echo" && s.ReadOnly }) {
		t.Fatalf("%+v", told)
	}
	if said := r.try("echo", map[string]any{"message": "hello"}); !strings.Contains(said, "hello") {
		t.Errorf("it says %q", said)
	}
	if said := r.try("get-tiny-image", nil); !strings.Contains(said, "[image, image/png, ") {
		t.Errorf("it says %q", said)
	}
	if said := r.try("get-env", nil); strings.Contains(said, packages) {
		t.Errorf("it finds %q", said)
	}
}

func TestReference_P28_Memory(t *testing.T) {
	r := reference(t, "memory", func(*rig) []string { return nil }, "create_entities")
	entity := map[string]any{"entities": []map[string]any{{"name": "Ana", "entityType": "person", "observations": []string{"reviews"}}}}
	file := filepath.Join(r.workspace, "memory.jsonl")
	if told := r.open(planning.ModePlan); told.Failed != "" {
		t.Fatalf("%+v", told)
	}
	said := r.try("create_entities", entity)
	if _, err := os.Stat(file); err == nil {
		t.Errorf("its file is there while planning; it said %q", said)
	}
	r.open(planning.ModeNormal)
	if said := r.try("create_entities", entity); !strings.Contains(said, "Ana") {
		t.Errorf("it says %q", said)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	r.open(planning.ModePlan) // what it knows is in the file, not in the process
	if said := r.try("read_graph", nil); !strings.Contains(said, "Ana") {
		t.Errorf("a new one says %q", said)
	}
}
