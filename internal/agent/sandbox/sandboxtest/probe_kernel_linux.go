package sandboxtest

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelProbes knock at doors of the kernel itself.
var kernelProbes = attempts{
	"mount-tmpfs": func(arg func(int) string) error { return claim(unix.Mount("x", arg(0), "tmpfs", 0, "")) },
	"mount-bind":  func(arg func(int) string) error { return claim(unix.Mount(arg(0), arg(1), "", unix.MS_BIND, "")) },
	"remount-rw": func(arg func(int) string) error {
		return claim(unix.Mount("", arg(0), "", unix.MS_REMOUNT|unix.MS_BIND, ""))
	},
	"mount-setattr": func(arg func(int) string) error {
		return claim(unix.MountSetattr(-1, arg(0), 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}))
	},
	"umount": func(arg func(int) string) error { return claim(unix.Unmount(arg(0), unix.MNT_DETACH)) },
	"fsopen": func(func(int) string) error {
		_, err := unix.Fsopen("tmpfs", 0)
		return claim(err)
	},
	"open-tree": func(arg func(int) string) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, arg(0), 1) // a clone
		return claim(err)
	},
	"pivot":    func(arg func(int) string) error { return claim(unix.PivotRoot(arg(0), arg(0))) },
	"chroot":   func(arg func(int) string) error { return claim(unix.Chroot(arg(0))) },
	"unshare":  func(func(int) string) error { return claim(call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)) },
	"clone-ns": func(func(int) string) error { return cloneNamespace() },
	"clone3":   func(func(int) string) error { return claim(call(unix.SYS_CLONE3, 0, 0)) },
	"setns": func(arg func(int) string) error {
		return opened("/proc/"+arg(0)+"/ns/mnt", unix.O_RDONLY, func(fd int) error { return claim(unix.Setns(fd, 0)) })
	},
	"io_uring": func(func(int) string) error {
		var params [120]byte
		return claim(call(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params))))
	},
	"bpf": func(func(int) string) error {
		attr := [4]uint32{2, 4, 4, 1} // an array map
		return claim(call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)))
	},
	"keyctl": func(func(int) string) error {
		_, err := unix.AddKey("user", "probe", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return claim(err)
	},
	"perf": func(func(int) string) error {
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Bits: unix.PerfBitExcludeKernel, Size: unix.PERF_ATTR_SIZE_VER0}
		_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
		return claim(err)
	},
	"userfaultfd": func(func(int) string) error { return claim(call(unix.SYS_USERFAULTFD, 1)) },
	"fanotify": func(func(int) string) error {
		_, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF, unix.O_RDONLY)
		return claim(err)
	},
	"clock": func(func(int) string) error {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_REALTIME, &now); err != nil {
			return err
		}
		return claim(unix.ClockSettime(unix.CLOCK_REALTIME, &now))
	},
	"hostname": func(func(int) string) error {
		var name unix.Utsname
		if err := unix.Uname(&name); err != nil {
			return err
		}
		return claim(unix.Sethostname([]byte(unix.ByteSliceToString(name.Nodename[:]))))
	},
	"swapon": func(arg func(int) string) error { return claim(call(unix.SYS_SWAPON, text(arg(0)), 0)) },
	"module": func(func(int) string) error { return claim(unix.DeleteModule("no_such_module", 0)) },
	"acct":   func(arg func(int) string) error { return claim(unix.Acct(arg(0))) },
	"unknown-call": func(func(int) string) error {
		if err := call(unix.SYS_FILE_SETATTR + 1); err != unix.ENOSYS {
			return claim(nil)
		}
		return unix.ENOSYS
	},
	"x32": func(func(int) string) error {
		if runtime.GOARCH != "amd64" {
			return unix.ENOSYS // there is none
		}
		return claim(call(0x40000000 | unix.SYS_GETPID))
	},
	"shmget": func(arg func(int) string) error {
		_, err := unix.SysvShmGet(number(arg(0)), 4096, unix.IPC_CREAT|0o600)
		return err
	},
	"msgget": func(arg func(int) string) error {
		return call(unix.SYS_MSGGET, uintptr(number(arg(0))), unix.IPC_CREAT|0o600)
	},
	"semget": func(arg func(int) string) error {
		return call(unix.SYS_SEMGET, uintptr(number(arg(0))), 1, unix.IPC_CREAT|0o600)
	},
	"mqopen": func(arg func(int) string) error {
		return call(unix.SYS_MQ_OPEN, text(arg(0)), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
	},
}

// cloneNamespace forks into a new user namespace. The child leaves at once.
func cloneNamespace() error {
	pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		return e
	}
	if pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	return claim(nil)
}
