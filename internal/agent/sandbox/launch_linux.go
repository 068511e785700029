package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// execution is a supervisor, at work or waiting for its order, and our ends of
// its pipes.
type execution struct {
	cmd      *exec.Cmd
	printed  *os.File // what the command prints
	report   *os.File
	control  *os.File      // closing it stops the command
	ended    chan struct{} // closed when the supervisor is no more; cmd.ProcessState is set then
	started  time.Time     // when it got its order
	told     report        // what the supervisor reported of the command
	noReport error         // why told is not to be had
	taken    bool          // the supervisor had the order before it ended
	spare    bool          // it was started before there was an order
}

// launch gives the order to a supervisor that waits for one like it, or starts
// one. The command gets the supervisor's own input and output.
func launch(o order) (*execution, error) {
	if x := ready.take(o); x != nil {
		if x.give(o) == nil {
			return x, nil
		}
		x.end()
	}
	return launchNew(o)
}

func launchNew(o order) (*execution, error) {
	x, err := startSupervisor(o.kind(), o.stdin, o.stdout)
	if err != nil {
		return nil, err
	}
	if err := x.give(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		x.end()
		return nil, fmt.Errorf("hand over a command: %w", err)
	}
	return x, nil
}

// give hands over the order.
func (x *execution) give(o order) error {
	x.started = time.Now()
	return json.NewEncoder(x.control).Encode(o)
}

// startSupervisor starts a supervisor, which waits for its order. Nothing of
// what the order says may matter here but its kind.
func startSupervisor(k kind, stdin, stdout *os.File) (x *execution, err error) {
	var ours, theirs [3]*os.File
	defer func() {
		closeAll(theirs[:])
		if err != nil {
			closeAll(ours[:])
		}
	}()
	for i := range ours {
		if ours[i], theirs[i], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	ours[2], theirs[2] = theirs[2], ours[2] // the one that we write to
	x = &execution{printed: ours[0], report: ours[1], control: ours[2], ended: make(chan struct{})}
	x.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], word}, Env: helperEnv, Dir: "/",
		Stdout: theirs[0], Stderr: theirs[0], ExtraFiles: []*os.File{theirs[2], theirs[1]},
		SysProcAttr: k.attributes(),
	}
	if stdin != nil {
		x.cmd.Stdin = stdin
	}
	if stdout != nil {
		x.cmd.Stdout = stdout
	}
	if err := k.startIn(x.cmd.Start); err != nil {
		return nil, &setupError{"start", err.Error()}
	}
	go func() {
		defer close(x.ended)
		_ = x.cmd.Wait()
	}()
	return x, nil
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

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// attributes puts the supervisor into namespaces of its own, where it is
// allowed to arrange mounts although nobody outside gave it the right.
func (k kind) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !k.namespaces {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if k.noNetwork {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SETPCAP}
	return a
}
