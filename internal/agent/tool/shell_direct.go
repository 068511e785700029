package tool

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"countersign/internal/planning"
)

// maxRemembered is how much text is kept while a command writes in place, in
// bytes; changes of what goes beyond are recorded without the text.
const maxRemembered = 64 << 20

// remembered is a file as it was before the command.
type remembered struct {
	info fs.FileInfo
	text content // nil if it was not kept
}

// direct remembers what the command may change, before it writes in place.
func (s *shellRun) direct() error {
	if err := s.open(); err != nil {
		return err
	}
	s.before = map[string]remembered{}
	room := maxRemembered
	return s.each(func(f *os.File, info fs.FileInfo, name string) {
		r := remembered{info: info}
		if info.Size() <= maxKept && info.Size() <= int64(room) {
			if b, err := io.ReadAll(io.LimitReader(f, maxKept)); err == nil {
				r.text = some(b)
				room -= len(b)
			}
		}
		s.before[name] = r
	})
}

// compare records what a command has changed in place. It is after the fact: a
// crash before it is what the outcome "unknown" of a call stands for.
func (s *shellRun) compare() error {
	if s.before == nil {
		return nil
	}
	found := map[string]planning.FileChanged{}
	seen := map[string]bool{}
	err := s.each(func(f *os.File, info fs.FileInfo, name string) {
		seen[name] = true
		was, existed := s.before[name]
		if existed && untouched(was.info, info) {
			return
		}
		if e, differs := s.inPlace(name, was, existed, f); differs {
			found[name] = e
		}
	})
	for name, was := range s.before {
		if !seen[name] {
			found[name] = s.event(name, was, true, nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s.events = append(s.events, found[name])
		s.written = append(s.written, name)
	}
	return err
}

func untouched(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && changedAt(was).Equal(changedAt(is))
}

// inPlace compares a file that was touched with what it was.
func (s *shellRun) inPlace(name string, was remembered, existed bool, f *os.File) (planning.FileChanged, bool) {
	now, err := io.ReadAll(io.LimitReader(f, maxTaken))
	if err != nil {
		now = nil
	}
	if existed && was.text != nil && string(*was.text) == string(now) {
		return planning.FileChanged{}, false
	}
	return s.event(name, was, existed, some(now)), true
}

func (s *shellRun) event(name string, was remembered, existed bool, now content) planning.FileChanged {
	if !existed || was.text != nil {
		return changed(s.env, name, was.text, now)
	}
	e := changed(s.env, name, some(nil), nil) // the text before was not kept
	e.Exists, e.Omitted, e.Added, e.Removed = now != nil, "over 256 KiB", 0, 0
	return e
}

// each calls f for every file that the command may change, opened. What can't
// be opened safely here can't be written there either.
func (s *shellRun) each(f func(file *os.File, info fs.FileInfo, name string)) error {
	if s.allowed == nil {
		return nil
	}
	walk := s.w.walkAll // files that git ignores can be in a plan
	if s.env.Shell.Everything {
		walk = s.w.walk // but a whole workspace is recorded without them
	}
	return walk(context.Background(), ".", func(dir *os.Root, e fs.DirEntry, name string) error {
		if !e.Type().IsRegular() || !s.allowed(name) {
			return nil
		}
		file, info, err := openIn(dir, e.Name(), name)
		if err != nil {
			return nil
		}
		defer file.Close()
		f(file, info, name)
		return nil
	})
}
