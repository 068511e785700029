package sandbox

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// job is a command from when its confinement is made until nobody of it is left.
type job struct {
	confinement
	fresh bool   // /proc shows only what runs here
	step  string // that failed, if err is not nil
	err   error

	confined chan struct{}  // closed when step and err are set
	begin    chan beginning // to the confined thread; closed if there will be no command
	begun    chan struct{}  // closed when child and err are set
	over     chan struct{}  // closed when nobody is left

	child int
	group int // the process group of the command, where that is what ends it
	keep  int // closing it ends the group's leader
	sees  int // keeps the command's mounts, for which its last process would take them down while it is waited for

	mu    sync.Mutex
	ended bool // everybody was ended, or nobody is there: then somebody else might be meant
	why   string
}

type beginning struct {
	script
	files []int
}

func newJob(c confinement) *job {
	return &job{
		confinement: c, keep: -1, sees: -1, ended: true,
		confined: make(chan struct{}), begin: make(chan beginning), begun: make(chan struct{}), over: make(chan struct{}),
	}
}

// prepare confines a thread, which then waits for the command. The thread ends
// when it has started it: while it lived, the command could reach the supervisor
// through it.
func (j *job) prepare() {
	if j.ending() == endGroup {
		if j.group, j.keep, j.err = foundGroup(); j.err != nil {
			j.step = "group"
			return
		}
	}
	j.ended = false
	go onOtherThread(func() {
		j.step, j.err = j.confine()
		close(j.confined)
		if b, ok := <-j.begin; ok {
			j.child, j.err = j.fork(b)
			close(j.begun)
		}
	})
	<-j.confined
}

// start starts the command, confined.
func (j *job) start(c script, files []int) (step string, err error) {
	j.begin <- beginning{c, files}
	<-j.begun
	return "start", j.err
}

// discard gives up what no command will use.
func (j *job) discard() {
	close(j.begin)
	j.stop("")
	j.reap()
	j.release()
}

// release gives back what it held when nobody is left and nobody waits.
func (j *job) release() {
	for _, fd := range []int{j.keep, j.sees} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// fork starts the command from the confined thread.
func (j *job) fork(b beginning) (child int, err error) {
	if err := closeInherited(); err != nil {
		return 0, err
	}
	attributes := &syscall.SysProcAttr{Setsid: true}
	if j.group != 0 {
		attributes = &syscall.SysProcAttr{Setpgid: true, Pgid: j.group}
	}
	files := make([]uintptr, len(b.files))
	for i, fd := range b.files {
		files[i] = uintptr(fd)
	}
	return syscall.ForkExec("/bin/sh", []string{"sh", "-c", b.Shell}, &syscall.ProcAttr{Env: b.Env, Files: files, Sys: attributes})
}

// closeInherited marks every descriptor but the standard ones to be closed
// when the command starts, also those that somebody forgot to mark.
func closeInherited() error {
	return unix.CloseRange(standard, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC)
}

// stop ends the command and everything that it started, once.
func (j *job) stop(why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended {
		j.ended, j.why = true, why
		j.ending().end(j.group)
	}
}

// reap waits for the command, then for everything that it left behind, and
// returns the command's exit code. Orphans come to the supervisor.
func (j *job) reap() int {
	defer close(j.over)
	code := exitSetup
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // nobody left
			j.mu.Lock()
			defer j.mu.Unlock()
			j.ended = true
			return code
		case pid == j.child:
			code = exitCode(status)
			j.stop("")
		}
	}
}

func exitCode(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}
