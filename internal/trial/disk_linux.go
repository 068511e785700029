package trial

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// SmallDisk mounts a file system of 4 MB for a test, with these flags of
// mount(2), and returns where.
func SmallDisk(t testing.TB, flags uintptr) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, "size=4m"); err != nil {
		Lacks(t, fmt.Sprintf("can't mount here: %v", err))
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
