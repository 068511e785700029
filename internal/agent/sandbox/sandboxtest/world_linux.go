package sandboxtest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// World is what a command could do damage to.
type World struct {
	t         testing.TB
	Workspace string
	Outside   string
	Data      string // protected, in the workspace
	Prober    string // the test program, readable for the command
	reached   atomic.Int32
	victim    *exec.Cmd
	dead      chan struct{}

	tcp, udp      string
	socket, dgram string // paths of Unix sockets
	abstract      string
	inherited     int      // a descriptor that writes outside, not marked to be closed
	traces        []string // where nothing must ever be
	prefix        string   // of the paths that State shows
}

// New makes a world. In its workspace a plan may allow ok.txt, new.txt and what
// is in open/, but no .git there; see Allowed.
func New(t testing.TB) *World {
	t.Helper()
	root, err := os.MkdirTemp("", "w") // not TempDir: the path of a socket must be short
	must(t, err)
	root, err = filepath.EvalSymlinks(root)
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	must(t, os.Chmod(root, 0o755))
	w := &World{t: t, Workspace: filepath.Join(root, "ws"), Outside: filepath.Join(root, "outside"), Data: filepath.Join(root, "ws", "data"), prefix: root}
	must(t, os.Mkdir(w.Workspace, 0o755))
	w.repository()
	for name, text := range map[string]string{
		"ws/sub/deep": "deep\n", "ws/ok.txt": "ok\n", "ws/open/old": "old\n", "ws/marked": "marked\n",
		"ws/data/key": Secret, "outside/secret": Secret, "outside/file": "outside\n",
	} {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(t, os.Symlink("file", filepath.Join(w.Workspace, "alias")))
	must(t, os.Mkdir(w.Workspace+"-evil", 0o755))
	must(t, unix.Setxattr(filepath.Join(w.Workspace, "marked"), "user.mark", []byte("x"), 0))
	w.traces = []string{filepath.Join(os.TempDir(), w.id()), filepath.Join("/dev/shm", w.id())}
	t.Cleanup(func() {
		for _, path := range w.traces {
			os.Remove(path)
		}
	})
	w.Prober, err = prober()
	must(t, err)
	w.listen()
	w.startVictim()
	fd, err := unix.Open(filepath.Join(w.Outside, "file"), unix.O_RDWR|unix.O_APPEND, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	w.inherited = fd
	return w
}

func (w *World) id() string { return "countersign-test-" + filepath.Base(w.prefix) }

// Allowed are the files that a plan may list for a world, as patterns.
func Allowed() []string { return []string{"ok.txt", "new.txt", "open/"} }

// repository puts a small repository of two commits into the workspace. It is
// made once and copied.
func (w *World) repository() {
	w.t.Helper()
	from, err := template()
	must(w.t, err)
	must(w.t, os.CopyFS(w.Workspace, os.DirFS(from)))
}

var template = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(tools, "repository")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	script := `set -e
		git init -q --template=
		mkdir -p .git/hooks; echo none > .git/hooks/README; printf '#!/bin/sh\n' > .git/hooks/pre-commit
		echo 'line 1' > file; git add file; git commit -qm first
		echo 'line 2' >> file; git commit -qam second
		printf '[core]\n\tbare = false\n' > .git/config`
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make a repository: %w: %s", err, out)
	}
	return dir, nil
})

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tools is a folder for the copy of the test program that commands run.
var tools string

// prober returns the path of that copy, which is made once.
var prober = sync.OnceValues(func() (string, error) {
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer in.Close()
	to := filepath.Join(tools, "prober")
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return to, errors.Join(err, out.Close())
})

// listen opens everything that a command could knock at.
func (w *World) listen() {
	w.socket = filepath.Join(w.Workspace, "sock")
	w.dgram = filepath.Join(w.Workspace, "dgram")
	w.abstract = fmt.Sprint(w.id(), "-", os.Getpid())
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": w.socket, "unix@": "@" + w.abstract} {
		l, err := net.Listen(strings.TrimSuffix(network, "@"), address)
		must(w.t, err)
		w.t.Cleanup(func() { l.Close() })
		if network == "tcp" {
			w.tcp = l.Addr().String()
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				w.reached.Add(1)
				c.Close()
			}
		}()
	}
	for network, address := range map[string]string{"udp": "127.0.0.1:0", "unixgram": w.dgram, "unixgram@": "@" + w.abstract + "d"} {
		p, err := net.ListenPacket(strings.TrimSuffix(network, "@"), address)
		must(w.t, err)
		w.t.Cleanup(func() { p.Close() })
		if network == "udp" {
			w.udp = p.LocalAddr().String()
		}
		go w.answer(p)
	}
}

func (w *World) answer(p net.PacketConn) {
	buffer := make([]byte, 100)
	for {
		_, from, err := p.ReadFrom(buffer)
		if err != nil {
			return
		}
		w.reached.Add(1)
		if from != nil && from.String() != "" {
			_, _ = p.WriteTo([]byte("counted"), from)
		}
	}
}

// Reached is how many times somebody was at the doors.
func (w *World) Reached() int { return int(w.reached.Load()) }

// Knock makes sure that nobody has been at the doors: what came in before our
// own knocks would have been counted by the time that they are.
func (w *World) Knock() {
	w.t.Helper()
	knocks := map[string]string{w.tcp: "tcp", w.udp: "udp", w.socket: "unix", "@" + w.abstract: "unix"}
	for address, network := range knocks {
		c, err := net.Dial(network, address)
		must(w.t, err)
		_, _ = c.Write([]byte("knock")) // fails if the other side has hung up already
		_, _ = c.Read(make([]byte, 1))  // returns when the other side has counted and hung up
		c.Close()
	}
	if n := w.Reached(); n != len(knocks) {
		w.t.Errorf("reached %d times, not counting our own", n-len(knocks))
	}
}

// startVictim starts a process of the same person, with a secret in its
// arguments and in its environment.
func (w *World) startVictim() {
	w.victim = exec.Command("/bin/sh", "-c", "sleep 600; : "+Secret)
	w.victim.Dir = w.Outside // where State sees what is written into it
	w.victim.Env = []string{"KEY=" + Secret}
	w.victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(w.t, w.victim.Start())
	w.dead = make(chan struct{})
	go func() {
		defer close(w.dead)
		_ = w.victim.Wait()
	}()
	w.t.Cleanup(func() {
		_ = syscall.Kill(-w.victim.Process.Pid, syscall.SIGKILL)
		<-w.dead
	})
}

// Fill puts this world's names into a command.
func (w *World) Fill(shell string) string {
	port := func(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
	return strings.NewReplacer("{W}", w.Workspace, "{O}", w.Outside, "{P}", w.Prober+" "+Probe,
		"{TCP}", w.tcp, "{UDP}", w.udp, "{SOCK}", w.socket, "{DGRAM}", w.dgram, "{ABSTRACT}", w.abstract, "{ID}", w.id(), "{KEY}", fmt.Sprint(w.key()), "{TRACE}", w.traces[0],
		"{VICTIM}", fmt.Sprint(w.victim.Process.Pid), "{SELF}", fmt.Sprint(os.Getpid()), "{FD}", fmt.Sprint(w.inherited),
		"{PORT}", port(w.tcp), "{UPORT}", port(w.udp)).Replace(shell)
}
