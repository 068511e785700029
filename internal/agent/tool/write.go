package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"countersign/internal/agent"
	"countersign/internal/agent/mask"
	"countersign/internal/planning"
)

// maxFile is the largest file that the tools write or edit, in bytes.
const maxFile = 8 << 20

// target is a file about to be written: where it is and what it holds now.
type target struct {
	w     *workspace
	name  string
	limit int64       // bytes
	mode  fs.FileMode // permissions to be; 0 keeps those that it has
	info  fs.FileInfo // nil if there is no file yet
	text  content
}

// forWriting opens what a tool is about to change. The path must lead over no
// link: what is approved and recorded is the name, and it has to be the name
// of the file itself.
func (c Config) forWriting(env agent.Env, arg string) (*target, error) {
	name, err := cleanFile(arg)
	if err != nil {
		return nil, err
	}
	w, err := openWorkspace(env.Workspace, c.Protected)
	if err != nil {
		return nil, err
	}
	t := &target{w: w, name: name, limit: maxFile}
	if err := t.load(); err != nil {
		w.Close()
		return nil, err
	}
	if err := t.asSeen(env); err != nil {
		w.Close()
		return nil, err
	}
	return t, nil
}

func (t *target) load() error {
	real, err := t.w.resolve(t.name)
	if err != nil {
		return err
	}
	if real != t.name {
		return refuse("%s leads over a symbolic link to %s. Name that path itself.", t.name, real)
	}
	if !t.w.exists(t.name) {
		return nil
	}
	f, info, err := t.w.open(t.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > t.limit {
		return refuse("%s has %d bytes; files of up to %d can be changed.", t.name, info.Size(), t.limit)
	}
	b, err := io.ReadAll(io.LimitReader(f, t.limit))
	if err != nil {
		return refuse("%s: %s.", t.name, reason(err))
	}
	t.info, t.text = info, some(b)
	return nil
}

// fits checks a text before it is shown or written: its size, and that it does
// not put into the place of a secret what only stands for one.
func (t *target) fits(data []byte) error {
	if mask.Count(string(data)) > mask.Count(string(bytesOf(t.text))) {
		return refuse("The text for %s holds \"[masked: …]\", which stands for a secret that you are not shown, so it was not written: the secret would be lost. Change the other lines with edit_file, and leave that part out of old and new.", t.name)
	}
	if int64(len(data)) > t.limit {
		return refuse("The text for %s has %d bytes; files of up to %d can be written.", t.name, len(data), t.limit)
	}
	return nil
}

// replace records the change, writes the file, and returns the recorded
// change. If the write fails, the result carries the event that takes the
// record back, together with the error for the model.
func (t *target) replace(ctx context.Context, env agent.Env, data []byte) (planning.FileChanged, agent.Result, error) {
	if err := t.fits(data); err != nil {
		return planning.FileChanged{}, agent.Result{}, err
	}
	event := changed(env, t.name, t.text, some(data))
	if env.Ahead != nil {
		if err := env.Ahead(ctx, event); err != nil {
			return event, agent.Result{}, fmt.Errorf("record the change of %s: %w", t.name, err)
		}
	}
	if err := t.write(data); err != nil {
		return event, agent.Result{Events: []planning.Payload{event.Reverse()}}, err
	}
	return event, agent.Result{}, nil
}

// write puts the text in place in one step: a new file is written beside the
// old one, forced to disk and renamed over it. Whoever reads at that moment,
// or after a crash, finds the one or the other, whole.
func (t *target) write(data []byte) error {
	dir, err := t.w.folder(path.Dir(t.name), true)
	if err != nil {
		return err
	}
	defer dir.Close()
	base := path.Base(t.name)
	temp := ".countersign-" + rand.Text() + ".tmp"
	err = t.fill(dir, temp, data)
	if err == nil {
		err = t.unchanged(dir, base)
	}
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp)
		var no *agent.ToolError
		if errors.As(err, &no) {
			return err
		}
		return refuse("%s was not written: %s.", t.name, reason(err))
	}
	syncFolder(dir)
	return nil
}

// fill makes the new file, with the old one's owner and permissions.
func (t *target) fill(dir *os.Root, temp string, data []byte) error {
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	mode := t.mode
	if t.info != nil {
		keepOwner(f, t.info)
		mode = cmp.Or(mode, t.info.Mode().Perm())
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// unchanged refuses if the file is no longer what was read: somebody else, an
// editor perhaps, has written it meanwhile.
func (t *target) unchanged(dir *os.Root, base string) error {
	now, err := dir.Lstat(base)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case t.info == nil && gone:
		return nil
	case err != nil && !gone:
		return err
	case t.info == nil, gone, !os.SameFile(now, t.info), now.Size() != t.info.Size(), !now.ModTime().Equal(t.info.ModTime()):
		return refuse("%s was changed by somebody else just now, so it was not written. Read it again first.", t.name)
	}
	return nil
}

// syncFolder makes a rename durable. Where folders can't be synced there is
// nothing better to do.
func syncFolder(dir *os.Root) {
	if f, err := dir.Open("."); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// wrote is the one-line receipt of a write, for the model, and its short form.
func wrote(e planning.FileChanged) (output, summary string) {
	verb := "changed"
	if !e.Existed {
		verb = "created"
	}
	summary = fmt.Sprintf("+%d −%d", e.Added, e.Removed)
	return fmt.Sprintf("%s %s: %s added, %s removed.", verb, e.Path, count(e.Added, "line"), count(e.Removed, "line")), summary
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
