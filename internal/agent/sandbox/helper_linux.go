package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// word is the first argument that makes the program a supervisor.
const word = "__countersign_sandbox"

// Descriptors that the supervisor is started with.
const (
	controlFD = 3 // reads the order, then waits for the end: a stop
	reportFD  = 4 // writes a line end when it has taken the order, then one report
)

// exitSetup is the supervisor's own exit code when it could not do as told.
const exitSetup = 126

// initialised says that this program can be started again as a supervisor.
var initialised bool

// Init makes the program able to run commands. It must come first in main and
// in TestMain: in the supervisor of a command it never returns.
func Init() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == word:
		supervise()
	case len(os.Args) == 4 && os.Args[1] == knockWord:
		knock(os.Args[2], os.Args[3])
	}
	initialised = true
}

// report is how a command ended, or why it was never started.
type report struct {
	Failed  string // the step of the preparation that failed; empty if none did
	Err     string
	Exit    int
	Stopped string // why the supervisor ended it
}

// supervisor looks after one command.
type supervisor struct {
	order   order
	control *os.File // one for all of the supervisor's life: an os.File that is no longer used closes its descriptor
	report  *os.File
	child   int
	group   int  // the process group of the command, where that is what ends it
	fresh   bool // /proc is our own
	stopped sync.Once
	why     string
}

// supervise is the life of a supervisor. The thread that starts the command
// puts itself under all restrictions first, so that the command is born with
// them; the supervisor's other threads stay free and keep watch.
func supervise() {
	closeForeign()
	warm()
	s := &supervisor{control: os.NewFile(controlFD, "control"), report: os.NewFile(reportFD, "report")}
	if err := json.NewDecoder(s.control).Decode(&s.order); err != nil {
		os.Exit(exitSetup) // started by hand, or no longer needed
	}
	if _, err := s.report.WriteString("\n"); err != nil {
		os.Exit(exitSetup) // nobody is there to hear the end
	}
	r := s.run()
	data, _ := json.Marshal(r)
	// With the report nobody is left who could print. Our own end takes longer.
	for fd := range controlFD {
		_ = unix.Close(fd)
	}
	_, _ = s.report.Write(data)
	if r.Failed != "" {
		os.Exit(exitSetup)
	}
	os.Exit(0)
}

// warm does once what does not depend on the order, so that a supervisor that
// waits for one has the memory and the tables for it.
func warm() {
	var o order
	_ = json.Unmarshal([]byte(`{"Env":[""],"Overlays":[{}]}`), &o)
	_, _ = json.Marshal(report{})
	_ = filterFor(o, 0).build()
}

func (s *supervisor) run() report {
	if step, err := s.prepare(); err != nil {
		return report{Failed: step, Err: err.Error()}
	}
	if step, err := s.start(); err != nil {
		return report{Failed: step, Err: err.Error()}
	}
	go s.awaitStop()
	go s.watch()
	exit := s.reap()
	return report{Exit: exit, Stopped: s.why}
}

// prepare does what concerns the whole process.
func (s *supervisor) prepare() (step string, err error) {
	if s.order.Namespaces {
		if step, err := s.mounts(); err != nil {
			return step, err
		}
		if !s.order.Network {
			if err := raiseLoopback(); err != nil {
				return "loopback", err
			}
		}
	} else if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "subreaper", err
	}
	if err := s.order.checkEnding(); err != nil {
		return "signals", err
	}
	if s.fresh {
		s.order.Read = append(s.order.Read, "/proc")
	} else {
		s.order.Read = append(s.order.Read, publicProc...)
	}
	if err := os.Chdir(s.order.Dir); err != nil {
		return "folder", err
	}
	if err := closeInherited(); err != nil {
		return "descriptors", err
	}
	if err := s.order.setLimits(); err != nil {
		return "limits", err
	}
	return "", nil
}

// closeForeign closes what the supervisor was started with although nobody meant
// it to: what the server itself was given, and never marked. It may wait for
// long, and would keep it open.
func closeForeign() {
	list, _ := os.ReadDir("/proc/self/fd")
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= reportFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// closeInherited marks every descriptor but the standard ones to be closed
// when the command starts, also those that somebody forgot to mark.
func closeInherited() error {
	return unix.CloseRange(controlFD, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC)
}

// awaitStop ends the command when the other end of the control pipe is closed:
// on purpose, or because the server is no more.
func (s *supervisor) awaitStop() {
	_, _ = io.Copy(io.Discard, s.control)
	s.stop("")
}

// stop ends the command and everything that it started.
func (s *supervisor) stop(why string) {
	s.stopped.Do(func() {
		s.why = why
		s.order.ending().end(s.group)
	})
}

// reap waits for the command, then for everything that it left behind, and
// returns the command's exit code. Orphans come to the supervisor.
func (s *supervisor) reap() int {
	code := exitSetup
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // nobody left
			return code
		case pid == s.child:
			code = exitCode(status)
			s.stop("")
		}
	}
}

func exitCode(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("raise lo: %w", err)
	}
	return nil
}
