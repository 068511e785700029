package sandbox

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	watchEvery = 20 * time.Millisecond
	// memoryEvery is how many looks at the number of tasks there are to one at
	// the memory, which takes longer.
	memoryEvery = 12
	// niceness makes commands give way, to the server and its pages, and to the
	// supervisor that is to end them when they are too many.
	niceness = 5
)

// giveWay makes this thread, and the command that it starts, nicer by niceness.
// A server that was started nice already can't become less so.
func giveWay() error {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // this thread's, on Linux; 20 − nice, as the kernel has it
	if err != nil {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-now+niceness, 19))
}

// watch ends a command that has taken more than it may. Nothing is asked of
// the command's own calls: a fork that waits for somebody's answer is broken
// off by signals, and some shells don't try it again.
func (j *job) watch() {
	tasks := taskCount{most: j.Tasks, before: tasksOfMachine().tasks}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for look := 1; ; look++ {
		select {
		case <-j.over:
			return
		case <-ticker.C:
		}
		switch {
		case tasks.tooMany(tasksOfMachine()):
			j.stop("It had more processes at once than a command may.")
			return
		case look%memoryEvery == 0 && memoryOf(descendants()) > j.Memory:
			j.stop("It used more memory than a command may.")
			return
		}
	}
}

// taskCount compares what a command has with what it may have. The machine's
// figures are one small read, so the walk through all processes is made only
// when their number has grown by as much as is allowed. With a fork bomb the
// walk may take longer than there is time: it is not waited for when the number
// has grown by twice as much and very many want to run at the same time. That
// others on the machine have started much that sleeps is no reason.
type taskCount struct {
	most   int
	before int // the lowest number seen; 0 if the machine doesn't tell
}

func (c *taskCount) tooMany(m machine) bool {
	switch grown := m.tasks - min(c.before, m.tasks); {
	case m.tasks == 0:
	case grown > 2*c.most && m.running > c.most/2:
		return true
	case grown <= c.most:
		c.before = min(c.before, m.tasks)
		return false
	}
	return tasksIn(descendants()) > c.most
}

// machine is how many processes and threads there are, of whomever, and how
// many of them run or want to.
type machine struct{ running, tasks int }

// tasksOfMachine returns zeros where the machine doesn't tell.
func tasksOfMachine() machine {
	data, err := os.ReadFile("/proc/loadavg") // 0.00 0.01 0.05 2/345 6789
	f := strings.Fields(string(data))
	if err != nil || len(f) < 4 {
		return machine{}
	}
	running, tasks, _ := strings.Cut(f[3], "/")
	var m machine
	m.running, _ = strconv.Atoi(running)
	m.tasks, _ = strconv.Atoi(tasks)
	return m
}

// memoryOf is the private memory of some processes, in bytes.
func memoryOf(list []process) int64 {
	var pages int64
	for _, p := range list {
		pages += p.private()
	}
	return pages * int64(os.Getpagesize())
}
