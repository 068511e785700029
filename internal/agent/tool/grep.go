package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"countersign/internal/agent"
)

//go:embed grep.md
var grepText string

const (
	defaultMatches = 200
	maxMatches     = 2000
	maxSearched    = 8 << 20   // bytes of one file; larger ones are named and left out
	maxGrepAnswer  = 128 << 10 // bytes
	maxMatchLine   = 400       // bytes shown of a line
)

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"RE2 regular expression"`
	Path       string `json:"path,omitempty" jsonschema:"file or folder to search; empty is the workspace"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files that match, e.g. *.go or web/**/*.css"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Limit      int    `json:"limit,omitempty" jsonschema:"most lines to answer with, 200 if not given"`
}

func (c Config) grep() agent.Tool {
	return define(typed[grepArgs]{
		spec:   spec("grep", grepText),
		access: agent.AccessRead,
		touch: func(a grepArgs) (agent.Touch, error) {
			if _, err := a.compile(); err != nil {
				return agent.Touch{}, err
			}
			if a.Glob != "" {
				if err := checkPattern("glob", a.Glob); err != nil {
					return agent.Touch{}, err
				}
			}
			if a.Limit < 0 {
				return agent.Touch{}, refuse("limit is to be 1 or more.")
			}
			return agent.Touch{Summary: inFolder(a.Pattern, cmp.Or(a.Path, a.Glob))}, nil
		},
		run: c.runGrep,
	}, "")
}

func (a grepArgs) compile() (*regexp.Regexp, error) {
	if a.Pattern == "" {
		return nil, refuse("pattern is empty.")
	}
	source := a.Pattern
	if a.IgnoreCase {
		source = "(?i)" + source
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, refuse("pattern is not a regular expression in RE2 syntax (%v). To search for text with special characters, put a backslash before each.", err)
	}
	return re, nil
}

func (c Config) runGrep(ctx context.Context, env agent.Env, a grepArgs) (agent.Result, error) {
	re, err := a.compile()
	if err != nil {
		return agent.Result{}, err
	}
	w, from, err := c.forReading(env, cmp.Or(a.Path, "."))
	if err != nil {
		return agent.Result{}, err
	}
	defer w.Close()
	s := newSearch(re, min(cmp.Or(a.Limit, defaultMatches), maxMatches))
	info, err := w.root.Lstat(from)
	if err != nil {
		return agent.Result{}, refuse("%s: %s.", from, reason(err))
	}
	if !info.IsDir() {
		return s.oneFile(w, from)
	}
	err = w.walk(ctx, from, func(dir *os.Root, e fs.DirEntry, name string) error {
		if a.Glob != "" && !matchBelow(a.Glob, from, name) {
			return nil
		}
		return s.file(dir, e.Name(), name)
	})
	if err != nil {
		return agent.Result{}, err
	}
	return s.result(), nil
}

// oneFile searches a file that was asked for by name: what keeps it from being
// searched is an error then.
func (s *search) oneFile(w *workspace, name string) (agent.Result, error) {
	dir, err := w.folder(path.Dir(name), false)
	if err != nil {
		return agent.Result{}, err
	}
	defer dir.Close()
	f, _, err := openIn(dir, path.Base(name), name)
	if err != nil {
		return agent.Result{}, err
	}
	f.Close()
	if err := s.file(dir, path.Base(name), name); err != nil && err != errStop {
		return agent.Result{}, err
	}
	return s.result(), nil
}

func (s *search) result() agent.Result {
	summary := fmt.Sprintf("%s in %s", countMatches(s.matches), count(s.files, "file"))
	out := s.out.String()
	if s.matches == 0 {
		summary, out = "no match", "[no match]\n"
	}
	if s.full {
		out += fmt.Sprintf("[stopped after %s; narrow the pattern, or give path or glob]\n", countMatches(s.matches))
		summary = "over " + summary
	}
	if len(s.large) > 0 {
		out += fmt.Sprintf("[not searched, because larger than %d MiB: %s]\n", maxSearched>>20, strings.Join(s.large, ", "))
	}
	return agent.Result{Output: out, Summary: summary}
}

func countMatches(n int) string {
	if n == 1 {
		return "1 match"
	}
	return fmt.Sprintf("%d matches", n)
}
