package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"countersign/internal/trial"

	"golang.org/x/sys/unix"
)

// waitingFor returns the supervisor that waits after a first command, alone.
func waitingFor(t *testing.T, l layers, w *world) *helper {
	t.Helper()
	ready.chores.Wait() // they may start one more
	ready.forget()
	w.run(l, w.command(":"))
	list := waiting(l, asked(t, w))
	if len(list) != 1 {
		t.Fatalf("%d wait after a command", len(list))
	}
	<-list[0].settled
	return list[0].helper
}

// asked is a command as run has it.
func asked(t *testing.T, w *world) Command {
	c := w.command(":")
	must(t, c.check())
	return c
}

// A supervisor serves one command after another, and nothing of one is there for
// the next: no process, no file, no shared memory, no limit, no folder gone to.
func TestPool_P6_NothingIsThereForTheNext(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		before := w.State(false)
		h := waitingFor(t, l, w)
		w.run(l, w.command("echo trace > trace; echo trace > $HOME/trace; echo trace > $TMPDIR/trace; echo trace > /dev/shm/trace; ipcmk -M 4096; cd sub; ulimit -n 20; umask 0; setsid sleep 1000 & exec 9> $TMPDIR/held"))
		r := w.run(l, w.command(`find . $HOME $TMPDIR /dev/shm -name trace 2> /dev/null; [ "$(pwd)" = {W} ] || pwd
			ipcs -m 2> /dev/null | grep 0x; ulimit -n; umask; for fd in $(seq 3 64); do (: <&$fd) 2> /dev/null && echo $fd; done; ps -e 2> /dev/null | grep sleep; true`))
		if want := fmt.Sprintf("%d\n0022\n", maxOpen); r.Output != want {
			t.Errorf("the next command finds %q, want %q", r.Output, want)
		}
		if left := taken(l, asked(t, w)); left != h || h.served != 3 {
			t.Errorf("%p waits, was %p, having served %d", left, h, h.served)
		}
		if w.State(false) != before {
			t.Error("the workspace changed")
		}
	})
}

func taken(l layers, c Command) *helper { return ready.take(expected{c, l}) }

func TestPool_P6_GivenOutOnce(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		h, c := waitingFor(t, l, w), asked(t, w)
		if got := taken(l, c); got != h {
			t.Fatalf("given out %p, waiting was %p", got, h)
		}
		if again := taken(l, c); again != nil {
			t.Error("given out twice")
		}
		h.retire()
	})
}

// Sessions that take turns come to have a supervisor each, with what it prepared.
func TestPool_P6_OneForEachThatTakesTurns(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		one, other := newWorld(t), newWorld(t)
		ready.forget()
		for range 3 {
			one.run(l, one.command(":"))
			other.run(l, other.command(":"))
			ready.chores.Wait()
		}
		for _, w := range []*world{one, other} {
			p, err := findPlace(asked(t, w), l)
			must(t, err)
			if !p.isPrepared {
				t.Error("nothing was prepared for it")
			}
			p.leave()
		}
	})
}

// One that was told to stop, or had to, is not used again.
func TestPool_P6_NotAfterAStop(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		h := waitingFor(t, l, w)
		ctx, cancel := context.WithCancel(context.Background())
		c := w.command("echo begun; sleep 30")
		c.Output = func([]byte) { cancel() }
		r, err := run(ctx, c, l)
		if err != nil || !r.Cancelled {
			t.Errorf("%+v, %v", r, err)
		}
		<-h.ended
		if next := taken(l, asked(t, w)); next != nil {
			t.Error("one waits")
		}
	})
}

// What waits has the clean environment, and holds nothing but its own line.
func TestPool_P6_HoldsNothingOfTheServer(t *testing.T) {
	t.Setenv("COUNTERSIGN_SECRET", secret)
	here(t, func(t *testing.T, l layers) {
		proc := fmt.Sprintf("/proc/%d/", waitingFor(t, l, newWorld(t)).cmd.Process.Pid)
		env, err := os.ReadFile(proc + "environ")
		must(t, err)
		if want := strings.Join(helperEnv, "\x00") + "\x00"; string(env) != want {
			t.Errorf("environment %q, want %q", env, want)
		}
		list := foreign(proc + "fd/")
		for tries := 0; len(list) != 0 && tries < 5000; tries++ { // it may still prepare
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
			list = foreign(proc + "fd/")
		}
		if len(list) != 0 {
			t.Errorf("it holds %q", list)
		}
	})
}

// foreign lists what a supervisor holds besides its line, what it would complain
// to, and what its runtime has made for itself.
func foreign(dir string) (list []string) {
	fds, _ := os.ReadDir(dir)
	for _, fd := range fds {
		to, err := os.Readlink(dir + fd.Name())
		own := fd.Name() == "3" && strings.HasPrefix(to, "socket:") || fd.Name() == "2" && strings.HasPrefix(to, "pipe:")
		own = own || strings.HasPrefix(to, "mnt:") // of the command that it has prepared for
		runtimes := strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/")
		if err == nil && !own && !runtimes && (fd.Name() > "1" || to != os.DevNull) {
			list = append(list, to)
		}
	}
	return list
}

// One that dies while it waits, or before it has taken the command, costs nothing
// but time.
func TestPool_P6_KilledIsReplaced(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		h := waitingFor(t, l, w)
		must(t, h.cmd.Process.Kill())
		<-h.ended
		if r := w.run(l, w.command("echo done")); r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
		h = waitingFor(t, l, w)
		must(t, h.cmd.Process.Signal(syscall.SIGSTOP))
		go func() {
			for len(waiting(l, asked(t, w))) > 0 {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
			}
			_ = h.cmd.Process.Kill()
		}()
		if r := w.run(l, w.command("echo done >> $TMPDIR/ran; cat $TMPDIR/ran")); r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
	})
}

// waiting are those that wait for a command of this kind.
func waiting(l layers, c Command) []*waiter {
	ready.mu.Lock()
	defer ready.mu.Unlock()
	return slices.Clone(ready.waiting[kindOf(expected{c, l})])
}

func TestPool_P6_CommandThatWasNotTaken(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		h := waitingFor(t, l, w)
		p, err := findPlace(asked(t, w), l)
		must(t, err)
		defer p.leave()
		must(t, h.cmd.Process.Signal(syscall.SIGSTOP))
		x, err := h.give(p.order, asked(t, w), p.isPrepared)
		must(t, err)
		must(t, h.cmd.Process.Kill())
		if r, err := x.wait(context.Background(), asked(t, w)); !errors.Is(err, errNotTaken) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// The limit of processor time binds the supervisor as well, which needs some for
// each command. It gives way to another one before it has used it up.
func TestPool_P6_BeforeItsTimeIsUp(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		l.cpu = 1
		w := newWorld(t)
		h := waitingFor(t, l, w)
		serves := func(w *waiter) bool { return w.helper == h }
		for n := 0; slices.ContainsFunc(waiting(l, asked(t, w)), serves); n++ {
			if r := w.run(l, w.command("echo fine")); r.Output != "fine\n" {
				t.Fatalf("command %d: %+v", n, r)
			}
			if n > 1000 {
				t.Fatal("it serves on")
			}
		}
	})
}

// What was prepared is used only if it is what would be prepared now.
func TestPool_P6_PreparedFits(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		for name, change := range map[string]func(w *world, c *Command){
			"nothing": func(*world, *Command) {},
			"the protected folder": func(w *world, _ *Command) {
				must(t, os.Rename(w.Data, w.Data+".old"))
				must(t, os.Mkdir(w.Data, 0o755))
			},
			"another workspace": func(_ *world, c *Command) { c.Dir = t.TempDir() },
			"the network":       func(_ *world, c *Command) { c.Network = true },
			"another command":   func(_ *world, c *Command) { c.Shell = "echo other" },
			"the workspace's folder": func(w *world, _ *Command) {
				must(t, os.Rename(w.Workspace, w.Workspace+".old"))
				must(t, os.Mkdir(w.Workspace, 0o755))
			},
		} {
			w := newWorld(t)
			h, c := waitingFor(t, l, w), asked(t, w)
			change(w, &c)
			p, err := findPlace(c, l)
			must(t, err)
			if want := name == "nothing" || name == "another command"; p.helper != h || p.isPrepared != want {
				t.Errorf("%s has changed: prepared %v, want %v, by the one that waited %v", name, p.isPrepared, want, p.helper == h)
			}
			p.leave()
		}
	})
}

// What lies in the workspace when the command comes is what it sees, although its
// layer was put there before.
func TestPool_P6_SeesTheWorkspaceAsItIs(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		waitingFor(t, l, w)
		must(t, os.WriteFile(filepath.Join(w.Workspace, "file"), []byte("changed\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(w.Workspace, "sub", "new"), []byte("new\n"), 0o644))
		must(t, os.Remove(filepath.Join(w.Workspace, "sub", "deep")))
		must(t, os.WriteFile(filepath.Join(w.Data, "new-secret"), []byte(secret), 0o644))
		if r := w.run(l, w.command("cat file; ls sub; cat data/new-secret 2> /dev/null; true")); r.Output != "changed\nnew\n" {
			t.Errorf("%+v", r)
		}
	})
}

// A signal, of which the runtime sends itself many, is no change of the mounts.
func TestPool_P6_SignalsAreNoReason(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		h, stop := waitingFor(t, l, newWorld(t)), make(chan struct{})
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread := unix.Gettid()
		var sent sync.WaitGroup
		sent.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = unix.Tgkill(unix.Getpid(), thread, unix.SIGURG)
				}
			}
		})
		for i := range 20_000 {
			if !h.usable() {
				t.Errorf("not used at try %d", i)
				break
			}
		}
		close(stop)
		sent.Wait()
	})
}

// When nobody keeps them any more, they are gone, and none is kept.
func TestPool_P6_NoneAfterTheEnd(t *testing.T) {
	l, w := stacks(t, false)["landlock"], newWorld(t)
	if l.landlock == 0 {
		l = stacks(t, false)["namespaces"]
	}
	p := &pool{users: 1, waiting: map[kind][]*waiter{}}
	for _, keeps := range []bool{true, false} {
		h, err := startHelper(kindOf(expected{asked(t, w), l}))
		must(t, err)
		p.put(h, expected{asked(t, w), l})
		if got := len(p.waiting[h.kind]) == 1; got != keeps {
			t.Errorf("kept: %v, want %v", got, keeps)
		}
		if keeps {
			p.leave()
		}
		<-h.ended
		if left := h.ahead.scratch.dir; left != "" {
			if _, err := os.Stat(left); err == nil {
				t.Errorf("%s is left", left)
			}
		}
	}
	p.chores.Wait()
}

// asServer makes a test play a server of its own.
const asServer = "COUNTERSIGN_TEST_SERVER"

func TestPool_P6_EndsWithAKilledServer(t *testing.T) {
	if os.Getenv(asServer) != "" {
		for _, l := range stacks(t, false) {
			fmt.Println("waits:", waitingFor(t, l, newWorld(t)).cmd.Process.Pid)
		}
		fmt.Println("waits: 0")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	server := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$")
	server.Env = append(os.Environ(), asServer+"=1", "TMPDIR="+t.TempDir())
	_, err := server.StdinPipe()
	must(t, err)
	out, err := server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	var pids []int
	for lines, pid := bufio.NewScanner(out), 0; lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "waits: %d", &pid); n == 1 && pid == 0 {
			break
		} else if n == 1 {
			pids = append(pids, pid)
		}
	}
	must(t, server.Process.Kill())
	_ = server.Wait()
	if len(pids) != len(stacks(t, false)) {
		t.Fatalf("%v wait", pids)
	}
	for _, pid := range pids {
		tries := 0
		for ; running(pid) && tries < 2000; tries++ {
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
		}
		if tries == 2000 {
			t.Errorf("%d is still there", pid)
		}
	}
}

// running: what is dead may wait for somebody to ask for it.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// One that sees other mounts than the server is not used.
func TestPool_P6_MountsHaveChanged(t *testing.T) {
	if os.Getenv(asServer) != "" {
		h, err := startHelper(kind{})
		must(t, err)
		defer h.end()
		before := h.usable()
		dir := t.TempDir()
		must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, ""))
		defer unix.Unmount(dir, 0)
		if after := h.usable(); !before || after {
			t.Errorf("used before: %v, after: %v", before, after)
		}
		return
	}
	if !Detect().Namespaces {
		trial.Lacks(t, "this machine has no namespaces")
	}
	server := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.v")
	server.Env = append(os.Environ(), asServer+"=1")
	k := kind{namespaces: true}
	server.SysProcAttr = k.attributes()
	if out, err := server.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}
