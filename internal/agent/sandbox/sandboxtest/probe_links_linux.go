package sandboxtest

import (
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// linkProbes make names for files, or use odd ones.
var linkProbes = attempts{
	"exchange": func(arg func(int) string) error {
		return unix.Renameat2(unix.AT_FDCWD, arg(0), unix.AT_FDCWD, arg(1), unix.RENAME_EXCHANGE)
	},
	"link-fd": func(arg func(int) string) error {
		return opened(arg(0), unix.O_RDONLY, func(fd int) error {
			return unix.Linkat(unix.AT_FDCWD, procFD(fd), unix.AT_FDCWD, arg(1), unix.AT_SYMLINK_FOLLOW)
		})
	},
	"tmpfile": func(arg func(int) string) error {
		return opened(arg(0), unix.O_TMPFILE|unix.O_RDWR, func(fd int) error {
			return unix.Linkat(unix.AT_FDCWD, procFD(fd), unix.AT_FDCWD, arg(1), unix.AT_SYMLINK_FOLLOW)
		})
	},
	"swap": swap,
	"handle": func(arg func(int) string) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, arg(0), 0)
		if err != nil {
			return err
		}
		return opened("/", unix.O_PATH|unix.O_DIRECTORY, func(int) error {
			_, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
			return claim(err)
		})
	},
	"nul": func(arg func(int) string) error {
		path := []byte(arg(0) + "\x00.txt\x00")
		fd, _, e := unix.Syscall6(unix.SYS_OPENAT, atCwd, uintptr(unsafe.Pointer(&path[0])), unix.O_WRONLY|unix.O_TRUNC, 0, 0, 0)
		if e != 0 {
			return e
		}
		return unix.Close(int(fd))
	},
	"longpath": func(arg func(int) string) error {
		dir, base := filepath.Split(arg(0))
		room := number(arg(1)) - len(dir) - len(base)
		return os.WriteFile(dir+strings.Repeat("./", room/2)+strings.Repeat("/", room%2)+base, []byte("x"), 0o644)
	},
	"deep": deep,
}

func procFD(fd int) string { return filepath.Join("/proc/self/fd", itoa(fd)) }

// swap exchanges, in its private folder, a folder for a link out of it, over
// and over, while a second thread writes through that name. Whichever of them is
// the faster, the last exchange leaves a link out there, and is written through.
func swap(arg func(int) string) error {
	own, err := os.MkdirTemp("", "swap")
	if err != nil {
		return err
	}
	for n, target := range []string{arg(0), arg(1)} {
		if err := os.Symlink(target, filepath.Join(own, "link"+itoa(n))); err != nil {
			return err
		}
	}
	at := filepath.Join(own, "at")
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	write := func() error { return os.WriteFile(filepath.Join(at, "swapped"), nil, 0o644) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 200 {
			_ = unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, filepath.Join(own, "link"+itoa(n%2)), unix.RENAME_EXCHANGE)
		}
	}()
	for {
		select {
		case <-done:
			return write()
		default:
			_ = write()
		}
	}
}

// deep goes down into folders that it makes until no path could name them, and
// leaves a file there.
func deep(arg func(int) string) error {
	if err := os.Chdir(arg(0)); err != nil {
		return err
	}
	name := strings.Repeat("d", 250)
	for range 20 {
		if err := os.Mkdir(name, 0o755); err != nil {
			return err
		}
		if err := os.Chdir(name); err != nil {
			return err
		}
	}
	return os.WriteFile("file", []byte("x"), 0o644)
}
