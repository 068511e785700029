package sandbox

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"countersign/internal/planning"
)

// settle is what happens to a layer when its command has ended: a planning
// command's is listed and thrown away, any other is handed to the caller.
func (s scratch) settle(c Command, r Result, started time.Time) (Result, error) {
	l := layerReader{upper: filepath.Join(s.dir, workspaceLayer, "upper"), lower: c.Dir}
	if c.Access == LookOnly {
		r.Discarded = l.names()
		return r, nil
	}
	if c.Layer == nil || r.TimedOut || r.Cancelled || r.Stopped != "" {
		return r, nil
	}
	return r, c.Layer(l.changes(), started)
}

// layerReader reads the upper folder of an overlay mount that is no more.
// Nobody writes into it any longer, and links in it are never followed.
type layerReader struct {
	upper, lower string
	found        []Change
}

// maxChanges bounds how many changes are listed.
const maxChanges = 20_000

// changes lists what differs between the layer and what lies below it.
func (l *layerReader) changes() []Change {
	l.folder(".", false)
	return l.found
}

// names lists the changes for people. What happened inside a .git is told in
// one line.
func (l *layerReader) names() []string {
	var names []string
	for _, c := range l.changes() {
		name := c.Path
		if git := gitFolder(name); git != "" {
			name = git + "/"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// gitFolder returns the path up to the first .git in it.
func gitFolder(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		if planning.IsGit(path.Base(at)) {
			return at
		}
	}
	return ""
}

// folder compares one folder. It is opaque if what lies below doesn't show
// through: the command removed it and made a new one of the same name.
func (l *layerReader) folder(at string, opaque bool) {
	entries, err := os.ReadDir(filepath.Join(l.upper, at))
	if err != nil {
		return
	}
	here := make(map[string]bool, len(entries))
	for _, e := range entries {
		here[e.Name()] = true
		info, err := e.Info()
		if err != nil || len(l.found) >= maxChanges {
			continue
		}
		l.entry(path.Join(at, e.Name()), info, opaque)
	}
	if !opaque {
		return
	}
	below, _ := os.ReadDir(filepath.Join(l.lower, at))
	for _, e := range below {
		if !here[e.Name()] {
			l.deleted(path.Join(at, e.Name()))
		}
	}
}

func (l *layerReader) entry(name string, now fs.FileInfo, opaque bool) {
	was, err := os.Lstat(filepath.Join(l.lower, name))
	existed := err == nil
	switch {
	case isWhiteout(now):
		if existed {
			l.deleted(name)
		}
	case now.IsDir():
		if existed && !was.IsDir() {
			l.deleted(name) // a file became a folder
		}
		l.folder(name, opaque || isOpaque(filepath.Join(l.upper, name)) || existed && !was.IsDir())
	default:
		if existed && was.IsDir() {
			l.deleted(name) // a folder became a file
			existed = false
		}
		if existed && l.same(name, was, now) {
			return
		}
		c := Change{Path: name, Kind: Created, Mode: now.Mode(), Size: now.Size(), Open: l.open(name)}
		if existed {
			c.Kind = Modified
		}
		l.found = append(l.found, c)
	}
}

// deleted lists a file, or every file in a folder, as deleted.
func (l *layerReader) deleted(name string) {
	_ = filepath.WalkDir(filepath.Join(l.lower, name), func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if len(l.found) >= maxChanges {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(l.lower, full)
		if err == nil {
			l.found = append(l.found, Change{Path: filepath.ToSlash(rel), Kind: Deleted})
		}
		return nil
	})
}

func (l *layerReader) open(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := os.OpenFile(filepath.Join(l.upper, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			f.Close()
			return nil, errors.New("not a regular file")
		}
		return f, nil
	}
}

// same tells whether a file is in the layer only because it was touched.
func (l *layerReader) same(name string, was, now fs.FileInfo) bool {
	if was.Mode() != now.Mode() || was.Size() != now.Size() {
		return false
	}
	upper, lower := filepath.Join(l.upper, name), filepath.Join(l.lower, name)
	if now.Mode()&fs.ModeSymlink != 0 {
		a, _ := os.Readlink(upper)
		b, _ := os.Readlink(lower)
		return a == b
	}
	return now.Mode().IsRegular() && sameContent(upper, lower)
}

func sameContent(a, b string) bool {
	f, err := os.OpenFile(a, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := os.OpenFile(b, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer g.Close()
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errF := io.ReadFull(f, x)
		m, errG := io.ReadFull(g, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if errF != nil || errG != nil {
			return errF == errG // both at their end, at the same place
		}
	}
}

// isWhiteout: overlayfs marks what was deleted with a device of number zero.
func isWhiteout(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && s.Rdev == 0
}

// isOpaque: overlayfs marks a folder that replaces another one.
func isOpaque(folder string) bool {
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(folder, "user.overlay.opaque", value)
	return err == nil && string(value[:max(n, 0)]) == "y"
}
