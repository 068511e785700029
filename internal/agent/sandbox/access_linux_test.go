package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/trial"

	"github.com/google/go-cmp/cmp"
)

// approved allows ok.txt, new.txt and what is in open/.
func (w *world) approved(shell string) Command {
	c := w.command(shell)
	c.Access = Approved
	c.Writable = func(p string) bool { return p == "ok.txt" || p == "new.txt" || strings.HasPrefix(p, "open/") }
	c.Folders = []string{"open"}
	return c
}

// read is what a file holds now.
func (w *world) read(name string) string {
	b, err := os.ReadFile(filepath.Join(w.Workspace, name))
	if err != nil {
		return "(missing)"
	}
	return string(b)
}

// Without a layer what is allowed is written in place, and nothing else is.
func TestApproved_InPlace(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		l.overlay = false
		w := newWorld(t)
		must(t, os.Link(filepath.Join(w.Outside, "file"), filepath.Join(w.Workspace, "open", "hard")))
		must(t, os.Symlink(filepath.Join(w.Outside, "file"), filepath.Join(w.Workspace, "open", "link")))
		must(t, os.MkdirAll(filepath.Join(w.Workspace, "open", "repo", ".git"), 0o755))
		direct := 0
		c := w.approved(`
			echo changed > ok.txt
			echo changed > file; rm -f file; mv ok.txt other; echo x > top; echo x > sub/deep
			echo changed > open/old; echo evil > open/hard; echo evil > open/link
			echo evil > open/repo/.git/config; echo evil > .git/config`)
		c.Direct = func() error { direct++; return nil }
		r := w.run(l, c)
		for name, want := range map[string]string{
			"ok.txt": "changed\n", "file": "line 1\nline 2\n", "other": "(missing)", "top": "(missing)", "sub/deep": "deep\n",
			"open/old": "changed\n", "../outside/file": "outside\n", "open/repo/.git/config": "(missing)", ".git/config": "[core]\n\tbare = false\n",
		} {
			if got := w.read(name); got != want {
				t.Errorf("%s holds %q, want %q\n%s", name, got, want, r.Output)
			}
		}
		if direct != 1 {
			t.Errorf("Direct was called %d times", direct)
		}
	})
}

// In a folder that is allowed as a whole files come and go, but no .git.
func TestApproved_AWholeFolderInPlace(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		l.overlay = false
		w := newWorld(t)
		r := w.run(l, w.approved(`cd open && mkdir a && echo x > a/b && mv a/b c && rm old && sed -i s/x/y/ c && cat c
			mkdir -p deep/.git/hooks && echo evil > deep/.git/hooks/pre-commit; echo evil > .GIT; echo done`))
		if w.read("open/c") != "y\n" || w.read("open/old") != "(missing)" || !strings.Contains(r.Output, "done") {
			t.Errorf("exit %d: %s", r.ExitCode, r.Output)
		}
		slices.Sort(r.Removed)
		if diff := cmp.Diff([]string{"open/.GIT", "open/deep/.git"}, r.Removed); diff != "" {
			t.Errorf("removed (-want +got):\n%s", diff)
		}
		if w.read("open/deep/.git/hooks/pre-commit") != "(missing)" || w.read("open/.GIT") != "(missing)" {
			t.Error("a new .git is left")
		}
	})
}

func TestWorkspace_InPlace(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		l.overlay = false
		w := newWorld(t)
		c := w.command(`echo 2 > file; echo 2 > sub/deep; echo new > sub/new; echo evil > .git/config; echo evil > .git/hooks/x
			mkdir .git2 .GIT; echo evil > data/key; cat data/key; mkdir sub/.git; echo evil > {O}/file`)
		c.Access = Workspace
		r := w.run(l, c)
		for name, want := range map[string]string{
			"file": "2\n", "sub/deep": "2\n", "sub/new": "new\n", ".git/config": "[core]\n\tbare = false\n", ".git/hooks/x": "(missing)",
			"data/key": secret, "../outside/file": "outside\n",
		} {
			if got := w.read(name); got != want {
				t.Errorf("%s holds %q, want %q\n%s", name, got, want, r.Output)
			}
		}
		if _, err := os.Stat(filepath.Join(w.Workspace, "sub", ".git")); err == nil || strings.Contains(r.Output, secret) {
			t.Errorf("a new .git, or the secret: %s", r.Output)
		}
	})
}

// With a layer a command may write as it likes, and the caller is told of all.
func TestLayer_TellsAllChanges(t *testing.T) {
	l, ok := stacks(t, false)["overlay"]
	if !ok {
		trial.Lacks(t, Detect().Reason)
	}
	w := newWorld(t)
	for name, text := range map[string]string{"tree/a/1": "1", "tree/a/2": "2", "tree/b": "b", "swap/x": "x", "becomes": "file", "same": "same"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(w.Workspace, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(w.Workspace, name), []byte(text), 0o644))
	}
	before := w.State(false)
	var got []string
	c := w.approved(`
			echo changed > ok.txt; echo new > new.txt; rm file; chmod 755 sub/deep
			rm -r tree/a; rm -r swap; mkdir swap; echo y > swap/y
			rm becomes; mkdir becomes; echo in > becomes/in
			ln -s /etc/passwd link; mkfifo pipe; touch same; mkdir empty
			mv open moved; echo x >> .git/config`)
	c.Layer = func(changes []Change, started time.Time) error {
		for _, ch := range changes {
			line := fmt.Sprintf("%s %s", ch.Kind, ch.Path)
			if ch.Kind != Deleted {
				line += " " + ch.Mode.String()
			}
			if ch.Kind != Deleted && ch.Mode.IsRegular() {
				f, err := ch.Open()
				must(t, err)
				b, err := io.ReadAll(f)
				must(t, err)
				f.Close()
				line += fmt.Sprintf(" %q", b)
			} else if ch.Open != nil {
				if _, err := ch.Open(); err == nil {
					t.Errorf("%s could be opened", ch.Path)
				}
			}
			got = append(got, line)
		}
		return nil
	}
	r := w.run(l, c)
	slices.Sort(got)
	want := []string{
		`created becomes/in -rw-r--r-- "in\n"`, `created link Lrwxrwxrwx`, `created moved/old -rw-r--r-- "old\n"`, `created new.txt -rw-r--r-- "new\n"`,
		`created pipe prw-r--r--`, `created swap/y -rw-r--r-- "y\n"`, `deleted becomes`, `deleted file`, `deleted open/old`,
		`deleted swap/x`, `deleted tree/a/1`, `deleted tree/a/2`,
		`modified .git/config -rw-r--r-- "[core]\n\tbare = false\nx\n"`, `modified ok.txt -rw-r--r-- "changed\n"`, `modified sub/deep -rwxr-xr-x "deep\n"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, r.Output)
	}
	if diff := cmp.Diff(before, w.State(false)); diff != "" {
		t.Errorf("the workspace changed:\n%s", diff)
	}
}

func TestLayer_ThrownAwayChangesAreListed(t *testing.T) {
	s := Detect()
	if !s.Overlay {
		trial.Lacks(t, s.Reason)
	}
	w := newWorld(t)
	r := w.run(layers{landlock: s.Landlock, namespaces: true, overlay: true},
		w.command("echo x > a; rm file; mkdir -p n/m; echo y > n/m/z; echo x > .git/a; echo x > .git/b; touch ok.txt"))
	if diff := cmp.Diff([]string{".git/", "a", "file", "n/m/z"}, r.Discarded); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A workspace among the server's own data is open, and the data is not.
func TestProtected_AroundTheWorkspace(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		c := w.command("cat file; cat {O}/secret; ls {O}; cat data/key")
		c.Protected = append(c.Protected, filepath.Dir(w.Workspace))
		c.ReadOnly = append(c.ReadOnly, filepath.Dir(filepath.Dir(w.Workspace))) // even where a folder above is opened
		r := w.run(l, c)
		if !strings.Contains(r.Output, "line 1") || strings.Contains(r.Output, secret) {
			t.Errorf("output: %s", r.Output)
		}
	})
}

func TestRun_RefusesWhatMakesNoSense(t *testing.T) {
	stacks(t, false)
	dir := t.TempDir()
	for _, c := range []Command{
		{Dir: "relative", Shell: ":"}, {Dir: filepath.Join(dir, "none"), Shell: ":"}, {Dir: dir}, {Dir: dir, Shell: strings.Repeat("x", maxShell+1)},
	} {
		if r, err := Run(context.Background(), c); err == nil {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

func TestRun_AWorkspaceWithAnOddName(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		dir := filepath.Join(t.TempDir(), `a:b,c \d "e' $(x)`)
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "f"), []byte("inside\n"), 0o644))
		r, err := run(context.Background(), Command{Dir: dir, Shell: "cat f; echo x > f"}, l)
		if err != nil || !strings.Contains(r.Output, "inside") {
			t.Errorf("%+v, %v", r, err)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, "f")); string(b) != "inside\n" {
			t.Errorf("it was written: %q", b)
		}
	})
}
