package sandboxtest

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// opened runs f on a descriptor of the file.
func opened(path string, flags int, f func(fd int) error) error {
	fd, err := unix.Open(path, flags, 0o600) // or else who made it may not name it
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return f(fd)
}

var past = []unix.Timeval{{Sec: 1}, {Sec: 1}}

// fileProbes change a file that exists.
var fileProbes = attempts{
	"truncate":      func(arg func(int) string) error { return os.Truncate(arg(0), 0) },
	"open-truncate": func(arg func(int) string) error { return opened(arg(0), unix.O_RDONLY|unix.O_TRUNC, nothing) },
	"xattr":         func(arg func(int) string) error { return unix.Setxattr(arg(0), "user.probe", []byte("x"), 0) },
	"fxattr": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error { return unix.Fsetxattr(fd, "user.probe", []byte("x"), 0) })
	},
	"rmxattr": func(arg func(int) string) error { return unix.Removexattr(arg(0), "user.mark") },
	"setxattrat": func(arg func(int) string) error {
		value := [2]uint64{uint64(text("x")), 1}
		return call(unix.SYS_SETXATTRAT, atCwd, text(arg(0)), 0, text("user.probe"), uintptr(unsafe.Pointer(&value)), unsafe.Sizeof(value))
	},
	"utimes":  func(arg func(int) string) error { return unix.Utimes(arg(0), past) },
	"lutimes": func(arg func(int) string) error { return unix.Lutimes(arg(0), past) },
	"futimens": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error { return unix.Futimes(fd, past) })
	},
	"fchmod": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error { return unix.Fchmod(fd, 0o777) })
	},
	"fchmodat2": func(arg func(int) string) error {
		return call(unix.SYS_FCHMODAT2, atCwd, text(arg(0)), 0o777, unix.AT_SYMLINK_NOFOLLOW)
	},
	"fchmodat2-empty": func(arg func(int) string) error {
		return opened(arg(0), unix.O_PATH, func(fd int) error {
			return call(unix.SYS_FCHMODAT2, uintptr(fd), text(""), 0o777, unix.AT_EMPTY_PATH)
		})
	},
	"chown-self": func(arg func(int) string) error { return claim(os.Chown(arg(0), os.Getuid(), os.Getgid())) },
	"setflags": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x40) }) // no dump
	},
	"fssetxattr": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error {
			flags := [7]uint32{0x80} // no dump
			return call(unix.SYS_IOCTL, uintptr(fd), 0x401c5820, uintptr(unsafe.Pointer(&flags)))
		})
	},
	"file-setattr": func(arg func(int) string) error {
		flags := [3]uint64{0x80}
		return call(unix.SYS_FILE_SETATTR, atCwd, text(arg(0)), uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags))
	},
	"ficlone": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(from int) error {
			return opened(arg(1), unix.O_WRONLY, func(to int) error { return unix.IoctlFileClone(to, from) })
		})
	},
	"mmap": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDWR, func(fd int) error {
			memory, err := unix.Mmap(fd, 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			if err == nil {
				memory[0] = 'X'
				err = unix.Munmap(memory)
			}
			return err
		})
	},
	"fallocate": func(arg func(int) string) error {
		return opened(arg(0), unix.O_WRONLY, func(fd int) error { return unix.Fallocate(fd, 0, 0, 4096) })
	},
	"copy-range": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(from int) error {
			return opened(arg(1), unix.O_WRONLY, func(to int) error {
				_, err := unix.CopyFileRange(from, nil, to, nil, 2, 0)
				return err
			})
		})
	},
	"splice": func(arg func(int) string) error {
		var pipe [2]int
		if err := unix.Pipe(pipe[:]); err != nil {
			return err
		}
		_, _ = unix.Write(pipe[1], []byte("spliced"))
		return opened(arg(0), unix.O_WRONLY, func(fd int) error {
			_, err := unix.Splice(pipe[0], nil, fd, nil, 7, 0)
			return err
		})
	},
	"pwritev2": func(arg func(int) string) error {
		return opened(arg(0), unix.O_WRONLY, func(fd int) error {
			_, err := unix.Pwritev2(fd, [][]byte{[]byte("X")}, 0, 0)
			return err
		})
	},
	"writefd": func(arg func(int) string) error {
		_, err := unix.Write(number(arg(0)), []byte("through an inherited descriptor"))
		return err
	},
}

const atCwd = ^uintptr(99) // AT_FDCWD, -100

func nothing(int) error { return nil }
