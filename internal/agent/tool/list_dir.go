package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

//go:embed list_dir.md
var listDirText string

// maxEntries is how many names a listing shows.
const maxEntries = 2000

type listDirArgs struct {
	Path string `json:"path,omitempty" jsonschema:"relative to the workspace; empty is the workspace itself"`
}

func (c Config) listDir() agent.Tool {
	return define(typed[listDirArgs]{
		spec:   spec("list_dir", listDirText),
		access: agent.AccessRead,
		touch: func(a listDirArgs) (agent.Touch, error) {
			return agent.Touch{Summary: cmp.Or(a.Path, ".")}, nil
		},
		run: c.runListDir,
	}, "")
}

func (c Config) runListDir(_ context.Context, env agent.Env, a listDirArgs) (agent.Result, error) {
	w, name, err := c.forReading(env, cmp.Or(a.Path, "."))
	if err != nil {
		return agent.Result{}, err
	}
	defer w.Close()
	dir, err := w.folder(name, false)
	if err != nil {
		return agent.Result{}, err
	}
	defer dir.Close()
	entries, err := readDir(dir)
	if err != nil {
		return agent.Result{}, refuse("%s: %s.", name, reason(err))
	}
	var out strings.Builder
	shown := 0
	for _, e := range entries {
		if planning.IsGit(e.Name()) || w.isProtected(path.Join(name, e.Name())) {
			continue
		}
		if shown++; shown <= maxEntries {
			out.WriteString(strings.ToValidUTF8(describeEntry(e), "\uFFFD") + "\n")
		}
	}
	if shown == 0 {
		return agent.Result{Output: fmt.Sprintf("[%s is empty]", name), Summary: "empty"}, nil
	}
	if shown > maxEntries {
		fmt.Fprintf(&out, "[%d more]\n", shown-maxEntries)
	}
	return agent.Result{Output: out.String(), Summary: countEntries(shown)}, nil
}

func countEntries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func describeEntry(e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return e.Name() + "/"
	case e.Type()&fs.ModeSymlink != 0:
		return e.Name() + " (symbolic link)"
	case !e.Type().IsRegular():
		return e.Name() + " (not a file)"
	}
	info, err := e.Info()
	if err != nil {
		return e.Name()
	}
	return fmt.Sprintf("%s %d", e.Name(), info.Size())
}
