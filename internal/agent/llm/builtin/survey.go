package builtin

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	grepLimit    = 2000 // lines of one answer of grep; what the tool gives at most
	maxCallsTurn = 48   // calls of one turn while looking around
	maxPages     = 64   // answers of read_file for one file
	maxFiles     = 1500 // files in a plan; more is a task for several plans
	maxDepth     = 64   // folders that a search is narrowed down through
	nearby       = 200  // lines between two matches that are read in one piece
)

// survey is what looking around has brought so far. It is put together anew at
// each turn from the questions that were asked and their answers.
type survey struct {
	talk  talk
	files map[string]*source
	ask   []question // what is to be asked next

	leftOut []string // files that can't be changed, each with the reason
	failed  string   // why the first search failed
}

// question is a call to be made.
type question struct {
	tool string
	args any
	kind string
	step int
}

// source is a file in which something is to be changed.
type source struct {
	path    string
	matches []int          // numbers of the lines that grep found
	partial bool           // grep may not have found all of them
	lines   map[int]string // those that were read
}

// look searches the workspace and reads the files with matches.
func look(t talk) *survey {
	s := &survey{talk: t, files: map[string]*source{}}
	s.search(unit{args: grepArgs{Glob: globFor(t.task.only)}}, 0)
	if len(s.ask) == 0 {
		for _, name := range s.names() {
			s.read(s.files[name])
		}
	}
	return s
}

// names are the files with matches, in order.
func (s *survey) names() []string {
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unit is one search: of a folder with all that is below it, or of a file.
type unit struct {
	folder string // "" is the workspace
	file   bool
	args   grepArgs
}

// search makes one search. Where its answer was cut, what lies behind the last
// match is searched again, piece by piece.
func (s *survey) search(u unit, depth int) {
	u.args.Pattern, u.args.Limit = pattern(s.talk.task.changes), grepLimit
	c, asked := s.talk.asked("grep", u.args)
	switch {
	case !asked:
		s.ask = append(s.ask, question{"grep", u.args, "find", 0})
		return
	case c.failed && depth == 0:
		s.failed = c.result
		return
	case c.failed:
		s.leave(cmp.Or(u.folder, u.args.Glob), c.result)
		return
	}
	found, cut, unsearched := readGrep(c.result)
	if unsearched != "" {
		s.leave(unsearched, s.talk.say().tooLarge)
	}
	for _, m := range found {
		s.add(m)
	}
	if !cut || len(found) == 0 {
		return
	}
	last := found[len(found)-1].path
	if f := s.files[last]; f != nil {
		f.partial = true
	}
	if !u.file && depth < maxDepth {
		s.narrow(u.folder, last, depth)
	}
}

func (s *survey) add(m match) {
	if !s.talk.task.allows(m.path) {
		return
	}
	f := s.files[m.path]
	if f == nil {
		f = &source{path: m.path, lines: map[int]string{}}
		s.files[m.path] = f
	}
	f.matches = append(f.matches, m.line)
}

// narrow searches what comes behind the file last in a folder. grep goes
// through a folder in the order of its names, with a slash behind those of
// folders. The pieces are told by globs relative to the folder, so that what
// git ignores in it stays left out.
func (s *survey) narrow(folder, last string, depth int) {
	args := listArgs{Path: folder}
	c, asked := s.talk.asked("list_dir", args)
	if !asked {
		s.ask = append(s.ask, question{"list_dir", args, "list", 0})
		return
	}
	entries, more := readList(c.result)
	if more {
		s.leave(folder, s.talk.say().tooMany)
	}
	for _, e := range entries {
		name := path.Join(folder, e.name)
		glob := escapeGlob(e.name)
		switch {
		case e.folder && (name+"/" > last || strings.HasPrefix(last, name+"/")):
			s.search(unit{folder: name, args: grepArgs{Path: folder, Glob: glob + "/**" + s.simpleGlob()}}, depth+1)
		case !e.folder && name > last && s.talk.task.allows(name):
			s.search(unit{folder: folder, file: true, args: grepArgs{Path: folder, Glob: "{,/}" + glob}}, depth+1)
		}
	}
}

// simpleGlob is the task's own pattern, if it is a single one about names, to
// be put behind a folder's.
func (s *survey) simpleGlob() string {
	only := s.talk.task.only
	if len(only) == 1 && strings.HasPrefix(only[0], "*.") && !strings.Contains(only[0], "/") {
		return "/" + only[0]
	}
	return ""
}

// leave notes that something can't be changed, and why.
func (s *survey) leave(what, why string) {
	s.leftOut = append(s.leftOut, code(what)+": "+plain(short(why, 120)))
}

// read asks for what is still to be known of a file: all of it, or, where it
// is too long for one answer, the parts around its matches.
func (s *survey) read(f *source) {
	p, known := s.page(f, readArgs{Path: f.path})
	if !known || p.next == 0 {
		return
	}
	if f.partial {
		for n := 1; known && p.next > 0 && n < maxPages; n++ {
			p, known = s.page(f, readArgs{Path: f.path, Start: p.next})
		}
		return
	}
	for _, r := range f.unread() {
		for n := 0; n < maxPages; n++ {
			p, known := s.page(f, r)
			if !known || p.next == 0 || p.next > r.End {
				break
			}
			r.Start = p.next
		}
	}
}

// unread groups the matches whose lines are not known into ranges.
func (f *source) unread() []readArgs {
	var ranges []readArgs
	for _, line := range f.matches {
		if _, known := f.lines[line]; known {
			continue
		}
		if n := len(ranges); n > 0 && line-ranges[n-1].End <= nearby {
			ranges[n-1].End = line
		} else {
			ranges = append(ranges, readArgs{Path: f.path, Start: line, End: line})
		}
	}
	return ranges
}

// page takes an answer of read_file into the file, or asks for it.
func (s *survey) page(f *source, args readArgs) (page, bool) {
	c, asked := s.talk.asked("read_file", args)
	if !asked {
		s.ask = append(s.ask, question{"read_file", args, "read", 0})
		return page{}, false
	}
	p, ok := readPage(c.result)
	switch {
	case c.failed || !ok:
		s.leave(f.path, c.result)
		delete(s.files, f.path)
		return page{}, false
	case p.broken:
		s.leave(f.path, s.talk.say().notText)
		delete(s.files, f.path)
		return page{}, false
	}
	for i, line := range p.lines {
		f.lines[p.first+i] = line
	}
	return p, true
}

// collisions asks whether the new names are in use already, which a reviewer
// should know before two things have one name.
func (s *survey) collisions() []string {
	var notes []string
	for _, c := range s.talk.task.changes {
		isOld := slices.ContainsFunc(s.talk.task.changes, func(o change) bool { return o.old == c.new })
		if !c.whole || isOld || c.new == "" {
			continue
		}
		args := grepArgs{Pattern: pattern([]change{{old: c.new, whole: true}}), Limit: grepLimit / 10}
		answer, asked := s.talk.asked("grep", args)
		if !asked {
			s.ask = append(s.ask, question{"grep", args, "used", 0})
			continue
		}
		found, _, _ := readGrep(answer.result)
		if len(found) > 0 && !answer.failed {
			notes = append(notes, fmt.Sprintf(s.talk.say().alreadyUsed, code(c.new), code(fmt.Sprintf("%s:%d", found[0].path, found[0].line))))
		}
	}
	return notes
}
