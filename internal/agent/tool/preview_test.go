package tool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/agent"
)

// preview asks a tool what a call would change.
func (d *desk) preview(name string, a args) (agent.Preview, error) {
	d.t.Helper()
	raw, err := json.Marshal(a)
	d.must(err)
	return d.tool(name).(agent.Previewer).Preview(d.env, raw)
}

func TestPreview_P24_TheDiffIsAgainstWhatIsOnDisk(t *testing.T) {
	lines := strings.Repeat("line\n", 50)
	d := newDesk(t, map[string]string{"a.go": lines + "x := 1\n" + lines, "bin": "a\x00b", "same": "x"})
	cases := []struct {
		tool   string
		args   args
		has    []string
		hasNot string
	}{
		{"write_file", args{"path": "a.go", "content": lines + "x := 2\n" + lines}, []string{"--- a.go\n+++ a.go\n@@ -48,7 +48,7 @@", "\n-x := 1\n+x := 2\n"}, "+line"},
		{"edit_file", args{"path": "a.go", "old": "x := 1", "new": "x := 2"}, []string{"@@ -48,7 +48,7 @@", "\n-x := 1\n+x := 2\n"}, "+line"},
		{"write_file", args{"path": "new", "content": "one\ntwo"}, []string{"@@ -0,0 +1,2 @@", "+one\n+two\n"}, "\n-"},
		{"write_file", args{"path": "bin", "content": "text"}, []string{"bin is no text", "3 bytes before, 4 bytes afterwards"}, "+text"},
		{"write_file", args{"path": "same", "content": "x"}, []string{"same holds exactly this text already."}, "@@"},
		{"write_file", args{"path": "void", "content": ""}, []string{"void is empty."}, "@@"},
	}
	for _, c := range cases {
		p, err := d.preview(c.tool, c.args)
		d.must(err)
		contains(t, p.Detail, c.has...)
		if strings.Contains(p.Detail, c.hasNot) {
			t.Errorf("%v: %q in %s", c.args, c.hasNot, p.Detail)
		}
	}
	if d.get("new") != "(missing)" || len(d.ahead) != 0 {
		t.Error("looking changed something")
	}
}

func TestPreview_P24_ALongDiffSaysThatItIsCut(t *testing.T) {
	d := newDesk(t, nil)
	p, err := d.preview("write_file", args{"path": "a", "content": strings.Repeat("line\n", 9000)})
	d.must(err)
	contains(t, p.Detail, "+line\n+line\n[Cut here: ", "of 9003 lines are shown. Allowing this allows the rest as well.]\n")
	if len(p.Detail) > maxPreview+200 {
		t.Errorf("%d bytes", len(p.Detail))
	}
}

func TestPreview_P24_WhatCanNotSucceedIsNotAskedAbout(t *testing.T) {
	d := newDesk(t, map[string]string{"a": "x", "sub/b": ""})
	d.must(os.Symlink("sub", filepath.Join(d.dir, "link")))
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"edit_file", args{"path": "a", "old": "y", "new": "z"}, "not found in a"},
		{"write_file", args{"path": "link/b", "content": "z"}, "symbolic link"},
		{"write_file", args{"path": "a", "content": strings.Repeat("x", maxFile+1)}, "files of up to"},
	} {
		_, err := d.preview(c.tool, c.args)
		var no *agent.ToolError
		if !errors.As(err, &no) || !strings.Contains(no.Message, c.want) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
}

func TestWrite_P24_WhatWasSeenIsWhatIsChanged(t *testing.T) {
	calls := map[string]args{
		"write_file": {"path": "a", "content": "x := 2\n"},
		"edit_file":  {"path": "a", "old": "1", "new": "2"},
	}
	for name, call := range calls {
		d := newDesk(t, map[string]string{"a": "x := 1\n"})
		p, err := d.preview(name, call)
		d.must(err)
		d.env.Seen = p.Seen
		d.put("a", "x := 1 // by an editor\n")
		contains(t, d.refused(name, call), "a has changed since a person was asked")
		if d.get("a") != "x := 1 // by an editor\n" || len(d.ahead) != 0 {
			t.Errorf("%s: a holds %q", name, d.get("a"))
		}
		d.put("a", "x := 1\n")
		d.call(name, call)
		if d.get("a") != "x := 2\n" {
			t.Errorf("%s: a holds %q", name, d.get("a"))
		}
	}
	d := newDesk(t, nil)
	p, err := d.preview("write_file", args{"path": "new", "content": "mine"})
	d.must(err)
	d.env.Seen = p.Seen
	d.put("new", "")
	contains(t, d.refused("write_file", args{"path": "new", "content": "mine"}), "new has changed since a person was asked")
}
