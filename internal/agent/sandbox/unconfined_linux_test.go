package sandbox

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A program that people answer for is kept from the server's own data, and
// leaves nothing behind; otherwise it does what its person may.
func TestUnconfined_P28_EverythingButWhatIsProtected(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		w, mark := newWorld(t), marker()
		t.Setenv("SERVER_KEY", secret)
		outside := filepath.Join(t.TempDir(), "made")
		c := Command{
			Dir: w.Workspace, Access: Unconfined, Network: true, Protected: []string{w.Outside, filepath.Join(w.Workspace, "not-there")}, Env: []string{"GIVEN=1"},
			Shell: "echo a > new.txt && chmod 600 new.txt && echo b > " + outside + "; cat ../outside/secret; echo x > ../outside/new; env; (sleep 1000 " + mark + " &) 2>/dev/null; true",
		}
		must(t, c.check())
		r, err := run(context.Background(), c, l)
		must(t, err)
		for _, path := range []string{filepath.Join(w.Workspace, "new.txt"), outside} {
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%v\n%s", err, r.Output)
			}
		}
		if _, err := os.Stat(filepath.Join(w.Outside, "new")); err == nil || strings.Contains(r.Output, secret) {
			t.Errorf("what is protected was reached: %s", r.Output)
		}
		if n := alive(mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

func TestCommand_P28_EnvironmentAndPipes(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		t.Setenv("SERVER_KEY", secret)
		inRead, inWrite, err := os.Pipe()
		must(t, err)
		outRead, outWrite, err := os.Pipe()
		must(t, err)
		_, err = inWrite.WriteString("hello\n")
		must(t, err)
		must(t, inWrite.Close())
		c := Command{
			Dir: w.Workspace, Env: []string{"GIVEN=1"}, Stdin: inRead, Stdout: outWrite,
			Shell: "cat; env | cut -d= -f1; echo complaint >&2",
		}
		must(t, c.check())
		r, err := run(context.Background(), c, l)
		must(t, err)
		must(t, outWrite.Close())
		printed, err := io.ReadAll(outRead)
		must(t, err)
		lines := strings.Fields(string(printed))
		names := slices.DeleteFunc(lines[1:], func(n string) bool { return n == "PWD" || n == "SHLVL" || n == "_" || n == "OLDPWD" }) // the shell's own
		slices.Sort(names)
		if got := strings.Join(names, " "); lines[0] != "hello" || got != "GIVEN HOME LANG PATH TMPDIR" {
			t.Errorf("it read %q and found %q", lines[0], got)
		}
		if r.Output != "complaint\n" {
			t.Errorf("Output = %q, want what went to standard error", r.Output)
		}
	})
}

func TestShorten_BothEndsStay(t *testing.T) {
	text := "begin" + strings.Repeat("x", 1000) + "end"
	short, cut := Shorten(text, 100)
	if !cut || !strings.HasPrefix(short, "begin") || !strings.HasSuffix(short, "end") || !strings.Contains(short, "908 bytes cut out") {
		t.Errorf("cut %v: %q", cut, short)
	}
	if whole, cut := Shorten("a\x00b", 100); cut || whole != "a\uFFFDb" {
		t.Errorf("cut %v: %q", cut, whole)
	}
}
