package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// scratch is the private folder of one command. While the command runs a lock
// is held on a file in it, so that what a killed server left can be told from
// what is in use.
type scratch struct {
	dir  string
	lock *os.File
}

const scratchPrefix = "countersign-box-"

// scratchPlaces are where such folders are made: the first that will do.
func scratchPlaces() []string { return []string{os.TempDir(), "/var/tmp", "/dev/shm"} }

// makeScratch makes the folder outside the workspace, so that a workspace
// which is itself a place for temporary files does not contain it.
func makeScratch(workspace string) (scratch, error) {
	why := error(fs.ErrNotExist)
	for _, base := range scratchPlaces() {
		base, err := filepath.EvalSymlinks(base)
		if err != nil || within(base, workspace) {
			continue
		}
		s, err := makeScratchIn(base)
		if err == nil {
			return s, nil
		}
		why = err
	}
	return scratch{}, why
}

func makeScratchIn(base string) (s scratch, err error) {
	if s.dir, err = os.MkdirTemp(base, scratchPrefix); err != nil {
		return s, err
	}
	if s.lock, err = lockScratch(s.dir); err != nil {
		s.remove()
		return s, err
	}
	for _, sub := range []string{s.home(), s.tmp(), s.goBuild(), s.modules()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			s.remove()
			return s, err
		}
	}
	return s, nil
}

// lockScratch takes the lock, or fails at once if somebody has it.
func lockScratch(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweepOnce comes before the first command. To find out what the machine can do
// removes nothing.
var sweepOnce = sync.OnceFunc(sweep)

// sweep removes what servers left behind that were killed.
func sweep() {
	for _, base := range scratchPlaces() {
		old, _ := filepath.Glob(filepath.Join(base, scratchPrefix+"*"))
		for _, dir := range old {
			info, err := os.Lstat(dir)
			if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
				continue // a fresh one may not have its lock yet
			}
			if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
				continue
			}
			if lock, err := lockScratch(dir); err == nil {
				scratch{dir: dir, lock: lock}.remove()
			}
		}
	}
}

// workspaceLayer is the name of the layer over the workspace.
const workspaceLayer = "layer"

func (s scratch) home() string    { return filepath.Join(s.dir, "home") }
func (s scratch) tmp() string     { return filepath.Join(s.dir, "tmp") }
func (s scratch) goBuild() string { return filepath.Join(s.dir, "go-build") }
func (s scratch) modules() string { return filepath.Join(s.dir, "modules") }

// now is the time by the clock of its file system.
func (s scratch) now() (time.Time, error) {
	touch := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, s.tmp(), touch, 0); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(s.tmp())
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// layer makes the folders of an overlay. The folder on top has the permissions
// of the one below, because it stands for it.
func (s scratch) layer(name, at, lower string) (overlay, error) {
	o := overlay{At: at, Lower: lower, Upper: filepath.Join(s.dir, name, "upper"), Work: filepath.Join(s.dir, name, "work")}
	for _, dir := range []string{o.Upper, o.Work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return overlay{}, err
		}
	}
	info, err := os.Stat(lower)
	if err != nil {
		return overlay{}, err
	}
	return o, os.Chmod(o.Upper, info.Mode().Perm())
}

// remove deletes everything, also below folders that the command made
// unreadable.
func (s scratch) remove() {
	defer s.lock.Close() // of nil it is an error, and no more
	if os.RemoveAll(s.dir) == nil {
		return
	}
	_ = filepath.WalkDir(s.dir, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(s.dir)
}
