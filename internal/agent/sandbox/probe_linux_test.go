package sandbox

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// effect is printed by a probe whose success can't be seen from outside.
const effect = "EFFECT"

// probe tries one system call, ignoring what comes of it: whether it had an
// effect is for the test to find out, outside.
func probe(name string, args []string) {
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	try, ok := probes[name]
	if !ok {
		fmt.Println("no such probe:", name)
		os.Exit(2)
	}
	if err := try(arg); err != nil {
		fmt.Println("refused:", err)
	}
}

// claim is for probes without a trace: success is the effect.
func claim(err error) error {
	if err == nil {
		fmt.Println(effect)
	}
	return err
}

func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, e := syscall.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); e != 0 {
		return e
	}
	return nil
}

var probes = map[string]func(arg func(int) string) error{
	"truncate": func(arg func(int) string) error { return os.Truncate(arg(0), 0) },
	"xattr":    func(arg func(int) string) error { return unix.Setxattr(arg(0), "user.probe", []byte("x"), 0) },
	"utimes": func(arg func(int) string) error {
		return unix.Utimes(arg(0), []unix.Timeval{{Sec: 1}, {Sec: 1}})
	},
	"futimens": func(arg func(int) string) error {
		fd, err := unix.Open(arg(0), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Futimes(fd, []unix.Timeval{{Sec: 1}, {Sec: 1}})
	},
	"setflags": func(arg func(int) string) error {
		fd, err := unix.Open(arg(0), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x40) // no dump
	},
	"writefd": func(arg func(int) string) error {
		n, _ := strconv.Atoi(arg(0))
		_, err := unix.Write(n, []byte("through an inherited descriptor"))
		return err
	},
	"mount-tmpfs": func(arg func(int) string) error { return claim(unix.Mount("x", arg(0), "tmpfs", 0, "")) },
	"mount-bind":  func(arg func(int) string) error { return claim(unix.Mount(arg(0), arg(1), "", unix.MS_BIND, "")) },
	"remount-rw": func(arg func(int) string) error {
		return claim(unix.Mount("", arg(0), "", unix.MS_REMOUNT|unix.MS_BIND, ""))
	},
	"mount-setattr": func(arg func(int) string) error {
		return claim(unix.MountSetattr(-1, arg(0), 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}))
	},
	"umount":   func(arg func(int) string) error { return claim(unix.Unmount(arg(0), unix.MNT_DETACH)) },
	"chroot":   func(arg func(int) string) error { return claim(unix.Chroot(arg(0))) },
	"unshare":  func(func(int) string) error { return claim(call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)) },
	"clone-ns": func(func(int) string) error { return cloneNamespace() },
	"clone3": func(func(int) string) error {
		return claim(call(unix.SYS_CLONE3, 0, 0))
	},
	"ptrace": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		return claim(unix.PtraceSeize(pid))
	},
	"vm-readv": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		_, err := unix.ProcessVMReadv(pid, nil, nil, 0)
		return claim(err)
	},
	"pidfd-getfd": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return claim(err)
	},
	"kill": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		return unix.Kill(pid, unix.SIGKILL)
	},
	"tgkill": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		return unix.Tgkill(pid, pid, unix.SIGKILL)
	},
	"pidfd-kill": func(arg func(int) string) error {
		pid, _ := strconv.Atoi(arg(0))
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
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
	"shmget": func(func(int) string) error {
		_, err := unix.SysvShmGet(shmKey, 4096, unix.IPC_CREAT|0o600)
		return err
	},
	"unknown-call": func(func(int) string) error {
		if err := call(newestCall + 1); err != unix.ENOSYS {
			return claim(nil)
		}
		return unix.ENOSYS
	},
	"tcp":      func(arg func(int) string) error { return dial("tcp", arg(0)) },
	"udp":      func(arg func(int) string) error { return dial("udp", arg(0)) },
	"unix":     func(arg func(int) string) error { return dial("unix", arg(0)) },
	"abstract": func(arg func(int) string) error { return dial("unix", "@"+arg(0)) },
	"mptcp": func(arg func(int) string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		_, port, _ := net.SplitHostPort(arg(0))
		n, _ := strconv.Atoi(port)
		return unix.Connect(fd, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
	},
	"vsock": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return claim(err)
	},
	"packet": func(func(int) string) error {
		_, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		return claim(err)
	},
	// What a program may do all the same.
	"loopback": func(func(int) string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, err = net.Dial("tcp", l.Addr().String())
		return claim(err)
	},
	"eat": func(func(int) string) error {
		var hoard [][]byte
		for range 256 { // 2 GiB at most, should nobody stop it
			hoard = append(hoard, bytes.Repeat([]byte{1}, 8<<20))
		}
		fmt.Println(len(hoard))
		return nil
	},
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	_, err = c.Write([]byte(effect))
	return err
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

// shmKey names a shared memory segment; the test looks whether it exists.
const shmKey = 0x5eed
