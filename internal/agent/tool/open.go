package tool

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// openIn opens the file with this name directly in dir for reading. Only a
// regular file with one name passes: a second name may lie anywhere, and
// opening a pipe or a device does things.
func openIn(dir *os.Root, name, full string) (*os.File, fs.FileInfo, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, refuse("%s: %s.", full, reason(err))
	}
	if err := checkFile(seen, full); err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, refuse("%s: %s.", full, reason(err))
	}
	opened, err := f.Stat()
	if err != nil || !os.SameFile(seen, opened) {
		f.Close()
		return nil, nil, refuse("%s was replaced while it was being opened.", full)
	}
	return f, opened, nil
}

func checkFile(info fs.FileInfo, full string) error {
	switch {
	case info.IsDir():
		return refuse("%s is a folder. Use list_dir.", full)
	case !info.Mode().IsRegular():
		return refuse("%s is not a regular file.", full)
	case links(info) > 1:
		return refuse("%s has a second name (a hard link), which may lie outside the workspace, so no tool reads or writes it.", full)
	}
	return nil
}

// open resolves a cleaned path and opens the file for reading.
func (w *workspace) open(name string) (*os.File, fs.FileInfo, error) {
	name, err := w.resolve(name)
	if err != nil {
		return nil, nil, err
	}
	dir, err := w.folder(path.Dir(name), false)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return openIn(dir, path.Base(name), name)
}

// reason says in words what went wrong with a file.
func reason(err error) string {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "the server may not access it"
	case errors.As(err, &number):
		return number.Error()
	default:
		return "it can't be accessed"
	}
}
