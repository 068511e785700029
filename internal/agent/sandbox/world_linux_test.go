package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// secret must never come out of a command.
const secret = "s3cr3t-0f-the-server"

// world is what a command could do damage to.
type world struct {
	t         *testing.T
	workspace string
	outside   string
	data      string // protected
	prober    string // the test program, readable for the command
	tcp       string
	udp       string
	socket    string // path of a Unix socket
	abstract  string
	inherited int // a descriptor that writes outside, not marked to be closed
	reached   atomic.Int32
	victim    *exec.Cmd
	dead      chan struct{}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "w") // not TempDir: the path of a socket must be short
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	must(t, os.Chmod(root, 0o755))
	w := &world{t: t, workspace: filepath.Join(root, "ws"), outside: filepath.Join(root, "outside"), data: filepath.Join(root, "ws", "data")}
	for name, text := range map[string]string{
		"ws/file": "line 1\nline 2\n", "ws/sub/deep": "deep\n", "ws/ok.txt": "ok\n", "ws/open/old": "old\n",
		"ws/.git/config": "[core]\n\tbare = false\n", "ws/.git/hooks/README": "none\n",
		"ws/data/key": secret, "outside/secret": secret, "outside/file": "outside\n",
	} {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	w.prober, err = prober()
	must(t, err)
	w.listen()
	w.startVictim()
	fd, err := unix.Open(filepath.Join(w.outside, "file"), unix.O_RDWR|unix.O_APPEND, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	w.inherited = fd
	return w
}

func must(t *testing.T, err error) {
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
func (w *world) listen() {
	w.socket = filepath.Join(w.workspace, "sock")
	w.abstract = "countersign-test-" + filepath.Base(filepath.Dir(w.outside)) + fmt.Sprint(os.Getpid())
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
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(w.t, err)
	w.t.Cleanup(func() { p.Close() })
	w.udp = p.LocalAddr().String()
	go func() {
		buffer := make([]byte, 100)
		for {
			_, from, err := p.ReadFrom(buffer)
			if err != nil {
				return
			}
			w.reached.Add(1)
			_, _ = p.WriteTo([]byte("counted"), from)
		}
	}()
}

// knock makes sure that nobody has been at the doors: what came in before our
// own knocks would have been counted by the time that they are.
func (w *world) knock() {
	w.t.Helper()
	knocks := map[string]string{w.tcp: "tcp", w.udp: "udp", w.socket: "unix", "@" + w.abstract: "unix"}
	for address, network := range knocks {
		c, err := net.Dial(network, address)
		must(w.t, err)
		_, _ = c.Write([]byte("knock")) // fails if the other side has hung up already
		_, _ = c.Read(make([]byte, 1))  // returns when the other side has counted and hung up
		c.Close()
	}
	if n := w.reached.Load(); int(n) != len(knocks) {
		w.t.Errorf("reached %d times, not counting our own", int(n)-len(knocks))
	}
}

// startVictim starts a process of the same person, with a secret in its
// arguments and in its environment.
func (w *world) startVictim() {
	w.victim = exec.Command("/bin/sh", "-c", "sleep 600; : "+secret)
	w.victim.Env = []string{"KEY=" + secret}
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

// fill puts this world's names into a command.
func (w *world) fill(shell string) string {
	return strings.NewReplacer("{W}", w.workspace, "{O}", w.outside, "{P}", w.prober+" "+probeWord,
		"{TCP}", w.tcp, "{UDP}", w.udp, "{SOCK}", w.socket, "{ABSTRACT}", w.abstract,
		"{VICTIM}", fmt.Sprint(w.victim.Process.Pid), "{SELF}", fmt.Sprint(os.Getpid()), "{FD}", fmt.Sprint(w.inherited),
		"{PORT}", w.tcp[strings.LastIndexByte(w.tcp, ':')+1:]).Replace(shell)
}

func (w *world) command(shell string) Command {
	return Command{Dir: w.workspace, Shell: w.fill(shell), ReadOnly: []string{filepath.Dir(w.prober)}, Protected: []string{w.data}}
}

// run runs a command under the given layers; that it can't be run is fatal.
func (w *world) run(l layers, c Command) Result {
	w.t.Helper()
	r, err := run(context.Background(), c, l)
	if err != nil {
		w.t.Fatalf("run %q: %v (%#v)", c.Shell, err, err)
	}
	return r
}

// state describes everything that could have changed, one line each.
func (w *world) state() string {
	w.t.Helper()
	var b strings.Builder
	for _, dir := range []string{w.workspace, w.outside} {
		must(w.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			must(w.t, err)
			var s unix.Stat_t
			must(w.t, unix.Lstat(path, &s))
			fmt.Fprintf(&b, "%s mode %o owner %d:%d links %d mtime %d.%d xattrs %q flags %x", strings.TrimPrefix(path, filepath.Dir(w.outside)),
				s.Mode, s.Uid, s.Gid, s.Nlink, s.Mtim.Sec, s.Mtim.Nsec, xattrs(path), flags(path))
			if d.Type().IsRegular() {
				data, err := os.ReadFile(path)
				must(w.t, err)
				fmt.Fprintf(&b, " %x", sha256.Sum256(data))
			}
			b.WriteByte('\n')
			return nil
		}))
	}
	select {
	case <-w.dead:
		b.WriteString("the victim is dead\n")
	default:
	}
	fmt.Fprintf(&b, "reached %d times\n", w.reached.Load())
	if id, err := unix.SysvShmGet(shmKey, 0, 0); err == nil {
		b.WriteString("there is shared memory\n")
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
	return b.String()
}

func xattrs(path string) string {
	buffer := make([]byte, 1000)
	n, err := unix.Llistxattr(path, buffer)
	if err != nil {
		return ""
	}
	return string(bytes.ReplaceAll(buffer[:n], []byte{0}, []byte{' '}))
}

func flags(path string) uint32 {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	n, _ := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	return n
}
