//go:build unix

package db

import (
	"os"

	"golang.org/x/sys/unix"
)

// errLocked says that another process has the lock.
const errLocked = unix.EWOULDBLOCK

// lock takes the file for this process, or fails at once.
func lock(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
