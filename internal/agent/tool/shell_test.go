package tool

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/trial"
)

// needsSandbox says what there is, and skips the test where there is none.
func needsSandbox(t *testing.T) sandbox.Support {
	t.Helper()
	s := sandbox.Detect()
	if !s.OK {
		trial.Lacks(t, s.Reason)
	}
	return s
}

func needsLayer(t *testing.T) {
	t.Helper()
	if s := needsSandbox(t); !s.Overlay {
		trial.Lacks(t, s.Reason)
	}
}

// plainly runs a command without any sandbox and in place, as one does that has
// no layer over the workspace.
func plainly(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if c.Access != sandbox.LookOnly {
		if err := c.Direct(); err != nil {
			return sandbox.Result{}, err
		}
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.Shell)
	cmd.Dir = c.Dir
	out, _ := cmd.CombinedOutput()
	return sandbox.Result{ExitCode: cmd.ProcessState.ExitCode(), Output: string(out)}, nil
}

// changes are the recorded changes, as "path +added -removed in-plan".
func changes(t *testing.T, list []planning.Payload) []string {
	t.Helper()
	out := []string{}
	for _, p := range list {
		e := p.(planning.FileChanged)
		line := e.Path
		switch {
		case !e.Existed:
			line += " created"
		case !e.Exists:
			line += " deleted"
		}
		if e.InPlan {
			line += " in plan"
		}
		if e.Omitted != "" {
			line += " (" + e.Omitted + ")"
		}
		out = append(out, line)
	}
	return out
}

func TestShell_RunsAndTells(t *testing.T) {
	needsSandbox(t)
	d := newDesk(t, map[string]string{"a": "text\n"})
	r := d.call("shell", args{"command": "cat a; echo err >&2; exit 3"})
	contains(t, r.Output, "[exit 3 after ", "]\ntext\nerr\n")
	if r.Summary != "exit 3" {
		t.Errorf("summary %q", r.Summary)
	}
	contains(t, d.call("shell", args{"command": ":"}).Output, "[exit 0 after ", "[it printed nothing]")
	contains(t, d.call("shell", args{"command": "seq 100000"}).Output, "\n3\n", " bytes cut out here]", "\n100000\n")
}

func TestPlan_P6_ShellKeepsNothingWhilePlanning(t *testing.T) {
	support := needsSandbox(t)
	d := newDesk(t, map[string]string{"a": "old\n", "sub/b": "b\n"})
	d.env.State.Mode = planning.ModePlan
	r := d.call("shell", args{"command": "echo new > a; rm -r sub; echo x > fresh; echo $?"})
	if d.get("a") != "old\n" || d.get("sub/b") != "b\n" || d.get("fresh") != "(missing)" {
		t.Errorf("the workspace changed: %s", r.Output)
	}
	if len(d.ahead)+len(r.Events) != 0 {
		t.Errorf("recorded: %v %v", d.ahead, r.Events)
	}
	if support.Overlay {
		contains(t, r.Output, "0\n", "thrown away", "a, fresh, sub/b]")
		contains(t, r.Summary, "3 changes not kept")
	}
}

func TestPlan_P24_ShellChangesOnlyWhatThePlanLists(t *testing.T) {
	needsLayer(t)
	d := newDesk(t, map[string]string{"a.go": "1\n", "b.go": "1\n", "gone.go": "x\n", "web/old": "", ".git/config": "c\n"})
	d.executing(planning.Scope{Files: []string{"a.go", "gone.go", "run.sh", "web/"}})
	d.env.Shell.Writable = []string{"a.go", "gone.go", "run.sh", "web/"}
	r := d.call("shell", args{"command": `
		sed -i s/1/2/ a.go b.go
		rm gone.go
		mkdir -p web/css && echo 'a {}' > web/css/new.css
		printf '#!/bin/sh\n' > run.sh && chmod 755 run.sh
		ln -s /etc/passwd web/link
		head -c 5 /dev/zero > web/bin
		echo evil >> .git/config; mkdir -p web/.git && echo evil > web/.git/config
		touch web/old`})
	want := []string{"a.go in plan", "gone.go deleted in plan", "run.sh created in plan", "web/bin created in plan (binary)", "web/css/new.css created in plan"}
	if diff := cmp.Diff(want, changes(t, d.ahead)); diff != "" {
		t.Errorf("recorded ahead (-want +got):\n%s\n%s", diff, r.Output)
	}
	for name, text := range map[string]string{
		"a.go": "2\n", "b.go": "1\n", "gone.go": "(missing)", "web/css/new.css": "a {}\n", "run.sh": "#!/bin/sh\n",
		"web/bin": "\x00\x00\x00\x00\x00", ".git/config": "c\n", "web/.git/config": "(missing)", "web/link": "(missing)",
	} {
		if got := d.get(name); got != text {
			t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
	if info, err := os.Stat(filepath.Join(d.dir, "run.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("run.sh: %v, %v", info, err)
	}
	contains(t, r.Output, "[Changed: a.go, gone.go, run.sh, web/bin, web/css/new.css]",
		"[Written, but not kept: ", ".git/config (protected)", "b.go (not allowed by the plan)", "web/.git/config (protected)", "web/link (not a regular file)")
	if len(r.Events) != 0 {
		t.Errorf("events %v", r.Events)
	}
}

func TestShell_APersonAllowedEverything(t *testing.T) {
	needsLayer(t)
	d := newDesk(t, map[string]string{"a": "1\n", ".gitignore": "out/\n", "data/key": "sesame\n", ".git/config": "c\n"})
	d.executing(planning.Scope{Files: []string{"a"}})
	d.config.Protected = []string{filepath.Join(d.dir, "data")}
	d.env.Shell.Everything = true
	r := d.call("shell", args{"command": "echo 2 > a; echo x > b; mkdir out; echo o > out/o; echo e > .git/config; cat data/key; ls -A data; echo e > data/key"})
	if diff := cmp.Diff([]string{"a in plan", "b created"}, changes(t, d.ahead)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s\n%s", diff, r.Output)
	}
	for name, text := range map[string]string{"a": "2\n", "b": "x\n", "out/o": "o\n", ".git/config": "c\n", "data/key": "sesame\n"} {
		if got := d.get(name); got != text {
			t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
	if strings.Contains(r.Output, "sesame") {
		t.Errorf("it saw what is protected: %s", r.Output)
	}
}

func TestShell_DoesNotOverwriteSomebodyElsesChange(t *testing.T) {
	needsLayer(t)
	d := newDesk(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
	d.executing(planning.Scope{Files: []string{"**"}})
	d.env.Shell.Writable = []string{"**"}
	d.config.Sandbox = func(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
		take := c.Layer
		c.Layer = func(changes []sandbox.Change, started time.Time) error {
			d.put("a", "an editor\n") // while the command ran
			d.put("new", "an editor\n")
			return take(changes, started)
		}
		return sandbox.Run(ctx, c)
	}
	record := d.env.Ahead
	d.env.Ahead = func(ctx context.Context, p ...planning.Payload) error {
		d.put("b", "an editor\n") // between the look and the write
		return record(ctx, p...)
	}
	r := d.call("shell", args{"command": "for f in a b c new; do echo 2 > $f; done"})
	for name, text := range map[string]string{"a": "an editor\n", "b": "an editor\n", "c": "2\n", "new": "an editor\n"} {
		if got := d.get(name); got != text {
			t.Errorf("%s holds %q, want %q: %s", name, got, text, r.Output)
		}
	}
	contains(t, r.Output, "[Changed: c]", "a (somebody else changed it meanwhile)", "new (", "b (")
	if diff := cmp.Diff([]string{"b in plan", "c in plan"}, changes(t, d.ahead)); diff != "" {
		t.Errorf("recorded:\n%s", diff)
	}
	if len(r.Events) != 1 || r.Events[0].(planning.FileChanged).Path != "b" {
		t.Errorf("taken back: %v", r.Events)
	}
}

func TestShell_ALinkInTheWayIsNotFollowed(t *testing.T) {
	needsLayer(t)
	d := newDesk(t, map[string]string{".git/x": "git\n", "a": "1\n"})
	d.must(os.Symlink(".git", filepath.Join(d.dir, "web")))
	d.executing(planning.Scope{Files: []string{"web/"}})
	d.env.Shell.Writable = []string{"web/"}
	r := d.call("shell", args{"command": "rm web; mkdir web; echo evil > web/x; echo evil > web/hook"})
	if d.get(".git/x") != "git\n" || d.get(".git/hook") != "(missing)" {
		t.Errorf(".git was written: %s", r.Output)
	}
	contains(t, r.Output, "not kept", "web/hook (")
}

func TestShell_WhatDidNotEndOfItselfIsNotKept(t *testing.T) {
	needsLayer(t)
	d := newDesk(t, map[string]string{"a": "1\n"})
	d.executing(planning.Scope{Files: []string{"a"}})
	d.env.Shell.Writable = []string{"a"}
	r := d.call("shell", args{"command": "echo 2 > a; echo begun; sleep 100", "timeout_seconds": 0.5})
	contains(t, r.Output, "[timed out: it was ended with everything that it started", "begun", "Nothing that it wrote was kept")
	if d.get("a") != "1\n" || len(d.ahead) != 0 {
		t.Errorf("kept: %q %v", d.get("a"), d.ahead)
	}
}

func TestShell_CancelledInTheMiddle(t *testing.T) {
	needsSandbox(t)
	d := newDesk(t, map[string]string{"a": "1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.env.Output = func(string) { cancel() }
	r, err := d.tool("shell").Run(ctx, d.env, []byte(`{"command":"echo begun; sleep 100"}`))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	contains(t, r.Output, "[cancelled", "begun")
}

func TestShell_InPlaceChangesAreFound(t *testing.T) {
	d := newDesk(t, map[string]string{
		"a": "1\n", "same": "1\n", "gone": "x\n", "outside": "1\n", "big": strings.Repeat("x", maxKept+1), ".gitignore": "a\nout\n",
	})
	d.config.Sandbox = plainly
	d.executing(planning.Scope{Files: []string{"a", "same", "gone", "new/", "big"}})
	d.env.Shell.Writable = d.env.State.Scope().Files
	r := d.call("shell", args{"command": "echo 2 > a; touch same; rm gone; mkdir new; echo x > new/f; echo y >> big; echo 2 > outside"})
	want := []string{"a in plan", "big in plan (over 256 KiB)", "gone deleted in plan", "new/f created in plan"}
	if diff := cmp.Diff(want, changes(t, r.Events)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := r.Events[0].(planning.FileChanged); e.Before != "1\n" || e.After != "2\n" || e.Todo != "s2" {
		t.Errorf("%+v", e)
	}

	d.env.Shell = agent.ShellAccess{Everything: true}
	r = d.call("shell", args{"command": "echo 3 > outside; echo 3 > out"})
	if diff := cmp.Diff([]string{"outside"}, changes(t, r.Events)); diff != "" {
		t.Errorf("everything but what git ignores (-want +got):\n%s", diff)
	}
}

func TestShell_Refusals(t *testing.T) {
	d := newDesk(t, nil)
	d.config.Sandbox = func(context.Context, sandbox.Command) (sandbox.Result, error) {
		return sandbox.Result{}, fault.New(fault.Unavailable, "No sandbox today.")
	}
	contains(t, d.refused("shell", args{"command": "ls"}), "No sandbox today.")
	contains(t, d.refused("shell", args{"command": " \n"}), "command is empty")
	contains(t, d.refused("shell", args{"command": "a\x00"}), "NUL")
	contains(t, d.refused("shell", args{"command": strings.Repeat("x", maxShellArg+1)}), "at most")
	contains(t, d.refused("shell", args{"command": "ls", "timeout_seconds": -1}), "more than 0")
	d.config.ShellOff = "The kernel has no Landlock."
	contains(t, d.refused("shell", args{"command": "ls"}), "The kernel has no Landlock.")

	broken := errors.New("disk on fire")
	d.config = Config{Sandbox: func(context.Context, sandbox.Command) (sandbox.Result, error) { return sandbox.Result{}, broken }}
	if _, err := d.try("shell", args{"command": "ls"}); !errors.Is(err, broken) {
		t.Errorf("what is ours is told to the model: %v", err)
	}
}

func TestShell_PassesOnWhatTheCallerAllows(t *testing.T) {
	var got sandbox.Command
	d := newDesk(t, nil)
	d.config = Config{Cache: "/cache", Protected: []string{"/data"}, Sandbox: func(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
		got = c
		return sandbox.Result{}, nil
	}}
	cases := []struct {
		shell   agent.ShellAccess
		access  sandbox.Access
		allowed string // of a, web/x, .git/x
	}{
		{agent.ShellAccess{}, sandbox.LookOnly, ""},
		{agent.ShellAccess{Writable: []string{}}, sandbox.LookOnly, ""},
		{agent.ShellAccess{Writable: []string{"web/"}, Network: true}, sandbox.Approved, "web/x "},
		{agent.ShellAccess{Writable: []string{"**"}}, sandbox.Approved, "a web/x "},
		{agent.ShellAccess{Everything: true}, sandbox.Workspace, "a web/x "},
	}
	for _, c := range cases {
		d.env.Shell = c.shell
		d.call("shell", args{"command": "ls"})
		allowed := ""
		for _, name := range []string{"a", "web/x", ".git/x"} {
			if got.Writable != nil && got.Writable(name) {
				allowed += name + " "
			}
		}
		if got.Access != c.access || allowed != c.allowed || got.Network != c.shell.Network {
			t.Errorf("%+v: access %v, network %v, allowed %q", c.shell, got.Access, got.Network, allowed)
		}
		if got.Dir != d.dir || got.Cache != "/cache/s" || !cmp.Equal(got.Protected, []string{"/data"}) {
			t.Errorf("%+v", got)
		}
	}
}

func TestShell_Timeouts(t *testing.T) {
	var got time.Duration
	d := newDesk(t, nil)
	d.config = Config{ShellTimeout: time.Minute, Sandbox: func(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
		got = c.Timeout
		return sandbox.Result{}, nil
	}}
	for seconds, want := range map[float64]time.Duration{0: time.Minute, 0.25: 250 * time.Millisecond, 5: 5 * time.Second, 600: time.Minute, 1e300: time.Minute} {
		d.call("shell", args{"command": "ls", "timeout_seconds": seconds})
		if got != want {
			t.Errorf("%v s: %v, want %v", seconds, got, want)
		}
	}
}

// What people see live is cut between characters, not inside them.
func TestStreamText_WholeCharacters(t *testing.T) {
	text := "aä€😀\xffz\x00é"
	for size := 1; size <= len(text); size++ {
		var got []string
		write := streamText(func(s string) { got = append(got, s) })
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if all := strings.Join(got, ""); all != "aä€😀\uFFFDz\uFFFDé" {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}
