package sandbox

import (
	"cmp"
	"math"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxFileSize = 4 << 30 // bytes
	maxOpen     = 4096    // descriptors of one process
	stackSize   = 64 << 20
)

// cpuSeconds is generous: it stops what a clock can't see, a process that got
// away. The timeout is what ends a command.
func (l layers) cpuSeconds(timeout time.Duration) uint64 {
	return cmp.Or(l.cpu, uint64(math.Ceil(timeout.Seconds()))*uint64(runtime.NumCPU())+10)
}

// usedUp tells whether this process has used so much of the processor time that
// it may that another command could bring it to the limit: half of it.
func usedUp(limit uint64) bool {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return true
	}
	return time.Duration(used.Utime.Nano()+used.Stime.Nano()) > time.Duration(limit)*time.Second/2
}

// maxTasks leaves room for a parallel build on every core.
func (l layers) maxTasks() int { return cmp.Or(l.tasks, 1024+64*runtime.NumCPU()) }

// maxMemory is half of what the machine has.
func maxMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 4 << 30
	}
	return max(int64(info.Totalram)*int64(info.Unit)/2, 1<<30)
}

// setLimits bounds what one process may use. There is no limit on address
// space: the race detector and JavaScript engines reserve terabytes that they
// never touch. Memory in use is watched instead.
func (o confinement) setLimits() error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: o.CPUSeconds, unix.RLIMIT_FSIZE: maxFileSize,
		unix.RLIMIT_NOFILE: maxOpen, unix.RLIMIT_STACK: stackSize, unix.RLIMIT_MEMLOCK: 8 << 20,
	}
	// The supervisor counts and ends the command long before; this holds where
	// the machine is too busy for it. It does not bind root.
	limits[unix.RLIMIT_NPROC] = uint64(4 * o.Tasks)
	if !o.Namespaces { // where it counts what else the person runs
		limits[unix.RLIMIT_NPROC] += uint64(tasksOfMachine().tasks)
	}
	for which, value := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(which, &now); err != nil {
			return err
		}
		value = min(value, now.Max)
		if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return err
		}
	}
	return nil
}
