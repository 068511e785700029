package db

import (
	"errors"
	"os"
	"path/filepath"

	"countersign/internal/fault"
)

// prepareFiles makes the folder and the file, private to this user.
func prepareFiles(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(err, fault.Invalid, "The data directory %s can't be made: %s.", dir, reason(err))
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Invalid, "%s is in the way: the database must be a file there. Move it, or choose another data directory.", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "Countersign can't write to %s: %s.", path, reason(err))
	}
	return f.Close()
}

// lockFile keeps a second process away from the database. The lock goes with
// the process, however it ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "Countersign can't write to the data directory %s: %s.", filepath.Dir(path), reason(err))
	}
	switch err := lock(f); {
	case errors.Is(err, errLocked):
		return nil, errors.Join(fault.New(fault.Unavailable, "Another Countersign already uses the data directory %s.", filepath.Dir(path)), f.Close())
	case err != nil:
		return nil, errors.Join(fault.Wrap(err, fault.Invalid, "The data directory %s can't be locked: %s.", filepath.Dir(path), reason(err)), f.Close())
	}
	return f, nil
}

// reason is the short cause of an error of the file system: "permission
// denied", without the path that the sentence around it names.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
