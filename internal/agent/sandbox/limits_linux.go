package sandbox

import (
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	maxFileSize = 4 << 30 // bytes
	maxOpen     = 4096    // descriptors of one process
	stackSize   = 64 << 20
)

// cpuSeconds is generous: it stops what a clock can't see, a process that got
// away. The timeout is what ends a command.
func cpuSeconds(timeout time.Duration) uint64 {
	return uint64(math.Ceil(timeout.Seconds()))*uint64(runtime.NumCPU()) + 10
}

// maxTasks leaves room for a parallel build on every core.
func maxTasks() int { return 1024 + 64*runtime.NumCPU() }

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
func (o order) setLimits() error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: o.CPUSeconds, unix.RLIMIT_FSIZE: maxFileSize,
		unix.RLIMIT_NOFILE: maxOpen, unix.RLIMIT_STACK: stackSize, unix.RLIMIT_MEMLOCK: 8 << 20,
	}
	if o.Namespaces {
		// Counts only what is in the namespace there, and binds everybody but
		// root: a second line behind the limiter.
		limits[unix.RLIMIT_NPROC] = uint64(o.Tasks) + 64
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

// limiter gives out forks. The kernel's own limit on processes does not bind
// root and counts what else the same person runs; this one is exact.
type limiter struct {
	mu     sync.Mutex
	most   int
	left   int // forks that can be given out before counting again
	closed bool
	again  time.Time // not to be counted again before
}

func newLimiter(most int) *limiter { return &limiter{most: most, left: most} }

// take decides on one fork.
func (l *limiter) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if l.left <= 0 {
		if now := time.Now(); now.After(l.again) {
			l.left = l.most - tasksIn(descendants())
			l.again = now.Add(20 * time.Millisecond)
		}
	}
	l.left--
	return l.left >= 0
}

// close gives out no more.
func (l *limiter) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// notification and response are struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id        uint64
	pid       uint32
	flags     uint32
	number    int32
	arch      uint32
	pointer   uint64
	arguments [6]uint64
}

type response struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// goOn lets the kernel run the call as it stands. What the call's arguments
// point to may have changed since, but the decision did not look at them.
const goOn = 1

// answer decides on the forks that the filter asks about, for as long as the
// supervisor lives. Without it every fork fails.
func (l *limiter) answer(listener int) {
	for {
		var n notification
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		if e == unix.EINTR || e == unix.ENOENT { // ENOENT: it was killed while it waited
			continue
		}
		if e != 0 {
			return
		}
		r := response{id: n.id, flags: goOn}
		if !l.take() {
			r = response{id: n.id, error: -int32(unix.EAGAIN)}
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r)))
	}
}

// watch looks at the memory in use every so often and ends a command that has
// taken too much.
func (s *supervisor) watch() {
	page := int64(os.Getpagesize())
	for {
		time.Sleep(250 * time.Millisecond)
		var used int64
		for _, p := range descendants() {
			used += p.private() * page
		}
		if used > s.order.Memory {
			s.stop("It used more memory than a command may.")
			return
		}
	}
}
