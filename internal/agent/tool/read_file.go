package tool

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"countersign/internal/agent"
)

//go:embed read_file.md
var readFileText string

const (
	maxLine    = 4 << 10  // bytes shown of one line
	maxCounted = 64 << 20 // bytes read to find out how many lines there are
	sniffed    = 8 << 10  // bytes looked at to tell text from binary
)

type readFileArgs struct {
	Path  string `json:"path" jsonschema:"relative to the workspace"`
	Start int    `json:"start_line,omitempty" jsonschema:"first line, counted from 1"`
	End   int    `json:"end_line,omitempty" jsonschema:"last line, included"`
}

func (c Config) readFile() agent.Tool {
	return define(typed[readFileArgs]{
		spec:   spec("read_file", readFileText),
		access: agent.AccessRead,
		touch: func(a readFileArgs) (agent.Touch, error) {
			switch {
			case a.Start < 0 || a.End < 0:
				return agent.Touch{}, refuse("Lines are counted from 1.")
			case a.End > 0 && a.End < a.Start:
				return agent.Touch{}, refuse("end_line %d comes before start_line %d.", a.End, a.Start)
			}
			return agent.Touch{Summary: a.Path + a.lines()}, nil
		},
		run: c.runReadFile,
	}, "")
}

func (a readFileArgs) lines() string {
	switch {
	case a.Start == 0 && a.End == 0:
		return ""
	case a.End == 0:
		return fmt.Sprintf(" from line %d", a.Start)
	default:
		return fmt.Sprintf(" lines %d–%d", max(a.Start, 1), a.End)
	}
}

func (c Config) runReadFile(_ context.Context, env agent.Env, a readFileArgs) (agent.Result, error) {
	w, name, err := c.forReading(env, a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	defer w.Close()
	f, info, err := w.open(name)
	if err != nil {
		return agent.Result{}, err
	}
	defer f.Close()
	if kind, binary := sniff(f); binary {
		return agent.Result{}, refuse("%s is a binary file (%s, %d bytes); it can't be read as text.", name, kind, info.Size())
	}
	page, err := readLines(f, max(a.Start, 1), a.End)
	if err != nil {
		return agent.Result{}, refuse("%s: %s.", name, reason(err))
	}
	if a.Start > 1 && page.total < a.Start {
		return agent.Result{}, refuse("%s has only %s.", name, count(page.total, "line"))
	}
	return agent.Result{Output: page.render(name), Summary: count(page.shown, "line")}, nil
}

// forReading opens the workspace and resolves the path, which may be absolute
// if it lies inside.
func (c Config) forReading(env agent.Env, arg string) (*workspace, string, error) {
	w, err := openWorkspace(env.Workspace, c.Protected)
	if err != nil {
		return nil, "", err
	}
	name, err := cleanPath(relative(w.dir, relative(env.Workspace, arg)))
	if err == nil {
		name, err = w.resolve(name)
	}
	if err != nil {
		w.Close()
		return nil, "", err
	}
	return w, name, nil
}

// sniff tells binary from text by the beginning of a file and goes back to it.
func sniff(f *os.File) (kind string, binary bool) {
	head := make([]byte, sniffed)
	n, _ := io.ReadFull(f, head)
	_, err := f.Seek(0, io.SeekStart)
	head = head[:n]
	return http.DetectContentType(head), err == nil && strings.IndexByte(string(head), 0) >= 0
}
