package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// holding is a desk whose commands may write a.go and are asked about the rest.
func holding(t *testing.T, files map[string]string) *desk {
	t.Helper()
	needsLayer(t)
	d := newDesk(t, files)
	d.config.Held = filepath.Join(t.TempDir(), "held")
	d.executing(planning.Scope{Files: []string{"a.go"}})
	d.env.Shell = agent.ShellAccess{Writable: []string{"a.go"}, Hold: true}
	return d
}

func (d *desk) keep(h *agent.Held) agent.Result {
	d.t.Helper()
	d.env.Seen = h.Seen
	r, err := d.tool("shell").(agent.Holder).Keep(d.t.Context(), d.env, h.Files)
	d.must(err)
	return r
}

// kept are the files in the folder of what is held.
func (d *desk) kept() int {
	n := 0
	_ = filepath.WalkDir(d.config.Held, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return nil
	})
	return n
}

func TestShell_P24_WhatLiesOutsideIsHeldAndKept(t *testing.T) {
	d := holding(t, map[string]string{"a.go": "1\n", "b.go": "1\n", "same.sh": "x\n", "gone": "x\n"})
	r := d.call("shell", args{"command": "echo 2 > a.go; echo 2 > b.go; mkdir -p deep/er; echo n > deep/er/new; cp b.go copy; chmod 700 same.sh; rm gone"})
	if r.Held == nil {
		t.Fatalf("nothing is held: %s", r.Output)
	}
	var names []string
	for _, f := range r.Held.Files {
		names = append(names, fmt.Sprintf("%s %o %d", f.Path, f.Mode, f.Size))
	}
	if diff := cmp.Diff([]string{"b.go 644 2", "copy 644 2", "deep/er/new 644 2", "gone 0 0", "same.sh 700 2"}, names); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
	contains(t, r.Held.Detail, "@@ b.go: changed @@\n@@ -1 +1 @@\n-1\n+2\n", "@@ copy: created @@", "@@ gone: deleted @@", "@@ same.sh: changed @@\nOnly its permissions change, to -rwx------.\n")
	if n := d.kept(); n != 3 { // b.go and its copy are one
		t.Errorf("%d contents are kept", n)
	}
	if diff := cmp.Diff([]string{"a.go in plan"}, changes(t, d.ahead)); diff != "" {
		t.Errorf("recorded before the question:\n%s", diff)
	}

	d.ahead = nil
	contains(t, d.keep(r.Held).Output, "[Now in the workspace: b.go, copy, deep/er/new, gone, same.sh]")
	for name, text := range map[string]string{"b.go": "2\n", "copy": "2\n", "deep/er/new": "n\n", "gone": "(missing)", "same.sh": "x\n"} {
		if got := d.get(name); got != text {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if info, err := os.Stat(filepath.Join(d.dir, "same.sh")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("same.sh: %v %v", info.Mode(), err)
	}
	if len(d.ahead) != 5 {
		t.Errorf("recorded: %v", changes(t, d.ahead))
	}
	d.tool("shell").(agent.Holder).Drop(d.env)
	if n := d.kept(); n != 0 {
		t.Errorf("%d contents are left", n)
	}
}

func TestShell_P24_TooMuchIsNotHeld(t *testing.T) {
	d := holding(t, nil)
	r := d.call("shell", args{"command": fmt.Sprintf("for i in $(seq 100 %d); do echo $i > f$i; done; head -c %d /dev/zero > big", 100+maxHeldFiles+4, maxHeldFile+1)})
	if r.Held == nil || len(r.Held.Files) != maxHeldFiles {
		t.Fatalf("held: %+v", r.Held)
	}
	for _, text := range []string{r.Output, r.Held.Detail} {
		contains(t, text, "big (not in the plan, and too much to be kept for a question)", "f200 (not in the plan")
	}
}

func TestShell_P24_FilesThatTheQuestionHasNoRoomForAreNamed(t *testing.T) {
	d := holding(t, nil)
	r := d.call("shell", args{"command": "seq 9000 > b; echo 1 > c; echo 1 > d"})
	if r.Held == nil || len(r.Held.Files) != 3 {
		t.Fatalf("held: %+v", r.Held)
	}
	contains(t, r.Held.Detail, "@@ b: created @@", "[Cut here: ", "[Changed as well, and not shown; allowing this allows it too: c, d]\n")
	if strings.Contains(r.Held.Detail, "@@ c") {
		t.Error("c is named as not shown, and shown")
	}
}

func TestShell_P24_WithoutAPlaceNothingIsHeld(t *testing.T) {
	d := holding(t, map[string]string{"b.go": "1\n"})
	d.config.Held = ""
	r := d.call("shell", args{"command": "echo 2 > b.go"})
	if r.Held != nil || d.get("b.go") != "1\n" {
		t.Errorf("held %+v", r.Held)
	}
	contains(t, r.Output, "b.go (not allowed by the plan)")
}

func TestShell_P24_KeepRefusesWhatBecameProtected(t *testing.T) {
	d := holding(t, map[string]string{"b.go": "1\n", "sub/x": "1\n", "linked": "1\n"})
	r := d.call("shell", args{"command": "echo 2 > b.go; echo 2 > sub/x; echo 2 > linked"})
	d.config.Protected = []string{filepath.Join(d.dir, "sub")}
	d.must(errors.Join(os.Remove(filepath.Join(d.dir, "linked")), os.Symlink("b.go", filepath.Join(d.dir, "linked"))))
	r.Held.Files = append(r.Held.Files, planning.HeldFile{Path: ".git/hooks/pre-commit", SHA256: r.Held.Files[0].SHA256}, planning.HeldFile{Path: "../out", SHA256: r.Held.Files[0].SHA256})
	got := d.keep(r.Held)
	contains(t, got.Output, "[Now in the workspace: b.go]", "linked (", "sub/x (", ".git/hooks/pre-commit (", "../out (")
	if d.get("sub/x") != "1\n" || d.get(".git/hooks/pre-commit") != "(missing)" || d.get("../out") != "(missing)" {
		t.Error("something protected was written")
	}
}

func TestHeldFolder_SweepsWhatACrashLeft(t *testing.T) {
	c := Config{Held: t.TempDir()}
	fill := func(call string, now ...string) heldFolder {
		var calls []planning.Call
		for _, id := range now {
			calls = append(calls, planning.Call{ToolCall: planning.ToolCall{ID: id}})
		}
		h := c.heldBy(agent.Env{Session: "s", Call: call})
		if err := h.fill([][]byte{[]byte("text of " + call)}, calls); err != nil {
			t.Fatal(err)
		}
		return h
	}
	left := fill("left/../..", "left/../..")
	beside := fill("beside", "beside", "last")
	last := fill("last", "beside", "last")
	for name, h := range map[string]heldFolder{"beside": beside, "last": last} {
		if data, err := h.get(hashed("text of " + name)); err != nil || !strings.HasSuffix(string(data), name) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(left.call); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a crash left is still there: %v", err)
	}
	if _, err := last.get(hashed("something else")); err == nil {
		t.Error("a content that was never kept")
	}
}
