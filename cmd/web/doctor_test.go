package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent/sandbox"
	"countersign/internal/db"
	"countersign/internal/planning"
)

// examine runs doctor and returns its screen, and whether it failed.
func examine(t *testing.T, env map[string]string, args ...string) (string, bool) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"doctor"}, args...), func(key string) string { return env[key] }, &out, io.Discard)
	if err != nil && !strings.Contains(sentence(err), "begin with fail") {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if word, _, _ := strings.Cut(line, " "); word != "ok" && word != "warn" && word != "fail" {
			t.Errorf("a line without a finding: %q", line)
		}
	}
	return out.String(), err != nil
}

// has checks that a line of this sort about this thing says so.
func has(t *testing.T, screen string, f finding, what, text string) {
	t.Helper()
	for line := range strings.Lines(screen) {
		if words := strings.Fields(line); words[0] == string(f) && words[1] == what && strings.Contains(line, text) {
			return
		}
	}
	t.Errorf("no line %s %s with %q in:\n%s", f, what, text, screen)
}

func TestDoctor_AMachineThatWorks(t *testing.T) {
	data := t.TempDir()
	screen, failed := examine(t, nil, "--data", data, "--workspace", t.TempDir(), "--model", "builtin")
	if failed {
		t.Errorf("it failed:\n%s", screen)
	}
	has(t, screen, fine, "version", version)
	has(t, screen, fine, "data", data)
	has(t, screen, fine, "database", "none yet")
	has(t, screen, fine, "model", "builtin")
	if entries, _ := os.ReadDir(data); len(entries) != 0 {
		t.Errorf("looking left %v behind", entries)
	}

	cfg := config{data: data}
	store, err := openStore(t.Context(), cfg, newLogger("error", io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	events, err := planning.NewSession{Workspace: data, Model: "builtin", Task: "t", Mode: planning.ModePlan, Approvals: 1}.Events(planning.System)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Append(t.Context(), "s1", 0, events...); err != nil {
		t.Fatal(err)
	}
	screen, _ = examine(t, nil, "--data", data, "--workspace", t.TempDir()) // beside the open one
	has(t, screen, fine, "database", "sound; sessions in it: 1")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDoctor_P6_TriesTheSandbox(t *testing.T) {
	support := sandbox.Detect()
	screen, _ := examine(t, nil, "--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "builtin")
	if !support.OK {
		has(t, screen, worry, "sandbox", support.Reason)
		return
	}
	has(t, screen, fine, "sandbox", "without effect (10): change a file; delete a file; ")

	var out bytes.Buffer
	e := &examination{out: &out}
	e.proofs([]sandbox.Proof{{What: "hold", Held: true}, {What: "be tried", Why: "sh: not found"}})
	if e.failed {
		t.Errorf("what could not be tried counts as a failure:\n%s", &out)
	}
	e.proofs([]sandbox.Proof{{What: "get out"}})
	if !e.failed {
		t.Errorf("what gets out counts as none:\n%s", &out)
	}
	has(t, out.String(), fine, "sandbox", "without effect (1): hold")
	has(t, out.String(), worry, "sandbox", "could not be tried to be tried (sh: not found)")
	has(t, out.String(), fatal, "sandbox", "able to get out")
}

func TestDoctor_WhatDoesNotWork(t *testing.T) {
	broken := t.TempDir()
	private := config{data: broken}.private()
	if err := errors.Join(os.Mkdir(private, 0o700), os.WriteFile(filepath.Join(private, databaseFile), []byte(strings.Repeat("no database ", 1000)), 0o600)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		what, text string
		args       []string
	}{
		{"database", "not a database", []string{"--data", broken}},
		{"data", "can't be written", []string{"--data", filepath.Join(file, "x")}},
		{"workspace", "name another with --workspace", []string{"--workspace", file}},
		{"settings", "--approvals", []string{"--approvals", "0"}},
		{"model", "There is no model", []string{"--model", "nonsense:x"}},
		{"model", "needs a key", []string{"--model", "openai:x"}},
	}
	for _, c := range cases {
		screen, failed := examine(t, nil, append([]string{"--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "builtin"}, c.args...)...)
		has(t, screen, fatal, c.what, c.text)
		if !failed {
			t.Errorf("%s: it did not fail", c.what)
		}
	}
}

// A page of the database that was overwritten on the disk is found.
func TestDoctor_ADamagedDatabase(t *testing.T) {
	data := t.TempDir()
	cfg := config{data: data}
	store, err := openStore(t.Context(), cfg, newLogger("error", io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.private(), databaseFile)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	junk := bytes.Repeat([]byte{0xff}, int(info.Size()/2))
	if _, err := f.WriteAt(junk, info.Size()/2); err != nil {
		t.Fatal(err)
	}
	f.Close()
	screen, failed := examine(t, nil, "--data", data, "--workspace", t.TempDir(), "--model", "builtin")
	has(t, screen, fatal, "database", "damaged")
	if !failed {
		t.Error("it did not fail")
	}
	if _, err := db.Open(t.Context(), db.Options{Path: path + "x", ReadOnly: true}); err == nil {
		t.Error("reading made a database")
	}
}

func TestDoctor_TheModelsServer(t *testing.T) {
	const key = "sk-very-secret"
	answers := map[string]struct {
		status int
		body   string
		want   finding
		text   string
	}{
		"listed":     {200, `{"data":[{"id":"m1"},{"id":"m2"}]}`, fine, "lists it"},
		"not listed": {200, `{"data":[{"id":"m2"}]}`, worry, "does not list m1"},
		"other":      {200, `<html>`, worry, "not as one that speaks this protocol"},
		"bad key":    {401, `{"error":"bad key ` + key + `"}`, fatal, "check OPENAI_API_KEY"},
		"no list":    {404, ``, worry, "no list of models"},
		"broken":     {500, ``, fatal, "500"},
	}
	for name, a := range answers {
		t.Run(name, func(t *testing.T) {
			var asked *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r
				w.WriteHeader(a.status)
				_, _ = io.WriteString(w, a.body)
			}))
			defer server.Close()
			env := map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.URL + "/v1?api=" + key}
			screen, failed := examine(t, env, "--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "openai:m1")
			has(t, screen, fine, "model", server.URL+"/v1; OPENAI_API_KEY is set")
			has(t, screen, a.want, "model", a.text)
			if failed != (a.want == fatal) || strings.Contains(screen, key) {
				t.Errorf("failed: %v\n%s", failed, screen)
			}
			if asked.Method != http.MethodGet || asked.URL.Path != "/v1/models" || asked.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("asked %s %s", asked.Method, asked.URL)
			}
			if strings.Contains(a.text, "lists it") {
				server.Close()
				screen, failed = examine(t, env, "--data", t.TempDir(), "--workspace", t.TempDir(), "--model", "openai:m1")
				if has(t, screen, fatal, "model", "does not answer"); !failed || strings.Contains(screen, key) {
					t.Errorf("a server that is gone:\n%s", screen)
				}
			}
		})
	}
}

func TestDoctor_EachProvider(t *testing.T) {
	const key = "sk-very-secret"
	asked := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"claude-x"}],"has_more":false}`)
	}))
	defer server.Close()
	env := map[string]string{
		"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": server.URL,
		"GROQ_API_KEY": key, "GROQ_BASE_URL": "nonsense " + key,
		"OLLAMA_BASE_URL": "http://127.0.0.1:1", "LMSTUDIO_BASE_URL": "http://127.0.0.1:1", "VLLM_BASE_URL": "http://127.0.0.1:1",
	}
	args := []string{"--data", t.TempDir(), "--workspace", t.TempDir(), "--model"}
	screen, failed := examine(t, env, append(args, "builtin")...)
	has(t, screen, fine, "provider", "anthropic: ANTHROPIC_API_KEY is set at "+server.URL+"/v1; its server answers")
	has(t, screen, fine, "provider", "openai: OPENAI_API_KEY is not set at https://api.openai.com/v1")
	has(t, screen, worry, "provider", "groq: The base URL")
	has(t, screen, worry, "provider", "ollama: needs no key at http://127.0.0.1:1/v1; its server does not answer")
	if failed || strings.Contains(screen, key) {
		t.Errorf("failed: %v\n%s", failed, screen)
	}
	r := <-asked
	if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != key || r.Header.Get("Anthropic-Version") == "" {
		t.Errorf("asked %s with %v", r.URL, r.Header)
	}
	screen, _ = examine(t, env, append(args, "anthropic:claude-x")...)
	has(t, screen, fine, "model", "its server answers, and lists it")
	if strings.Contains(screen, "anthropic: ANTHROPIC") {
		t.Errorf("the model's provider is there twice:\n%s", screen)
	}
	<-asked
	screen, _ = examine(t, env, append(args, "anthropic:claude-y")...)
	has(t, screen, worry, "model", "does not list claude-y")
}
