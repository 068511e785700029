package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// ending is the way in which all processes of a command are ended at once. It
// has to be one call in which the kernel lets no fork slip through: whoever
// walks through the processes one by one is outrun by those that fork.
type ending int

const (
	// endNamespace is for a supervisor that is process 1 of a pid namespace:
	// everybody means everybody in there.
	endNamespace ending = iota
	// endDomain is for one that may, by Landlock, signal only itself and what it
	// started: there, too, everybody means only those.
	endDomain
	// endGroup is for a command that can't leave its process group.
	endGroup
)

func (o confinement) ending() ending {
	switch {
	case o.Namespaces:
		return endNamespace
	case o.Landlock >= landlockScoped:
		return endDomain
	default:
		return endGroup
	}
}

// end ends everybody.
func (e ending) end(group int) {
	if e == endGroup {
		_ = unix.Kill(-group, unix.SIGKILL)
		return
	}
	_ = unix.Kill(-1, unix.SIGKILL)
}

// checkEnding makes sure, before anything is started, that ending everybody
// can't mean somebody else: whoever started the supervisor is out of its reach.
func (o confinement) checkEnding() error {
	switch o.ending() {
	case endNamespace:
		if os.Getpid() != 1 {
			return fmt.Errorf("process %d is not the first of its namespace", os.Getpid())
		}
	case endDomain:
		if parent := os.Getppid(); parent != o.Server {
			return errors.New("the server is gone")
		}
		if err := unix.Kill(o.Server, 0); err != unix.EPERM {
			return fmt.Errorf("the server can be signalled (%v)", err)
		}
	}
	return nil
}

// keepSignalsIn makes the calling thread, and what it starts, a Landlock domain
// out of which no signal goes. A process in it that restricts itself further
// stays in reach of the others, but can't reach them any more.
func keepSignalsIn() error {
	ruleset, flags, err := landlock.Config{Scoped: ll.ScopeSignal}.NewRulesetFD()
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	return restrict(ruleset, flags)
}

// foundGroup makes a process group for a command that is not able to make one,
// because its filter keeps it from leaving the one that it is in. The process
// that leads the group waits until it is ended with the others, or until keep is
// closed, and so keeps the group's number from becoming somebody else's.
func foundGroup() (group, keep int, err error) {
	var wait [2]int
	if err := unix.Pipe2(wait[:], unix.O_CLOEXEC); err != nil {
		return 0, -1, err
	}
	defer unix.Close(wait[0])
	group, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", "read _"}, &syscall.ProcAttr{
		Files: []uintptr{uintptr(wait[0])}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	return group, wait[1], err
}
