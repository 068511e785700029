package templates

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// scopeFile is a file or glob that the plan may write, and whether its steps
// say why. The scope comes with the plan and does not follow its text: a step
// that a reviewer takes out leaves its files in.
type scopeFile struct {
	pattern string
	named   bool // in a step of this version
	lost    bool // in no step of this version, but in one as submitted or of the version before
}

// scopeFiles holds the scope against the steps.
func (p PlanPage) scopeFiles() []scopeFile {
	if len(p.Plan.Scope.Files) == 0 {
		return nil
	}
	now, before := stepWords(p.Plan.Markdown), p.earlierWords()
	list := make([]scopeFile, len(p.Plan.Scope.Files))
	for i, pattern := range p.Plan.Scope.Files {
		named := now.name(pattern)
		lost := !named && slices.ContainsFunc(before, func(w words) bool { return w.name(pattern) })
		list[i] = scopeFile{pattern, named, lost}
	}
	return list
}

// lostFiles counts the files whose step is gone.
func (p PlanPage) lostFiles() int {
	n := 0
	for _, f := range p.scopeFiles() {
		if f.lost {
			n++
		}
	}
	return n
}

// earlierWords are those of the steps as the model sent this version, and of
// the version before.
func (p PlanPage) earlierWords() []words {
	list := []words{stepWords(p.Plan.Submitted)}
	if old, ok := p.State.PlanVersion(p.Plan.Version - 1); ok {
		list = append(list, stepWords(old.Markdown))
	}
	return list
}

// words are what could be a path in the steps of a plan.
type words map[string]bool

// spoken keeps the words of plans by their text, because a page is brought up
// to date often.
var spoken = newCache[string, words](64)

func stepWords(plan string) words {
	if known, ok := spoken.Get(plan); ok {
		return known
	}
	found := words{}
	doc := document.Parse(plan)
	for i, b := range doc.Blocks {
		if b.Kind != document.Step {
			continue
		}
		for _, w := range strings.FieldsFunc(doc.Text(i), betweenPaths) {
			if w = strings.TrimPrefix(strings.TrimRight(w, ".:"), "./"); w != "" {
				found[w] = true
			}
		}
	}
	spoken.Add(plan, found)
	return found
}

func betweenPaths(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("`'\"()<>,;|“”‘’，。；：、（）", r)
}

// name tells whether the words name a file of the scope: by its path or the
// end of it, or, for a glob or a folder, by any file in it.
func (w words) name(pattern string) bool {
	if w[pattern] || w[strings.TrimSuffix(pattern, "/")] {
		return true
	}
	for rest := path.Clean(pattern); ; {
		if w[rest] {
			return true
		}
		_, after, deeper := strings.Cut(rest, "/")
		if !deeper {
			break
		}
		rest = after
	}
	if !strings.ContainsAny(pattern, "*?[{") && !strings.HasSuffix(pattern, "/") {
		return false
	}
	one := planning.Scope{Files: []string{pattern}}
	for word := range w {
		if one.HasFile(word) {
			return true
		}
	}
	return false
}
