package sandbox

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// stepOverlay is the step of the preparation that may fail because of the
// file system of one workspace.
const stepOverlay = "overlay"

// mounts makes everything read-only but the command's own folders, puts the
// layers in place, and covers what is protected.
func (o *confinement) mounts() (step string, err error) {
	open := slices.Clone(o.Scratch)
	for _, layer := range o.Overlays {
		if err := layer.mount(); err != nil {
			return stepOverlay, fmt.Errorf("over %s: %w", layer.Lower, err)
		}
		if !slices.Contains(open, layer.At) {
			open = append(open, layer.At)
		}
	}
	if o.inPlace() {
		open = append(open, o.Dir)
	}
	// A mount of its own for each, so that it can be told apart.
	for _, path := range open {
		if !slices.ContainsFunc(o.Overlays, func(l overlay) bool { return l.At == path }) {
			if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
				return "mounts", fmt.Errorf("bind %s: %w", path, err)
			}
		}
	}
	closed := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if o.Open {
		closed.Attr_set = unix.MOUNT_ATTR_NOSUID
	}
	if err := unix.MountSetattr(-1, "/", unix.AT_RECURSIVE, &closed); err != nil {
		return "mounts", fmt.Errorf("read-only: %w", err)
	}
	for _, path := range open {
		if err := unix.MountSetattr(-1, path, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return "mounts", fmt.Errorf("writable %s: %w", path, err)
		}
	}
	for _, path := range o.Hide {
		if err := hide(path); err != nil {
			return "mounts", fmt.Errorf("hide %s: %w", path, err)
		}
	}
	o.ownShared()
	return "", nil
}

// sharedMemory is where the C library keeps shared memory and semaphores.
const sharedMemory = "/dev/shm"

// ownShared gives the command shared memory of its own, which is gone with it.
// Without, programs of several processes that need it fail, and no more.
func (o *confinement) ownShared() {
	if o.Open || insideAny(sharedMemory, o.Hide) || slices.ContainsFunc(slices.Concat(o.Scratch, []string{o.Dir}), func(p string) bool { return within(p, sharedMemory) }) {
		return
	}
	if unix.Mount("tmpfs", sharedMemory, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=256m,mode=1777") == nil {
		o.Scratch = append(o.Scratch, sharedMemory)
	}
}

// mount puts the layer in place. The folders are named by descriptor, because
// colons and commas in their paths would mean something to overlayfs. Volatile
// saves writing to the disk, at the end and whenever the command asks for it,
// what is thrown away or copied.
func (o overlay) mount() error {
	var fds [3]int
	for i, path := range []string{o.Lower, o.Upper, o.Work} {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		fds[i] = fd
	}
	options := fmt.Sprintf("lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr,volatile", fds[0], fds[1], fds[2])
	return unix.Mount("overlay", o.At, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options)
}

// hide covers a folder with an empty one and a file with nothing.
func hide(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // there is nothing to see
	case info.IsDir():
		return unix.Mount("tmpfs", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k")
	default:
		return unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
	}
}
