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

// execution is a supervisor at work and our ends of its pipes.
type execution struct {
	cmd     *exec.Cmd
	printed *os.File // what the command prints
	report  *os.File
	control *os.File // closing it stops the command
	started time.Time
}

// launch starts a supervisor and hands it the order. The command gets the
// supervisor's own input and output.
func launch(o order) (x *execution, err error) {
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
	x = &execution{printed: ours[0], report: ours[1], control: ours[2], started: time.Now()}
	x.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], word}, Env: helperEnv, Dir: "/",
		Stdout: theirs[0], Stderr: theirs[0], ExtraFiles: []*os.File{theirs[2], theirs[1]},
		SysProcAttr: o.attributes(),
	}
	if o.stdin != nil {
		x.cmd.Stdin = o.stdin
	}
	if o.stdout != nil {
		x.cmd.Stdout = o.stdout
	}
	if err := o.startIn(x.cmd.Start); err != nil {
		return nil, &setupError{"start", err.Error()}
	}
	if err := json.NewEncoder(x.control).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		x.end()
		return nil, fmt.Errorf("hand over a command: %w", err)
	}
	return x, nil
}

// startIn starts the supervisor, in a Landlock domain of its own where that is
// what ends the command. The domain is that of a thread which does nothing else.
func (o order) startIn(start func() error) (err error) {
	if o.ending() != endDomain {
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
func (o order) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !o.Namespaces {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !o.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SETPCAP}
	return a
}
