package tool

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"

	"countersign/internal/agent"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"relative to the workspace"`
	Content string `json:"content" jsonschema:"the whole new text"`
}

func (c Config) writeFile() agent.Tool {
	t := define(typed[writeFileArgs]{
		spec:   spec("write_file", writeFileText),
		access: agent.AccessWrite,
		touch: func(a writeFileArgs) (agent.Touch, error) {
			name, err := cleanFile(a.Path)
			if err != nil {
				return agent.Touch{}, err
			}
			return agent.Touch{Summary: name, Paths: []string{name}}, nil
		},
		run: c.runWriteFile,
	}, "")
	return previewed[writeFileArgs]{t, c.previewWriteFile}
}

func (c Config) previewWriteFile(env agent.Env, a writeFileArgs) (agent.Preview, error) {
	t, err := c.forWriting(env, a.Path)
	if err != nil {
		return agent.Preview{}, err
	}
	defer t.w.Close()
	if err := t.fits([]byte(a.Content)); err != nil {
		return agent.Preview{}, err
	}
	return t.preview(some([]byte(a.Content))), nil
}

func (c Config) runWriteFile(ctx context.Context, env agent.Env, a writeFileArgs) (agent.Result, error) {
	t, err := c.forWriting(env, a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	defer t.w.Close()
	if t.text != nil && bytes.Equal(*t.text, []byte(a.Content)) {
		return agent.Result{Output: fmt.Sprintf("%s holds exactly this text already; nothing was written.", t.name), Summary: "unchanged"}, nil
	}
	event, result, err := t.replace(ctx, env, []byte(a.Content))
	if err != nil {
		return result, err
	}
	result.Output, result.Summary = wrote(event)
	return result, nil
}
