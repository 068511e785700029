package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// word is the first argument that makes the program a supervisor.
const word = "__countersign_sandbox"

// lineFD is the descriptor over which the supervisor hears from the server. It
// answers each command there with a line end when it has taken it, and with one
// report in a line of its own when nobody of it is left.
const lineFD = 3

// exitSetup is the supervisor's own exit code when it could not do as told.
const exitSetup = 126

// initialised says that this program can be started again as a supervisor.
var initialised bool

// Init makes the program able to run commands. It must come first in main and
// in TestMain: in a supervisor it never returns.
func Init() {
	if len(os.Args) == 2 && os.Args[1] == word {
		supervise()
	}
	knockIfAsked()
	initialised = true
}

// report is how a command ended, or why it was never started.
type report struct {
	Failed  string // the step of the preparation that failed; empty if none did
	Err     string
	Exit    int
	Stopped string // why the supervisor ended it
	Last    bool   // the supervisor should serve no other
}

// supervisor runs commands, one after another, each in a confinement of its own.
// What it is itself, one process and its namespaces of users, processes and host
// names, is the same for all of them. Nothing else is: when it takes a command,
// no process of the one before is left, and no thread that was confined with it.
type supervisor struct {
	begun bool
	fresh bool // /proc is our own
	next  *job // is confined, and waits for its command

	mu      sync.Mutex
	stopped bool // there is to be no other command
	running *job
}

// supervise is the life of a supervisor. The thread that starts a command puts
// itself under all restrictions first, so that the command is born with them; the
// supervisor's other threads stay free and keep watch.
func supervise() {
	closeForeign()
	warm()
	s := &supervisor{}
	go s.awaitEnd()
	for {
		m, files, err := receive(lineFD)
		if err != nil {
			os.Exit(0) // no longer needed, or started by hand
		}
		if m.Confine != nil {
			s.prepare(*m.Confine)
		}
		if m.Run != nil && !s.run(*m.Run, files) {
			os.Exit(exitSetup)
		}
	}
}

// awaitEnd waits for the end of the line, also while a command runs: then it has
// to stop, on purpose or because the server is no more. It reads nothing, so that
// what the server says is heard by who can act on it.
func (s *supervisor) awaitEnd() {
	end := []unix.PollFd{{Fd: lineFD, Events: unix.POLLRDHUP}}
	for {
		if n, err := unix.Poll(end, -1); n > 0 || err != nil && err != unix.EINTR {
			s.stop()
			return
		}
	}
}

// prepare makes ready what a command is confined to.
func (s *supervisor) prepare(c confinement) {
	if s.next != nil {
		s.next.discard()
	}
	s.next = newJob(c)
	if !s.begun {
		if s.next.step, s.next.err = s.begin(c); s.next.err != nil {
			return
		}
		s.begun = true
	}
	s.next.fresh = s.fresh
	s.next.prepare()
}

// begin does, before the first command, what is the same for all that come here.
func (s *supervisor) begin(c confinement) (step string, err error) {
	if c.Namespaces {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return "private mounts", err
		}
		// Refused where the outer /proc is covered in part, as in many containers;
		// then only a few of its files are readable.
		s.fresh = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "") == nil
	} else if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "subreaper", err
	}
	if err := c.checkEnding(); err != nil {
		return "signals", err
	}
	if err := c.setLimits(); err != nil {
		return "limits", err
	}
	return "", nil
}

// run runs a command in what was prepared, and tells whether there can be
// another one.
func (s *supervisor) run(c script, files []int) bool {
	line := descriptor(lineFD)
	if _, err := line.Write([]byte("\n")); err != nil {
		return false // nobody is there to hear the end
	}
	j := s.next
	s.next = nil
	r := report{Failed: "files", Err: fmt.Sprintf("%d came along", len(files))}
	if j != nil && len(files) == standard {
		r = s.serve(j, c, files)
		defer j.release() // when the report is out
	}
	data, _ := json.Marshal(r)
	_, err := line.Write(append(data, '\n'))
	return err == nil && r.Failed == ""
}

func (s *supervisor) serve(j *job, c script, files []int) report {
	if j.err == nil {
		j.step, j.err = j.start(c, files)
	}
	for _, fd := range files {
		_ = unix.Close(fd) // only the command has them now, so their other ends see its end
	}
	if j.err != nil {
		return report{Failed: j.step, Err: j.err.Error()}
	}
	s.watchOver(j)
	exit := j.reap()
	return report{Exit: exit, Stopped: j.why, Last: usedUp(j.CPUSeconds)}
}

// watchOver makes a job the one to be stopped.
func (s *supervisor) watchOver(j *job) {
	go j.watch()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = j
	if s.stopped {
		j.stop("")
	}
}

func (s *supervisor) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.running != nil {
		s.running.stop("")
	}
}

// warm does once what does not depend on the command, so that the first one
// finds the memory and the tables for it.
func warm() {
	var m message
	_ = json.Unmarshal([]byte(`{"Confine":{"Overlays":[{}],"Files":[0]},"Run":{"Env":[""]}}`), &m)
	_, _ = json.Marshal(report{})
	_ = filterFor(confinement{}, 0).build()
}

// closeForeign closes what the supervisor was started with although nobody meant
// it to: what the server itself was given, and never marked. It may wait for
// long, and would keep it open.
func closeForeign() {
	list, _ := os.ReadDir("/proc/self/fd")
	for _, e := range list {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= lineFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}
