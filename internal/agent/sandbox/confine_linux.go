package sandbox

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// confine puts the calling thread under everything that the command is to be
// under. Its working directory and its mounts are its own from here on.
func (j *job) confine() (step string, err error) {
	if err := unix.Unshare(j.own()); err != nil {
		return "namespaces", err
	}
	if j.Namespaces {
		if step, err := j.mounts(); err != nil {
			return step, err
		}
		j.sees, _ = unix.Open("/proc/thread-self/ns/mnt", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if !j.Network {
			if err := raiseLoopback(); err != nil {
				return "loopback", err
			}
		}
	}
	if j.fresh {
		j.Read = append(j.Read, "/proc")
	} else {
		j.Read = append(j.Read, publicProc...)
	}
	if err := os.Chdir(j.Dir); err != nil {
		return "folder", err
	}
	ruleset, flags, err := j.ruleset()
	if err != nil {
		return "landlock", err
	}
	defer unix.Close(ruleset)
	if err := restrict(ruleset, flags); err != nil {
		return "landlock", err
	}
	if err := dropCapabilities(); err != nil {
		return "capabilities", err
	}
	if err := giveWay(); err != nil {
		return "priority", err
	}
	return "seccomp", filterFor(j.confinement, j.group).install()
}

// own is what a confined thread shares with no other.
func (c confinement) own() int {
	flags := unix.CLONE_FS
	if c.Namespaces {
		flags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
		if !c.Network {
			flags |= unix.CLONE_NEWNET
		}
	}
	return flags
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
