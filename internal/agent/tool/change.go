package tool

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// maxKept is the largest text that the log keeps of a changed file.
const maxKept = 256 << 10

// maxDiffed is the largest text whose changed lines are counted.
const maxDiffed = 2 << 20

// content is what a file holds at one moment; nil means that there is none.
type content *[]byte

func some(b []byte) content {
	if b == nil {
		b = []byte{}
	}
	return &b
}

// changed makes the event for a change of one file.
func changed(env agent.Env, name string, before, after content) planning.FileChanged {
	e := planning.FileChanged{
		Call: env.Call, Path: name,
		Existed: before != nil, Exists: after != nil,
		InPlan: env.State.Scope().HasFile(name),
	}
	if now, ok := env.State.TodoNow(); ok {
		e.Todo = now.ID
	}
	old, now := bytesOf(before), bytesOf(after)
	if isBinary(old) || isBinary(now) {
		e.Omitted = "binary"
		return e
	}
	if len(old) <= maxDiffed && len(now) <= maxDiffed {
		e.Added, e.Removed = countLines(string(old), string(now))
	}
	if len(old) > maxKept || len(now) > maxKept {
		e.Omitted = "over 256 KiB"
		return e
	}
	e.Before, e.After = string(old), string(now)
	return e
}

func bytesOf(c content) []byte {
	if c == nil {
		return nil
	}
	return *c
}

// countLines counts the lines that a change added and removed.
func countLines(before, after string) (added, removed int) {
	for _, e := range udiff.Lines(before, after) {
		added += lineCount(e.New)
		removed += lineCount(before[e.Start:e.End])
	}
	return added, removed
}

// lineCount counts lines; a last one without a newline counts too.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// isBinary: text that is not UTF-8 counts as binary as well, because it can't
// be told to a model or kept in the log without changing it.
func isBinary(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b)
}

// Reconcile looks whether a change that was recorded ahead has happened. It is
// for the time after a crash. Known is false if the file is neither as it was
// before nor as it was to become, or if the log doesn't hold enough to tell: it
// has texts without the secrets in them.
func (c Config) Reconcile(workspace string, change planning.FileChanged) (happened, known bool) {
	name, err := cleanFile(change.Path)
	if err != nil {
		return false, false
	}
	w, err := openWorkspace(workspace, nil)
	if err != nil {
		return false, false
	}
	defer w.Close()
	now, err := w.snapshot(name)
	if err != nil {
		return false, false
	}
	is := func(exists bool, text string) bool {
		if exists != (now != nil) {
			return false
		}
		return !exists || change.Omitted == "" && (string(*now) == text || c.Mask.Text(string(*now)) == text)
	}
	if change.Existed && change.Exists && change.Before == change.After {
		return false, false // nothing but a secret differs
	}
	was, became := is(change.Existed, change.Before), is(change.Exists, change.After)
	switch {
	case became:
		return true, true
	case was:
		return false, true
	default:
		return false, false
	}
}

// snapshot reads a file by its cleaned path; nil means that there is none.
func (w *workspace) snapshot(name string) (content, error) {
	dir, err := w.folder(path.Dir(name), false)
	if err != nil {
		if !w.exists(path.Dir(name)) {
			return nil, nil
		}
		return nil, err
	}
	defer dir.Close()
	if _, err := dir.Lstat(path.Base(name)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	f, _, err := openIn(dir, path.Base(name), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, refuse("%s: %s.", name, reason(err))
	}
	return some(b), nil
}

func (w *workspace) exists(name string) bool {
	_, err := w.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
