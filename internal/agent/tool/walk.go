package tool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"countersign/internal/planning"
)

// errStop ends a walk early, without being an error.
var errStop = errors.New("enough")

// maxIgnoreFile is the largest ignore file that is read.
const maxIgnoreFile = 1 << 20

// visit is called for each file of a walk, in the order of the paths, with the
// folder that the file stands in opened.
type visit func(dir *os.Root, entry fs.DirEntry, name string) error

// walk goes through the files below a resolved folder, without following
// links. It leaves out .git, what is protected, and what git ignores; a folder
// that was asked for by name is walked even if it is ignored itself.
func (w *workspace) walk(ctx context.Context, from string, see visit) error {
	rules := w.rulesAbove(from)
	return w.walkWith(ctx, from, &rules, see)
}

// walkAll is walk without regard to what git ignores.
func (w *workspace) walkAll(ctx context.Context, from string, see visit) error {
	return w.walkWith(ctx, from, nil, see)
}

func (w *workspace) walkWith(ctx context.Context, from string, rules *ignoreRules, see visit) error {
	dir, err := w.folder(from, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	err = w.walkIn(ctx, dir, from, rules, see)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (w *workspace) walkIn(ctx context.Context, dir *os.Root, at string, rules *ignoreRules, see visit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := readDir(dir)
	if err != nil {
		return nil // a folder that can't be read is left out, not the end of the search
	}
	if rules != nil {
		here := rules.with(at, readIgnore(dir, ".gitignore"))
		rules = &here
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if planning.IsGit(e.Name()) || w.isProtected(name) || rules != nil && rules.ignored(name, e.IsDir()) {
			continue
		}
		if !e.IsDir() {
			if err := see(dir, e, name); err != nil {
				return err
			}
			continue
		}
		sub, err := w.enter(dir, e.Name(), name)
		if err != nil {
			continue
		}
		err = w.walkIn(ctx, sub, name, rules, see)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// rulesAbove collects the ignore rules that stand above a folder: git's own
// exclude file and the .gitignore of each folder on the way.
func (w *workspace) rulesAbove(from string) ignoreRules {
	rules := ignoreRules(nil).with(".", readIgnore(w.root, path.Join(".git", "info", "exclude")))
	if from == "." {
		return rules
	}
	at := "."
	for part := range strings.SplitSeq(from, "/") {
		rules = rules.with(at, readIgnore(w.root, path.Join(at, ".gitignore")))
		at = path.Join(at, part)
	}
	return rules
}

func readIgnore(dir *os.Root, name string) string {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := dir.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	return string(b)
}

// readDir lists a folder in the order in which the paths below it sort.
func readDir(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	key := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(key(a), key(b)) })
	return entries, err
}
