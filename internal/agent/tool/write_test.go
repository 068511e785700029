package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// executing makes the desk's session one that executes a plan.
func (d *desk) executing(scope planning.Scope) {
	d.env.State.Mode = planning.ModeExecuting
	d.env.State.Plans = []planning.Plan{{Version: 1, Status: planning.PlanApproved, Scope: scope}}
	d.env.State.Todos = []planning.Todo{{ID: "s1", Text: "a", Status: planning.TodoCompleted}, {ID: "s2", Text: "b", Status: planning.TodoInProgress}}
}

func TestWriteFile_RecordsAheadAndWrites(t *testing.T) {
	d := newDesk(t, map[string]string{"a.go": "one\ntwo\nthree\n"})
	d.executing(planning.Scope{Files: []string{"a.go", "web/"}})
	d.must(os.Chmod(filepath.Join(d.dir, "a.go"), 0o755))
	r := d.call("write_file", args{"path": "a.go", "content": "one\n2\nthree\nfour\n"})
	contains(t, r.Output, "changed a.go: 2 lines added, 1 line removed.")
	r = d.call("write_file", args{"path": "web/x/new.css", "content": "a {}\n"})
	contains(t, r.Output, "created web/x/new.css: 1 line added, 0 lines removed.")
	d.call("write_file", args{"path": "other", "content": ""})
	want := []planning.Payload{
		planning.FileChanged{Call: "c1", Path: "a.go", Existed: true, Exists: true, Before: "one\ntwo\nthree\n", After: "one\n2\nthree\nfour\n", Added: 2, Removed: 1, InPlan: true, Todo: "s2"},
		planning.FileChanged{Call: "c1", Path: "web/x/new.css", Exists: true, After: "a {}\n", Added: 1, InPlan: true, Todo: "s2"},
		planning.FileChanged{Call: "c1", Path: "other", Exists: true, Todo: "s2"},
	}
	if diff := cmp.Diff(want, d.ahead); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	if len(r.Events) != 0 {
		t.Errorf("recorded twice: %v", r.Events)
	}
	if d.get("a.go") != "one\n2\nthree\nfour\n" || d.get("web/x/new.css") != "a {}\n" || d.get("other") != "" {
		t.Error("not written")
	}
	for name, mode := range map[string]os.FileMode{"a.go": 0o755, "web/x/new.css": 0o644} {
		info, err := os.Stat(filepath.Join(d.dir, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(d.dir, ".countersign-*"))
	if len(leftovers) != 0 {
		t.Errorf("left behind: %v", leftovers)
	}
}

func TestWriteFile_TheSameTextIsNoChange(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "x"})
	if r := d.call("write_file", args{"path": "a", "content": "x"}); r.Summary != "unchanged" || len(d.ahead) != 0 {
		t.Errorf("%+v, %v", r, d.ahead)
	}
}

func TestWriteFile_WhatCantBeRecordedIsNotDone(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "old"})
	broken := errors.New("the log is full")
	d.env.Ahead = func(context.Context, ...planning.Payload) error { return broken }
	if _, err := d.try("write_file", args{"path": "a", "content": "new"}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if d.get("a") != "old" {
		t.Error("written without a record")
	}
}

func TestWriteFile_AFailedWriteTakesTheRecordBack(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "old\n", "dir/": ""})
	meanwhile := d.env.Ahead
	d.env.Ahead = func(ctx context.Context, p ...planning.Payload) error {
		d.put("a", "somebody else\n")       // an editor saves between our reading and our writing
		d.put("dir/new", "somebody else\n") // and makes a file where we want to make one
		return meanwhile(ctx, p...)
	}
	for name, c := range map[string]args{"a": {"path": "a", "content": "new\n"}, "dir/new": {"path": "dir/new", "content": "new\n"}} {
		d.ahead = nil
		d.put("a", "old\n")
		d.must(os.RemoveAll(filepath.Join(d.dir, "dir", "new")))
		r, err := d.try("write_file", c)
		var no *agent.ToolError
		if !errors.As(err, &no) || !strings.Contains(no.Message, "changed by somebody else") {
			t.Errorf("%s: %v", name, err)
		}
		if len(r.Events) != 1 || !cmp.Equal(r.Events[0], planning.Payload(d.ahead[0].(planning.FileChanged).Reverse())) {
			t.Errorf("%s: events %+v", name, r.Events)
		}
		if d.get(name) != "somebody else\n" {
			t.Errorf("%s was overwritten: %q", name, d.get(name))
		}
	}
}

func TestWriteFile_LargeAndBinaryTextsAreNotKept(t *testing.T) {
	d := newDesk(t, map[string]string{"bin": "a\x00b", "latin": "caf\xe9"})
	d.call("write_file", args{"path": "large", "content": strings.Repeat("line\n", maxKept/5+1)})
	d.call("write_file", args{"path": "bin", "content": "text now"})
	d.call("write_file", args{"path": "latin", "content": "café"})
	for i, want := range []string{"over 256 KiB", "binary", "binary"} {
		e := d.ahead[i].(planning.FileChanged)
		if e.Omitted != want || e.Before != "" || e.After != "" {
			t.Errorf("%s: omitted %q", e.Path, e.Omitted)
		}
	}
	if e := d.ahead[0].(planning.FileChanged); e.Added != maxKept/5+1 {
		t.Errorf("added %d", e.Added)
	}
	contains(t, d.refused("write_file", args{"path": "huge", "content": strings.Repeat("x", maxFile+1)}), "files of up to")
}

func TestEditFile(t *testing.T) {
	cases := []struct {
		name, text string
		args       args
		want       string
	}{
		{"one place", "a\nb\nc\n", args{"old": "b\n", "new": "B\n"}, "a\nB\nc\n"},
		{"to nothing", "a\nb\nc\n", args{"old": "b\n", "new": ""}, "a\nc\n"},
		{"all places", "x y x", args{"old": "x", "new": "z", "replace_all": true}, "z y z"},
		{"CR LF kept", "a\r\nb\r\nc\r\n", args{"old": "a\nb", "new": "1\n2\n3"}, "1\r\n2\r\n3\r\nc\r\n"},
		{"CR LF given", "a\r\nb\r\n", args{"old": "a\r\nb", "new": "x"}, "x\r\n"},
		{"mixed ends are exact", "a\r\nb\nc\n", args{"old": "b\n", "new": "B\n"}, "a\r\nB\nc\n"},
		{"mark at the start", "\ufeffa\nb\n", args{"old": "a\n", "new": "A\n"}, "\ufeffA\nb\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, map[string]string{"f": c.text})
			c.args["path"] = "f"
			d.call("edit_file", c.args)
			if got := d.get("f"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEditFile_Refusals(t *testing.T) {
	d := newDesk(t, map[string]string{
		"f":   "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n\nfunc handleRequest(w int) {}\n",
		"bin": "x\x00",
	})
	cases := []struct {
		args args
		want []string
	}{
		{args{"path": "f", "old": "return 1", "new": "return 2"}, []string{"stands 2 times in f, at lines 2, 6", "replace_all"}},
		{args{"path": "f", "old": "func handleRequst(w int) {", "new": "x"}, []string{"not found in f", "line 9:\nfunc handleRequest(w int) {}"}},
		{args{"path": "f", "old": "func a() {\n    return 1\n}", "new": "x"}, []string{"match at line 1 but for blanks", "func a() {"}},
		{args{"path": "f", "old": "zzzzzzzz", "new": "x"}, []string{"No line comes near it"}},
		{args{"path": "f", "old": "", "new": "x"}, []string{"old is empty", "write_file"}},
		{args{"path": "f", "old": "x", "new": "x"}, []string{"the same text"}},
		{args{"path": "none", "old": "x", "new": "y"}, []string{"none does not exist", "write_file"}},
		{args{"path": "bin", "old": "x", "new": "y"}, []string{"binary"}},
	}
	for _, c := range cases {
		contains(t, d.refused("edit_file", c.args), c.want...)
	}
	d.put("mixed", "a\r\nb\nc\n")
	contains(t, d.refused("edit_file", args{"path": "mixed", "old": "a\nb", "new": "x"}), "at line 1 but for blanks, indentation or line ends (CR LF")
	d.put("many", strings.Repeat("x\n", 30))
	contains(t, d.refused("edit_file", args{"path": "many", "old": "x", "new": "y"}), "30 times", "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more")
	if len(d.ahead) != 0 {
		t.Errorf("recorded: %v", d.ahead)
	}
}

func TestReconcile(t *testing.T) {
	large := planning.FileChanged{Path: "f", Existed: true, Exists: true, Omitted: "over 256 KiB"}
	created := planning.FileChanged{Path: "f", Exists: true, After: "new"}
	cases := []struct {
		name            string
		disk            string // "-" is no file
		change          planning.FileChanged
		happened, known bool
	}{
		{"written", "new", planning.FileChanged{Path: "f", Existed: true, Exists: true, Before: "old", After: "new"}, true, true},
		{"not yet", "old", planning.FileChanged{Path: "f", Existed: true, Exists: true, Before: "old", After: "new"}, false, true},
		{"something else", "third", planning.FileChanged{Path: "f", Existed: true, Exists: true, Before: "old", After: "new"}, false, false},
		{"created", "new", created, true, true},
		{"not created", "-", created, false, true},
		{"created by somebody else", "other", created, false, false},
		{"deleted", "-", planning.FileChanged{Path: "f", Existed: true, Before: "old"}, true, true},
		{"not deleted", "old", planning.FileChanged{Path: "f", Existed: true, Before: "old"}, false, true},
		{"too large to tell", "new", large, false, false},
		{"large, and gone", "-", large, false, false},
		{"large, to be created, and not there", "-", planning.FileChanged{Path: "f", Exists: true, Omitted: "binary"}, false, true},
		{"a path that leads out", "-", planning.FileChanged{Path: "../f", Existed: true}, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, nil)
			if c.disk != "-" {
				d.put("f", c.disk)
			}
			happened, known := Config{}.Reconcile(d.dir, c.change)
			if happened != c.happened || known != c.known {
				t.Errorf("happened %v, known %v; want %v, %v", happened, known, c.happened, c.known)
			}
		})
	}
}
