package sandboxtest

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// processProbes do something to another process, whose number is given.
var processProbes = attempts{
	"ptrace": func(arg func(int) string) error { return claim(unix.PtraceSeize(number(arg(0)))) },
	"vm-readv": func(arg func(int) string) error {
		_, err := unix.ProcessVMReadv(number(arg(0)), nil, nil, 0)
		return claim(err)
	},
	"pidfd-getfd": func(arg func(int) string) error {
		fd, err := unix.PidfdOpen(number(arg(0)), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return claim(err)
	},
	"kcmp": func(arg func(int) string) error {
		return claim(call(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(number(arg(0))), 1)) // the same memory?
	},
	"kill":   func(arg func(int) string) error { return unix.Kill(number(arg(0)), unix.SIGKILL) },
	"tgkill": func(arg func(int) string) error { return unix.Tgkill(number(arg(0)), number(arg(0)), unix.SIGKILL) },
	"pidfd-kill": func(arg func(int) string) error {
		fd, err := unix.PidfdOpen(number(arg(0)), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	},
	"sigqueue": func(arg func(int) string) error {
		info := [128]byte{}
		*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
		return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(number(arg(0))), uintptr(unix.SIGKILL), uintptr(unsafe.Pointer(&info)))
	},
	// The owner of a pipe is told of what comes in, by a signal of one's choice.
	"sigio": func(arg func(int) string) error {
		var pipe [2]int
		if err := unix.Pipe(pipe[:]); err != nil {
			return err
		}
		for _, c := range [][2]int{{unix.F_SETOWN, number(arg(0))}, {setSig, int(unix.SIGKILL)}, {unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK}} {
			if _, err := unix.FcntlInt(uintptr(pipe[0]), c[0], c[1]); err != nil {
				return err
			}
		}
		_, err := unix.Write(pipe[1], []byte("x"))
		return err
	},
	"prlimit": func(arg func(int) string) error {
		return unix.Prlimit(number(arg(0)), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 7, Max: 7}, nil)
	},
	"renice":     func(arg func(int) string) error { return unix.Setpriority(unix.PRIO_PROCESS, number(arg(0)), 19) },
	"renice-all": func(func(int) string) error { return unix.Setpriority(unix.PRIO_USER, 0, 19) },
	"affinity": func(arg func(int) string) error {
		var one unix.CPUSet
		one.Set(0)
		return unix.SchedSetaffinity(number(arg(0)), &one)
	},
	"scheduler": func(arg func(int) string) error {
		var zero int32
		return call(unix.SYS_SCHED_SETSCHEDULER, uintptr(number(arg(0))), 5, uintptr(unsafe.Pointer(&zero))) // idle
	},
	"ioprio": func(arg func(int) string) error {
		return call(unix.SYS_IOPRIO_SET, 1, uintptr(number(arg(0))), 3<<13) // idle
	},
}

const setSig = 10 // F_SETSIG
