package sandbox

import (
	"os"
	"path/filepath"
)

// scratch is the private folder of one command.
type scratch struct{ dir string }

// makeScratch makes the folder outside the workspace, so that a workspace
// which is itself a place for temporary files does not contain it.
func makeScratch(workspace string) (scratch, error) {
	var err error
	for _, base := range []string{os.TempDir(), "/var/tmp", "/dev/shm"} {
		if base, err = filepath.EvalSymlinks(base); err != nil || within(base, workspace) {
			continue
		}
		var dir string
		if dir, err = os.MkdirTemp(base, "countersign-"); err != nil {
			continue
		}
		s := scratch{dir: dir}
		for _, sub := range []string{s.home(), s.tmp(), s.goBuild(), s.modules()} {
			if err = os.Mkdir(sub, 0o700); err != nil {
				s.remove()
				return scratch{}, err
			}
		}
		return s, nil
	}
	if err == nil {
		err = os.ErrNotExist
	}
	return scratch{}, err
}

// workspaceLayer is the name of the layer over the workspace.
const workspaceLayer = "layer"

func (s scratch) home() string    { return filepath.Join(s.dir, "home") }
func (s scratch) tmp() string     { return filepath.Join(s.dir, "tmp") }
func (s scratch) goBuild() string { return filepath.Join(s.dir, "go-build") }
func (s scratch) modules() string { return filepath.Join(s.dir, "modules") }

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
