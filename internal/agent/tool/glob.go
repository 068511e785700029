package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

//go:embed glob.md
var globText string

// maxFound is how many paths glob answers with.
const maxFound = 2000

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty" jsonschema:"folder to look in; empty is the workspace"`
}

func (c Config) glob() agent.Tool {
	return define(typed[globArgs]{
		spec:   spec("glob", globText),
		access: agent.AccessRead,
		touch: func(a globArgs) (agent.Touch, error) {
			if err := checkPattern("pattern", a.Pattern); err != nil {
				return agent.Touch{}, err
			}
			return agent.Touch{Summary: inFolder(a.Pattern, a.Path)}, nil
		},
		run: c.runGlob,
	}, "")
}

func (c Config) runGlob(ctx context.Context, env agent.Env, a globArgs) (agent.Result, error) {
	w, from, err := c.forReading(env, cmp.Or(a.Path, "."))
	if err != nil {
		return agent.Result{}, err
	}
	defer w.Close()
	var out strings.Builder
	found := 0
	err = w.walk(ctx, from, func(_ *os.Root, _ fs.DirEntry, name string) error {
		if !matchBelow(a.Pattern, from, name) {
			return nil
		}
		if found++; found > maxFound {
			return errStop
		}
		out.WriteString(strings.ToValidUTF8(name, "\uFFFD") + "\n")
		return nil
	})
	switch {
	case err != nil:
		return agent.Result{}, err
	case found == 0:
		return agent.Result{Output: "[no file matches]", Summary: "no files"}, nil
	case found > maxFound:
		fmt.Fprintf(&out, "[more than %d files; use a narrower pattern]\n", maxFound)
		return agent.Result{Output: out.String(), Summary: fmt.Sprintf("over %d files", maxFound)}, nil
	}
	return agent.Result{Output: out.String(), Summary: count(found, "file")}, nil
}

// matchBelow matches a path against a pattern that is relative to a folder. A
// pattern without a slash matches the name alone, at any depth.
func matchBelow(pattern, from, name string) bool {
	if from != "." {
		name = strings.TrimPrefix(name, from+"/")
	}
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

func checkPattern(field, pattern string) error {
	switch {
	case pattern == "":
		return refuse("%s is empty.", field)
	case len(pattern) > planning.MaxPath:
		return refuse("%s is longer than %d bytes.", field, planning.MaxPath)
	case strings.HasPrefix(pattern, "/"):
		return refuse("%s is relative to the workspace; leave out the slash in front.", field)
	case !doublestar.ValidatePattern(pattern):
		return refuse("%s %q is not a valid glob pattern.", field, pattern)
	}
	return nil
}

func inFolder(what, folder string) string {
	if folder == "" || folder == "." {
		return what
	}
	return what + " in " + folder
}
