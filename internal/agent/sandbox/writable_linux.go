package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"countersign/internal/planning"
)

// writableIn returns what a command may write in the workspace where there is
// no layer over it: exact paths for Landlock.
//
// Only what exists can be named in a rule, and a rule for a folder takes in
// all that is below. So a folder is named as a whole only if everything below
// it is allowed and nothing there is closed; new files can be made in such
// folders and nowhere else.
func writableIn(c Command, closed []string) []string {
	switch c.Access {
	case Approved:
		return approvedIn(c, closed)
	case Workspace:
		// The workspace's own folder is never named, even if it has no .git: one
		// could be made in it.
		closed = slices.Concat(closed, closedBelow(c.Dir), []string{filepath.Join(c.Dir, ".git")})
		writable, _ := carve(c.Dir, closed)
		return writable
	default:
		return nil
	}
}

func approvedIn(c Command, closed []string) []string {
	if c.Writable == nil {
		return nil
	}
	closed = slices.Concat(closed, closedBelow(c.Dir))
	var writable []string
	_ = filepath.WalkDir(c.Dir, func(full string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(full, c.Dir+"/"))
		switch {
		case err != nil || full == c.Dir:
		case insideAny(full, closed):
			return skip(d)
		case d.IsDir() && slices.Contains(c.Folders, rel):
			open, _ := carve(full, closed)
			writable = append(writable, open...)
			return fs.SkipDir
		case d.Type().IsRegular() && c.Writable(rel):
			writable = append(writable, full)
		}
		return nil
	})
	return writable
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// closedBelow finds what must not be written through a rule for a folder above
// it: every .git, folder or file, and files with several names, of which
// another may lie outside.
func closedBelow(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || full == dir:
		case planning.IsGit(d.Name()):
			found = append(found, full)
			return skip(d)
		case d.Type().IsRegular():
			if info, err := d.Info(); err != nil || links(info) > 1 {
				found = append(found, full)
			}
		}
		return nil
	})
	return found
}

// gitEntries finds every .git below a folder, as paths relative to it.
func gitEntries(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err == nil && full != dir && planning.IsGit(d.Name()) {
			found = append(found, strings.TrimPrefix(full, dir+"/"))
			return skip(d)
		}
		return nil
	})
	return found
}

func links(info os.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
