package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/permission"
	"countersign/internal/agent/sandbox"
	"countersign/internal/planning"
	"countersign/internal/trial"
)

// rig is a workspace with servers.
type rig struct {
	t         *testing.T
	workspace string
	outside   string
	config    Config
	set       agent.Toolset
}

// newRig has one server, which is the test program itself.
func newRig(t *testing.T, how string, change ...func(*Server)) *rig {
	t.Helper()
	if s := sandbox.Detect(); !s.OK {
		trial.Lacks(t, "this machine has no sandbox: "+s.Reason)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := Server{Name: "t", Command: exe, Env: map[string]string{behaviour: how}}
	for _, c := range change {
		c(&s)
	}
	return &rig{t: t, workspace: t.TempDir(), outside: t.TempDir(), config: Config{
		Servers: []Server{s}, Confined: permission.Policy{}.Confined,
	}}
}

func readOnly(names ...string) func(*Server) { return func(s *Server) { s.ReadOnly = names } }
func timeout(d time.Duration) func(*Server)  { return func(s *Server) { s.Timeout = d } }

// open begins a run in a mode; it ends with the test.
func (r *rig) open(m planning.Mode) planning.ToolServer {
	r.t.Helper()
	if r.set != nil {
		r.set.Close()
	}
	r.set = New(r.config).Open(r.t.Context(), planning.State{Workspace: r.workspace, Mode: m})
	r.t.Cleanup(r.set.Close)
	return r.set.Listed().Servers[0]
}

func (r *rig) names() []string {
	var names []string
	for _, t := range r.set.Tools() {
		names = append(names, t.Spec().Name)
	}
	return names
}

func (r *rig) tool(name string) agent.Tool {
	r.t.Helper()
	for _, t := range r.set.Tools() {
		if t.Spec().Name == "t__"+name {
			return t
		}
	}
	r.t.Fatalf("there is no tool %s; listed: %+v", name, r.set.Listed())
	return nil
}

func (r *rig) call(ctx context.Context, name string, args given) (agent.Result, error) {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.tool(name).Run(ctx, agent.Env{Workspace: r.workspace}, raw)
}

// says calls a tool that is to answer.
func (r *rig) says(name string, args given) string {
	r.t.Helper()
	result, err := r.call(r.t.Context(), name, args)
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	return result.Output
}

// refuses calls a tool that is to fail with something for the model.
func (r *rig) refuses(name string, args given) string {
	r.t.Helper()
	_, err := r.call(r.t.Context(), name, args)
	no, is := errors.AsType[*agent.ToolError](err)
	if !is {
		r.t.Fatalf("%s: %v, want an error for the model", name, err)
	}
	return no.Message
}

// A person has listed a tool as read-only that is not: the sandbox holds.
func TestPlan_P28_WhatWritesAllTheSameReachesNothing(t *testing.T) {
	r := newRig(t, "tools", readOnly("sneaky", "dial", "read"))
	inside, outside := filepath.Join(r.workspace, "new.txt"), filepath.Join(r.outside, "new.txt")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	secret := filepath.Join(r.outside, "secret")
	if err := os.WriteFile(secret, []byte("s3cr3t"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := given{Text: listener.Addr().String()}

	r.open(planning.ModePlan)
	for _, path := range []string{inside, outside} {
		said := r.says("sneaky", given{Path: path})
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there while planning; the tool said %q", path, said)
		}
	}
	if said := r.says("dial", address); strings.Contains(said, "<nil>") {
		t.Errorf("it reached the network while planning: %s", said)
	}
	if said := r.says("read", given{Path: secret}); strings.Contains(said, "s3cr3t") {
		t.Errorf("it read what is none of its business: %s", said)
	}

	r.open(planning.ModeExecuting) // it has teeth
	for _, path := range []string{inside, outside} {
		r.says("sneaky", given{Path: path})
		if _, err := os.Stat(path); err != nil {
			t.Errorf("in execution: %v", err)
		}
	}
	if said := r.says("dial", address); !strings.Contains(said, "<nil>") {
		t.Errorf("in execution: %s", said)
	}
}

func TestPlan_P28_TheHintIsShownAndNotBelieved(t *testing.T) {
	r := newRig(t, "tools", readOnly("read", "nowhere"))
	told := r.open(planning.ModePlan)
	policy := permission.Policy{}
	for _, want := range []planning.ServedTool{{Name: "t__sneaky", Hint: true}, {Name: "t__read", Hint: true, ReadOnly: true}, {Name: "t__dies"}} {
		if !slices.Contains(told.Tools, want) {
			t.Errorf("%+v is not listed: %+v", want, told.Tools)
		}
		tool := r.tool(strings.TrimPrefix(want.Name, "t__"))
		if offered := policy.Offered(planning.ModePlan, want.Name, tool.Access()); offered != want.ReadOnly {
			t.Errorf("%s offered while planning: %v", want.Name, offered)
		}
	}
	if len(told.Notes) != 1 || !strings.Contains(told.Notes[0], "nowhere") {
		t.Errorf("notes: %q, want one on the tool that it does not have", told.Notes)
	}
}

func TestPlan_P28_NoSandboxNoServerWhilePlanning(t *testing.T) {
	r := newRig(t, "tools")
	r.config.Detect = func() sandbox.Support { return sandbox.Support{Reason: "The kernel is too old."} }
	told := r.open(planning.ModePlan)
	if len(told.Tools) != 0 || !strings.Contains(told.Failed, "off while planning") || !strings.Contains(told.Failed, "The kernel is too old.") {
		t.Errorf("while planning: %+v", told)
	}
	if told := r.open(planning.ModeNormal); told.Failed != "" {
		t.Errorf("in normal mode: %+v", told)
	}
	if said := r.says("environment", given{}); !strings.Contains(said, behaviour+"=tools") {
		t.Errorf("environment: %s", said)
	}
}

func TestPlan_P28_ItsEnvironmentIsWhatTheSettingsName(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "s3cr3t")
	for _, mode := range []planning.Mode{planning.ModePlan, planning.ModeExecuting} {
		r := newRig(t, "tools", readOnly("environment"))
		r.open(mode)
		var names []string
		for line := range strings.SplitSeq(r.says("environment", given{}), "\n") {
			name, _, _ := strings.Cut(line, "=")
			names = append(names, name)
		}
		slices.Sort(names)
		names = slices.DeleteFunc(names, func(n string) bool { return n == "PWD" || n == "OLDPWD" || n == "SHLVL" || n == "_" }) // of the shell
		if got := strings.Join(names, " "); got != "HOME LANG PATH "+behaviour+" TMPDIR" {
			t.Errorf("%s: %s", mode, got)
		}
	}
}

func TestServer_CannotBeStarted(t *testing.T) {
	for how, want := range map[string]string{
		"exits":   "exit code 3. It printed: there is no such database",
		"babbles": "does not keep to the protocol",
		"silent":  "did not answer within 300ms",
	} {
		limit := time.Minute
		if how == "silent" {
			limit = 300 * time.Millisecond
		}
		r := newRig(t, how, timeout(limit))
		if told := r.open(planning.ModePlan); !strings.Contains(told.Failed, want) || len(r.set.Tools()) != 0 {
			t.Errorf("%s: %+v, want %q", how, told, want)
		}
	}
	r := newRig(t, "tools", func(s *Server) { s.Command = "no-such-program-anywhere" })
	if told := r.open(planning.ModePlan); told.Failed != "The program no-such-program-anywhere was not found." {
		t.Errorf("failed: %q", told.Failed)
	}
}

func TestServer_DiesAndIsStartedAnew(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	for i := range maxStarts {
		if i > 0 {
			if said := r.says("repeats", given{}); said != "beginend" {
				t.Errorf("after it died: %q", said)
			}
		}
		if said := r.refuses("dies", given{}); !strings.Contains(said, "exit code 7. It printed: out of cheese") || !strings.Contains(said, "not known what the call has done") {
			t.Errorf("refusal: %q", said)
		}
	}
	if said := r.refuses("repeats", given{}); !strings.Contains(said, "not started again") {
		t.Errorf("after it died %d times: %q", maxStarts, said)
	}
}

func TestServer_Hangs(t *testing.T) {
	r := newRig(t, "tools", timeout(5*time.Second))
	r.open(planning.ModeExecuting)
	short := r.set.(*set).servers[0]
	short.Timeout = 200 * time.Millisecond
	if said := r.refuses("hangs", given{}); !strings.Contains(said, "did not answer within 200ms") {
		t.Errorf("refusal: %q", said)
	}
	short.Timeout = 5 * time.Second
	if said := r.says("repeats", given{}); said != "beginend" {
		t.Errorf("afterwards: %q", said)
	}
}

func TestServer_HangsUntilThePause(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	ctx, pause := context.WithCancel(t.Context())
	hangs := filepath.Join(r.outside, "hangs")
	go func() {
		for {
			if _, err := os.Stat(hangs); err == nil || ctx.Err() != nil {
				pause()
				return
			}
			runtime.Gosched()
		}
	}()
	if _, err := r.call(ctx, "hangs", given{Path: hangs}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

func TestServer_FloodsAndMemoryStays(t *testing.T) {
	for name, flood := range map[string]func(*rig) string{
		"in a call": func(r *rig) string {
			r.open(planning.ModeExecuting)
			return r.refuses("floods", given{})
		},
		"with notifications": func(r *rig) string {
			r.open(planning.ModeExecuting)
			return r.refuses("notifies", given{N: 1000})
		},
		"at its start": func(r *rig) string {
			r.config.Servers[0].Env[behaviour] = "pours"
			return r.open(planning.ModePlan).Failed
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "tools")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			said := flood(r)
			runtime.ReadMemStats(&after)
			if !strings.Contains(said, "more than 16 MiB") {
				t.Errorf("it says %q", said)
			}
			if grown := int64(after.Sys) - int64(before.Sys); grown > 256<<20 {
				t.Errorf("the memory has grown by %d MiB", grown>>20)
			}
		})
	}
}

func TestServer_SendsWhatIsNoMessage(t *testing.T) {
	r := newRig(t, "tools")
	r.open(planning.ModeExecuting)
	if said := r.refuses("garbles", given{}); !strings.Contains(said, "does not keep to the protocol") {
		t.Errorf("refusal: %q", said)
	}
	if said := r.says("repeats", given{}); said != "beginend" {
		t.Errorf("afterwards: %q", said)
	}
}

func TestServer_NothingOfItIsLeft(t *testing.T) {
	for _, mode := range []planning.Mode{planning.ModePlan, planning.ModeExecuting} {
		r := newRig(t, "tools")
		r.open(mode)
		mark := "mark-" + strings.ReplaceAll(filepath.Base(r.workspace)+filepath.Base(r.outside)+string(mode), "/", "")
		mark += filepath.Base(filepath.Dir(r.workspace))
		if said := r.says("spawn", given{Text: mark}); said != "spawn: <nil>" {
			t.Fatal(said)
		}
		r.set.Close()
		if left := running(t, mark); left != 0 {
			t.Errorf("%s: %d processes are left", mode, left)
		}
	}
}

// running counts the processes that have a word in their command line.
func running(t *testing.T, word string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range lines {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), word) {
			n++
		}
	}
	return n
}
