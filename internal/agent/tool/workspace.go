package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/fault"
)

// maxLinks is how many symbolic links a path may lead over, as in the kernel.
const maxLinks = 40

// workspace is the folder that a session works in, opened. os.Root keeps every
// access inside it; what os.Root allows and we don't is checked here: links
// into .git or protected folders, files with several names, things that are
// no files.
type workspace struct {
	root      *os.Root
	dir       string // absolute, without links
	protected []string
	closed    []fs.FileInfo // the protected folders that exist, to be known under any name
	ignores   map[string]folderRules
}

func openWorkspace(dir string, protected []string) (*workspace, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The workspace %s can't be opened.", dir)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The workspace %s can't be opened.", dir)
	}
	w := &workspace{root: root, dir: real}
	for _, p := range protected {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		if within(real, p) {
			continue // the workspace lies in it, and outside of the workspace nothing is reached
		}
		w.protected = append(w.protected, filepath.Clean(p))
		if info, err := os.Stat(p); err == nil {
			w.closed = append(w.closed, info)
		}
	}
	return w, nil
}

func (w *workspace) Close() error { return w.root.Close() }

// resolve follows the symbolic links in a cleaned path and returns the path
// without any. What does not exist is taken as it is.
func (w *workspace) resolve(name string) (string, error) {
	rest, done := name, "."
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at := path.Join(done, part)
		info, err := w.root.Lstat(filepath.FromSlash(at))
		if errors.Is(err, fs.ErrNotExist) {
			return w.allowed(path.Join(at, rest))
		}
		if err != nil {
			return "", refuse("%s: %s.", at, reason(err))
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = at
			continue
		}
		if links++; links > maxLinks {
			return "", refuse("%s leads over too many symbolic links.", name)
		}
		target, err := w.target(at)
		if err != nil {
			return "", err
		}
		rest, done = path.Join(target, rest), "."
	}
	return w.allowed(done)
}

// target is where a link points to, as a path below the workspace.
func (w *workspace) target(link string) (string, error) {
	to, err := w.root.Readlink(filepath.FromSlash(link))
	if err != nil {
		return "", refuse("%s: %s.", link, reason(err))
	}
	if filepath.IsAbs(to) {
		to = relative(w.dir, to)
	} else {
		to = path.Join(path.Dir(link), filepath.ToSlash(to))
	}
	if filepath.IsAbs(to) || !filepath.IsLocal(filepath.FromSlash(to)) {
		return "", refuse("%s is a symbolic link that leads out of the workspace.", link)
	}
	return cleanPath(to)
}

// allowed refuses what is protected.
func (w *workspace) allowed(name string) (string, error) {
	if w.isProtected(name) {
		return "", refuse("%s belongs to Countersign itself, and no tool may read or write it.", name)
	}
	return name, nil
}

func (w *workspace) isProtected(name string) bool {
	full := filepath.Join(w.dir, filepath.FromSlash(name))
	return slices.ContainsFunc(w.protected, func(p string) bool { return within(full, p) })
}

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// enter opens the folder with this name directly in dir. It makes sure that
// what it opened is what stood there as a folder and not as a link, so that
// nobody can put a link in its place in between.
func (w *workspace) enter(dir *os.Root, name, full string) (*os.Root, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return nil, refuse("%s: %s.", full, reason(err))
	}
	if !seen.IsDir() {
		return nil, refuse("%s is not a folder.", full)
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, refuse("%s: %s.", full, reason(err))
	}
	opened, err := sub.Stat(".")
	if err != nil || !os.SameFile(seen, opened) {
		sub.Close()
		return nil, refuse("%s was replaced while it was being opened.", full)
	}
	for _, p := range w.closed {
		if os.SameFile(opened, p) {
			sub.Close()
			return nil, refuse("%s belongs to Countersign itself, and no tool may read or write it.", full)
		}
	}
	return sub, nil
}

// folder opens a folder by its resolved path. With create, missing ones are
// made on the way.
func (w *workspace) folder(name string, create bool) (*os.Root, error) {
	dir, err := w.root.OpenRoot(".")
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	if name == "." {
		return dir, nil
	}
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		if create {
			if err := dir.Mkdir(part, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				dir.Close()
				return nil, refuse("%s: %s.", at, reason(err))
			}
		}
		sub, err := w.enter(dir, part, at)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = sub
	}
	return dir, nil
}
