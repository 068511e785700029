package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helper is a supervisor, seen from the server.
type helper struct {
	kind       kind
	cmd        *exec.Cmd
	line       *net.UnixConn // closing it for writing stops the command
	told       *bufio.Reader // of the line
	mounts     int           // tells by poll whether mounts have changed since it was started
	complaints bytes.Buffer  // what it printed itself; to be read when it has ended
	ended      chan struct{} // closed when it is no more; cmd.ProcessState is set then
	served     int           // commands

	ahead prepared
}

// execution is a command under a supervisor.
type execution struct {
	*helper
	printed  *os.File  // what the command prints
	started  time.Time // when the supervisor was told of it
	report   report    // what the supervisor said of it
	noReport error     // why there is none
	taken    bool      // the supervisor had the command before it ended
}

// attributes puts the supervisor into namespaces of its own, where it is
// allowed to arrange mounts although nobody outside gave it the right.
func (k kind) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !k.namespaces {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SETPCAP}
	return a
}

// helperEnv is the environment of the supervisor, which holds nothing of the
// server's.
var helperEnv = []string{"GOMAXPROCS=2"}

// startHelper starts a supervisor, which waits for commands of this kind.
func startHelper(k kind) (*helper, error) {
	ours, theirs, err := line()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		ours.Close()
		return nil, err
	}
	h := &helper{kind: k, line: ours, told: bufio.NewReader(ours), mounts: mounts, ended: make(chan struct{})}
	h.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], word}, Env: helperEnv, Dir: "/",
		Stderr: &h.complaints, ExtraFiles: []*os.File{theirs}, SysProcAttr: k.attributes(),
	}
	if err := k.startIn(h.cmd.Start); err != nil {
		h.close()
		return nil, &setupError{"start", err.Error()}
	}
	go func() {
		defer close(h.ended)
		_ = h.cmd.Wait()
	}()
	return h, nil
}

// startIn starts the supervisor, in a Landlock domain of its own where that is
// what ends the command. The domain is that of a thread which does nothing else.
func (k kind) startIn(start func() error) (err error) {
	if !k.domain {
		return start()
	}
	onOtherThread(func() {
		if err = keepSignalsIn(); err == nil {
			err = start()
		}
	})
	return err
}

// usable tells whether it lives, and what it sees is still what the server sees:
// a mount namespace is a copy that what is mounted later may not come into.
func (h *helper) usable() bool {
	select {
	case <-h.ended:
		return false
	default:
	}
	changed := []unix.PollFd{{Fd: int32(h.mounts), Events: unix.POLLPRI}}
	for {
		n, err := unix.Poll(changed, 0)
		if err != unix.EINTR { // by the runtime's own signals, of which there are many
			return n == 0 && err == nil
		}
	}
}

// wake tells the supervisor nothing, which takes it off its sleep while the
// confinement of its command is worked out.
func (h *helper) wake() { _ = send(h.line, message{}) }

// prepare tells the supervisor what the next command will be confined to. That
// it fails is seen when there is one.
func (h *helper) prepare(c *confinement) {
	_ = send(h.line, message{Confine: c})
}

// give hands over the command, and its confinement unless that was prepared.
func (h *helper) give(o order, c Command, isPrepared bool) (x *execution, err error) {
	x = &execution{helper: h, started: time.Now()}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	none, err := os.Open(os.DevNull)
	if err != nil {
		read.Close()
		return nil, err
	}
	defer none.Close()
	x.printed = read
	files := [standard]*os.File{none, write, write}
	if c.Stdin != nil {
		files[0] = c.Stdin
	}
	if c.Stdout != nil {
		files[1] = c.Stdout
	}
	m := message{Run: &script{Shell: o.Shell, Env: o.Env}}
	if !isPrepared {
		m.Confine = &o.confinement
	}
	h.served++
	// That it is no more is seen by the answer that does not come.
	if err := send(h.line, m, files[:]...); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		read.Close()
		return nil, fmt.Errorf("hand over a command: %w", err)
	}
	return x, nil
}

// stop makes the supervisor end its command, and then itself.
func (h *helper) stop() { _ = h.line.CloseWrite() }

// end ends a supervisor that is of no use any more.
func (h *helper) end() {
	h.bringToEnd()
	h.close()
}

// bringToEnd returns when the supervisor is no more.
func (h *helper) bringToEnd() {
	h.stop()
	select {
	case <-h.ended:
	case <-time.After(grace):
		_ = h.cmd.Process.Kill()
		<-h.ended
	}
}

func (h *helper) close() {
	h.line.Close()
	unix.Close(h.mounts)
}
