package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"countersign/internal/trial"

	"golang.org/x/sys/unix"
)

// waitingFor returns the supervisor that waits after a first command.
func waitingFor(t *testing.T, l layers, w *world) *execution {
	t.Helper()
	w.run(l, w.command(":"))
	ready.mu.Lock()
	s := ready.waiting[kindOf(l, Command{})]
	ready.mu.Unlock()
	if s == nil {
		t.Fatal("none waits after a command")
	}
	<-s.started
	if s.x == nil {
		t.Fatal("it could not be started")
	}
	return s.x
}

func TestSpare_P6_ServesOneCommand(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		x := waitingFor(t, l, w)
		if got := taken(l); got != x {
			t.Fatalf("given out %p, waiting was %p", got, x)
		}
		if again := taken(l); again != nil {
			t.Error("given out twice")
		}
		x.end()
		x = waitingFor(t, l, w)
		if r := w.run(l, w.command("echo done")); r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
		<-x.ended // by itself, having served
		if next := waitingFor(t, l, w); next.cmd.Process.Pid == x.cmd.Process.Pid {
			t.Error("the same one waits again")
		}
	})
}

func taken(l layers) *execution {
	return ready.take(order{Namespaces: l.namespaces, Landlock: l.landlock})
}

// What waits has the clean environment, and holds nothing but its own pipes.
func TestSpare_P6_HoldsNothingOfTheServer(t *testing.T) {
	t.Setenv("COUNTERSIGN_SECRET", secret)
	here(t, func(t *testing.T, l layers) {
		proc := fmt.Sprintf("/proc/%d/", waitingFor(t, l, newWorld(t)).cmd.Process.Pid)
		env, err := os.ReadFile(proc + "environ")
		must(t, err)
		if want := strings.Join(helperEnv, "\x00") + "\x00"; string(env) != want {
			t.Errorf("environment %q, want %q", env, want)
		}
		list := foreign(proc + "fd/")
		for tries := 0; len(list) != 0 && tries < 5000; tries++ { // it closes them when it begins
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
			list = foreign(proc + "fd/")
		}
		if len(list) != 0 {
			t.Errorf("it holds %q", list)
		}
	})
}

// foreign lists what a supervisor holds besides its pipes and what its runtime
// has made for itself.
func foreign(dir string) (list []string) {
	fds, _ := os.ReadDir(dir)
	for _, fd := range fds {
		to, err := os.Readlink(dir + fd.Name())
		pipe := strings.HasPrefix(to, "pipe:") && len(fd.Name()) == 1 && fd.Name() <= "4"
		runtimes := strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/")
		if err == nil && !pipe && !runtimes && (fd.Name() != "0" || to != os.DevNull) {
			list = append(list, to)
		}
	}
	return list
}

// One that dies while it waits, or before it has taken the order, costs nothing
// but time.
func TestSpare_P6_KilledIsReplaced(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		x := waitingFor(t, l, w)
		must(t, x.cmd.Process.Kill())
		<-x.ended
		if r := w.run(l, w.command("echo done")); r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
		x = waitingFor(t, l, w)
		must(t, x.cmd.Process.Signal(syscall.SIGSTOP))
		go func() {
			for waits(l) {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
			}
			_ = x.cmd.Process.Kill()
		}()
		if r := w.run(l, w.command("echo done >> $TMPDIR/ran; cat $TMPDIR/ran")); r.Output != "done\n" {
			t.Errorf("%+v", r)
		}
	})
}

func waits(l layers) bool {
	ready.mu.Lock()
	defer ready.mu.Unlock()
	return ready.waiting[kindOf(l, Command{})] != nil
}

func TestSpare_P6_OrderThatWasNotTaken(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		waitingFor(t, l, w)
		x := taken(l)
		must(t, x.cmd.Process.Signal(syscall.SIGSTOP))
		must(t, x.give(order{Shell: "echo never", Dir: "/"}))
		must(t, x.cmd.Process.Kill())
		if r, err := x.wait(context.Background(), Command{Timeout: DefaultTimeout, MaxOutput: DefaultOutput}); !errors.Is(err, errNotTaken) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// When nobody keeps them any more, they are gone, and none is started.
func TestSpare_P6_NoneAfterTheEnd(t *testing.T) {
	p := &spares{users: 1, waiting: map[kind]*spare{}}
	p.refill(kind{})
	s := p.waiting[kind{}]
	p.leave()
	if s == nil || s.x == nil {
		t.Fatal("none was started")
	}
	<-s.x.ended
	p.refill(kind{})
	if len(p.waiting) != 0 {
		t.Error("one was started")
	}
}

// asServer makes a test play a server of its own.
const asServer = "COUNTERSIGN_TEST_SERVER"

func TestSpare_P6_EndsWithAKilledServer(t *testing.T) {
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
func TestSpare_P6_MountsHaveChanged(t *testing.T) {
	if os.Getenv(asServer) != "" {
		ready.refill(kind{})
		s := ready.waiting[kind{}]
		<-s.started
		before := s.alive()
		dir := t.TempDir()
		must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, ""))
		defer unix.Unmount(dir, 0)
		if after := s.alive(); !before || after {
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
