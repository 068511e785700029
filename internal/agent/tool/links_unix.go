//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// links is the number of names that a file has.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives f the owner of the file that it is to replace. It matters
// only to a server that runs as root, and is not worth failing for.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
