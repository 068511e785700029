package tool

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRule is one line of a .gitignore file, after gitignore(5).
type ignoreRule struct {
	base     string // folder of the file that it stands in, "." for the workspace
	pattern  string // for doublestar
	negated  bool   // takes back an earlier match
	dirOnly  bool   // matches folders only
	anchored bool   // matches the path from base on, not the name alone
}

// ignoreRules are the rules in force in a folder, weakest first.
type ignoreRules []ignoreRule

// with returns the rules together with those of a file that stands in base.
// The old slice is not written into: sibling folders share it.
func (r ignoreRules) with(base, file string) ignoreRules {
	next := r[:len(r):len(r)]
	for line := range strings.SplitSeq(file, "\n") {
		if rule, ok := parseIgnore(base, line); ok {
			next = append(next, rule)
		}
	}
	return next
}

// ignored tells whether the last rule that matches says so. Whoever walks
// must not go into an ignored folder: nothing below it can be taken back.
func (r ignoreRules) ignored(name string, isDir bool) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if r[i].matches(name, isDir) {
			return !r[i].negated
		}
	}
	return false
}

func (r ignoreRule) matches(name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.base != "." {
		rest, below := strings.CutPrefix(name, r.base+"/")
		if !below {
			return false
		}
		name = rest
	}
	if !r.anchored {
		name = path.Base(name)
	}
	ok, err := doublestar.Match(r.pattern, name)
	return err == nil && ok
}

// folderRules are the rules in force in a folder, and whether git ignores the
// folder itself, with all that is below.
type folderRules struct {
	rules   ignoreRules
	ignored bool
}

// isIgnored tells whether git ignores a file, by its name or a folder's above.
// What it reads of a folder it keeps, because a command can make thousands of
// files in one.
func (w *workspace) isIgnored(name string) bool {
	dir := w.rulesIn(path.Dir(name))
	return dir.ignored || dir.rules.ignored(name, false)
}

func (w *workspace) rulesIn(dir string) folderRules {
	if known, ok := w.ignores[dir]; ok {
		return known
	}
	var f folderRules
	if dir == "." {
		f.rules = w.rulesAbove(".")
	} else {
		above := w.rulesIn(path.Dir(dir))
		f.rules, f.ignored = above.rules, above.ignored || above.rules.ignored(dir, true)
	}
	if !f.ignored { // in an ignored folder nothing can be taken back
		f.rules = f.rules.with(dir, readIgnore(w.root, path.Join(dir, ".gitignore")))
	}
	if w.ignores == nil {
		w.ignores = map[string]folderRules{}
	}
	w.ignores[dir] = f
	return f
}

func parseIgnore(base, line string) (ignoreRule, bool) {
	r := ignoreRule{base: base}
	p := trimBlanks(strings.TrimSuffix(line, "\r"))
	if p == "" || p[0] == '#' {
		return r, false
	}
	p, r.negated = strings.CutPrefix(p, "!")
	p, r.dirOnly = strings.CutSuffix(p, "/")
	r.anchored = strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return r, false
	}
	if rest, ok := strings.CutSuffix(p, "/**"); ok {
		p = rest + "/**/*" // what is in the folder, not the folder itself
	}
	r.pattern = escapeBraces(p)
	return r, doublestar.ValidatePattern(r.pattern)
}

// trimBlanks cuts blanks at the end unless a backslash keeps them.
func trimBlanks(s string) string {
	for strings.HasSuffix(s, " ") && !strings.HasSuffix(s, `\ `) {
		s = s[:len(s)-1]
	}
	return s
}

// escapeBraces: braces are alternatives to doublestar and plain characters to
// git.
func escapeBraces(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			b.WriteString(s[i : i+2])
			i++
			continue
		case s[i] == '{' || s[i] == '}':
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
