package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/trial"

	"golang.org/x/sys/unix"
)

// marker is in the command line of every process of a test's command.
func marker() string { return "marker-" + rand.Text() }

// alive counts the processes with a marker in their command line.
func alive(marker string) int {
	n := 0
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if b, err := os.ReadFile(d); err == nil && bytes.Contains(b, []byte(marker)) {
			n++
		}
	}
	return n
}

// When Run returns, nothing of the command is left, however it tried to stay,
// and while planning the workspace is as it was.
func TestFault_17_NothingIsLeftBehind(t *testing.T) {
	var tried atomic.Int32
	t.Cleanup(func() {
		trial.Figures(t, "%d commands that tried to stay, on all stacks: counted as soon as each ended, tree compared", tried.Load())
	})
	sideBySide(t, func(t *testing.T, l layers) {
		m, w := marker(), newWorld(t)
		before := w.State(false)
		long := "sh -c 'sleep 30; : " + m + "'"
		for name, shell := range map[string]string{
			"background":        long + " &",
			"own session":       "setsid " + long + " &",
			"orphan":            "(setsid " + long + " &) ; (" + long + " &)",
			"nohup":             "nohup " + long + " > /dev/null 2>&1 &",
			"deaf to signals":   "trap '' TERM HUP INT; " + long + " &",
			"closed its output": "exec > /dev/null 2>&1; setsid " + long + " &",
			"runs on and on":    "f() { [ $1 = 0 ] && return; sh -c \": " + m + "\"; f $(($1 - 1)) & }; f 5000",
			"supervisor hit":    "kill -9 $PPID; setsid " + long + " &",
		} {
			w.run(l, w.command("echo x > trace; "+shell+"\nsleep 0.05"))
			tried.Add(1)
			if n := alive(m); n != 0 {
				t.Errorf("%s: %d processes left", name, n)
			}
		}
		if w.State(false) != before {
			t.Error("the workspace changed")
		}
	})
}

func TestEnd_TimeoutAndCancel(t *testing.T) {
	sideBySide(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		m := marker()
		shell := "trap '' TERM; (setsid sh -c 'sleep 30; : " + m + "' &); echo begun; sleep 30; : " + m
		c := w.command(shell)
		c.Timeout = 2 * time.Second
		if r := w.run(l, c); !r.TimedOut || r.Cancelled || r.ExitCode != 137 || !strings.Contains(r.Output, "begun") || alive(m) != 0 {
			t.Errorf("%+v, %d alive", r, alive(m))
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		c = w.command(shell)
		c.Output = func([]byte) { cancel() }
		if r, err := run(ctx, c, l); err != nil || !r.Cancelled || r.TimedOut || alive(m) != 0 {
			t.Errorf("%+v, %v, %d alive", r, err, alive(m))
		}
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if r, err := run(done, w.command(shell), l); err == nil && !r.Cancelled || alive(m) != 0 {
			t.Errorf("cancelled before: %+v, %v", r, err)
		}
	})
}

// A fork bomb dies. This one ends by itself after some 500 processes, so that
// it does no harm where the limit fails.
func TestLimit_ForkBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		m := marker()
		l.tasks = 60
		r := w.run(l, w.command("bomb() { [ $1 = 0 ] && return; sh -c 'sleep 20; : "+m+"' & bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; bomb 8; sleep 20"))
		if !strings.Contains(r.Stopped, "processes") || r.ExitCode != 137 || alive(m) != 0 {
			t.Errorf("%+v, %d left", r, alive(m))
		}
	})
}

// A supervisor whose memory is collected goes on listening for the end, and
// takes nothing else for it. A long order makes it collect right at the start.
func TestEnd_P6_OnlyTheEndEndsACommand(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		c := w.command("sleep 0.3; echo done")
		for i := range 20_000 {
			c.ReadOnly = append(c.ReadOnly, fmt.Sprintf("/nowhere/to/be/found/among/the/folders/of/this/machine/%d", i))
		}
		if r := w.run(l, c); r.ExitCode != 0 || r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
	})
}

// What has no more processes than it may is never told that it can't have one.
func TestLimit_ForksNeverFail(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		r := w.run(l, w.command("i=0; while [ $i -lt 50 ]; do true | true | true | true; (exit 0) & (exit 0) & wait; i=$(($i + 1)); done; echo done"))
		if r.ExitCode != 0 || r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
	})
}

func TestLimit_Memory(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		l.memory = 200 << 20
		if r := w.run(l, w.command("{P} eat")); !strings.Contains(r.Stopped, "memory") || r.ExitCode != 137 {
			t.Errorf("%+v", r)
		}
	})
}

func TestLimit_OutputOfOneCommand(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		c := w.command("echo head; yes | head -c 3000000; echo tail")
		c.MaxOutput = 1000
		streamed := 0
		c.Output = func(b []byte) { streamed += len(b) }
		r := w.run(l, c)
		if len(r.Output) > 1100 || !r.Truncated || !strings.HasPrefix(r.Output, "head\n") || !strings.HasSuffix(r.Output, "tail\n") || streamed != 3000010 {
			t.Errorf("%d bytes, streamed %d: %+v", len(r.Output), streamed, r)
		}
	})
}

func TestLimit_Flood(t *testing.T) {
	l := stacks(t, false)["landlock"]
	if l.landlock == 0 { // one stack is enough, and another one is there then
		l = stacks(t, false)["namespaces"]
	}
	w := newWorld(t)
	c := w.command("yes 0123456789012345678901234567890123456789 | head -c 600000000")
	c.Timeout = 10 * time.Minute // so that it is the amount that ends it, on a slow machine too
	if r := w.run(l, c); !strings.Contains(r.Stopped, "printed") {
		t.Errorf("%+v", r)
	}
}

func TestExitCodes(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		for shell, want := range map[string]int{"exit 0": 0, "exit 7": 7, "false": 1, "nowhere-to-be-found": 127, "kill -9 $$": 137, "exec kill -SEGV $$": 139} {
			if r := w.run(l, w.command(shell)); r.ExitCode != want {
				t.Errorf("%s: %+v, want %d", shell, r, want)
			}
		}
	})
}

// The death of the server is the end of its commands.
func TestEnd_WithTheServer(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		m := marker()
		c := w.command("setsid sh -c 'sleep 30; : " + m + "' & sleep 30; : " + m)
		must(t, c.check())
		c.Timeout = time.Minute
		p, err := findPlace(c, l)
		must(t, err)
		defer p.leave()
		h, err := startHelper(kindOf(expected{c, l}))
		must(t, err)
		x, err := h.give(p.order, c, false)
		must(t, err)
		defer x.printed.Close()
		for alive(m) < 2 {
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
		}
		x.line.Close() // as the kernel does for a process that is no more
		<-x.ended
		n := alive(m)
		for tries := 0; n != 0 && tries < 2000; tries++ { // the kernel ends them one after another
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
			n = alive(m)
		}
		if n != 0 {
			t.Errorf("%d left", n)
		}
		x.helper.end()
	})
}

// What a killed server left is removed by the next one; what is in use is not.
func TestScratch_IsSweptUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	inUse, err := makeScratch("/nowhere")
	must(t, err)
	defer inUse.remove()
	left, err := makeScratch("/nowhere")
	must(t, err)
	must(t, os.Mkdir(filepath.Join(left.dir, "work"), 0o000))
	fresh, err := makeScratch("/nowhere")
	must(t, err)
	foreign := filepath.Join(os.TempDir(), "something-else")
	must(t, os.Mkdir(foreign, 0o755))
	long := time.Now().Add(-time.Hour)
	for _, dir := range []string{inUse.dir, left.dir, foreign} {
		must(t, os.Chtimes(dir, long, long))
	}
	left.lock.Close()
	fresh.lock.Close()
	sweep()
	for dir, want := range map[string]bool{inUse.dir: true, fresh.dir: true, foreign: true, left.dir: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v", dir, err == nil)
		}
	}
}

func TestDetect(t *testing.T) {
	s := Detect()
	if s.OK != (s.Stack != StackNone) || s.Namespaces != (s.Stack == StackFull) || s.Overlay && !s.Namespaces || !s.OK && s.Reason == "" {
		t.Errorf("%+v", s)
	}
	t.Setenv("COUNTERSIGN_SANDBOX", "off")
	if again := detect(); again != s {
		t.Errorf("with a variable %+v, without %+v", again, s)
	}
	if os.Getenv("CI") != "" && !s.OK {
		t.Errorf("no sandbox where the tests are to run: %s", s.Reason)
	}
}
