package sandbox

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperEnv is the environment of the supervisor, which holds nothing of the
// server's.
var helperEnv = []string{"GOMAXPROCS=2"}

// start starts the command from a thread of its own, which ends right after:
// while it lived, the command could reach the supervisor through it.
func (s *supervisor) start() (step string, err error) {
	ruleset, flags, err := s.order.ruleset()
	if err != nil {
		return "landlock", err
	}
	defer unix.Close(ruleset)
	attributes := &syscall.SysProcAttr{Setsid: true}
	if s.order.ending() == endGroup {
		if s.group, err = foundGroup(); err != nil {
			return "group", err
		}
		attributes = &syscall.SysProcAttr{Setpgid: true, Pgid: s.group}
	}
	onOtherThread(func() {
		if err = restrict(ruleset, flags); err != nil {
			step = "landlock"
			return
		}
		if err = dropCapabilities(); err != nil {
			step = "capabilities"
			return
		}
		if err = giveWay(); err != nil {
			step = "priority"
			return
		}
		if err = filterFor(s.order, s.group).install(); err != nil {
			step = "seccomp"
			return
		}
		step = "start"
		s.child, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", s.order.Shell}, &syscall.ProcAttr{
			Env: s.order.Env, Files: []uintptr{0, 1, 2}, Sys: attributes,
		})
	})
	return step, err
}

// onOtherThread runs f on a thread that is not the process's first one and
// that ends with it. The first thread stands for the process when signals are
// sent, and must stay unrestricted for Landlock to keep the command's away.
func onOtherThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() == unix.Getpid() {
			onOtherThread(f)
			return
		}
		f()
	}()
	<-done
}

// dropCapabilities gives up every capability of the calling thread, for good.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	// Raw calls, because they are many and none of them waits. EINVAL is the end
	// of the list; who has no capabilities gets EPERM, and has none to drop.
	for c := uintptr(0); c < 64; c++ {
		if _, _, e := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0); e != 0 {
			break
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
