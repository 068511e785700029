package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/agent/mask"
)

//go:embed edit_file.md
var editFileText string

type editFileArgs struct {
	Path       string `json:"path" jsonschema:"relative to the workspace"`
	Old        string `json:"old" jsonschema:"the text as it stands in the file"`
	New        string `json:"new" jsonschema:"what is to stand there instead"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every place where old stands"`
}

func (c Config) editFile() agent.Tool {
	t := define(typed[editFileArgs]{
		spec:   spec("edit_file", editFileText),
		access: agent.AccessWrite,
		touch: func(a editFileArgs) (agent.Touch, error) {
			name, err := cleanFile(a.Path)
			switch {
			case err != nil:
				return agent.Touch{}, err
			case a.Old == "":
				return agent.Touch{}, refuse("old is empty. To create a file or to write a whole one use write_file.")
			case a.Old == a.New:
				return agent.Touch{}, refuse("old and new are the same text, so there is nothing to change.")
			}
			return agent.Touch{Summary: name, Paths: []string{name}}, nil
		},
		run: c.runEditFile,
	}, "")
	return previewed[editFileArgs]{t, c.previewEditFile}
}

func (c Config) previewEditFile(env agent.Env, a editFileArgs) (agent.Preview, error) {
	t, text, _, err := c.edited(env, a)
	if err != nil {
		return agent.Preview{}, err
	}
	defer t.w.Close()
	return t.preview(some([]byte(text))), nil
}

// edited opens the file and returns its text as it is to be, and at how many
// places that differs.
func (c Config) edited(env agent.Env, a editFileArgs) (*target, string, int, error) {
	t, err := c.forWriting(env, a.Path)
	if err != nil {
		return nil, "", 0, err
	}
	var text string
	var n int
	switch {
	case t.text == nil:
		err = refuse("%s does not exist. To create it use write_file.", t.name)
	case isBinary(*t.text):
		err = refuse("%s is a binary file, which edit_file can't change.", t.name)
	default:
		if text, n, err = substitute(t.name, string(*t.text), a); err == nil {
			err = t.fits([]byte(text))
		}
	}
	if err != nil {
		t.w.Close()
		return nil, "", 0, err
	}
	return t, text, n, nil
}

func (c Config) runEditFile(ctx context.Context, env agent.Env, a editFileArgs) (agent.Result, error) {
	t, text, n, err := c.edited(env, a)
	if err != nil {
		return agent.Result{}, err
	}
	defer t.w.Close()
	event, result, err := t.replace(ctx, env, []byte(text))
	if err != nil {
		return result, err
	}
	result.Output, result.Summary = wrote(event)
	if a.ReplaceAll {
		result.Output = fmt.Sprintf("%s %s replaced.", result.Output, count(n, "place"))
	}
	return result, nil
}

// substitute makes the edit and says at how many places. In a file that ends
// its lines with CR LF throughout, old and new are taken to mean the same,
// because read_file shows such lines without the CR.
func substitute(name, text string, a editFileArgs) (string, int, error) {
	if onlyCRLF(text) {
		a.Old, a.New = toCRLF(a.Old), toCRLF(a.New)
	}
	n := strings.Count(text, a.Old)
	switch {
	case n == 0 && mask.Count(a.Old) > 0:
		return "", 0, refuse("old holds \"[masked: …]\", which stands for a secret in %s that you are not shown. Leave that part out of old and new; the lines around it can be changed.", name)
	case n == 0:
		return "", 0, refuse("old was not found in %s. %s", name, nearest(text, a.Old))
	case n > 1 && !a.ReplaceAll:
		return "", 0, refuse("old stands %d times in %s, at %s. Take more of the lines around the one that is meant, or set replace_all.", n, name, places(text, a.Old))
	}
	return strings.ReplaceAll(text, a.Old, a.New), n, nil
}

func onlyCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && n == strings.Count(text, "\r\n")
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// maxPlaces is how many line numbers an error lists.
const maxPlaces = 10

// places lists the lines at which old begins.
func places(text, old string) string {
	var at []string
	line, from := 1, 0
	for len(at) < maxPlaces {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return "lines " + strings.Join(at, ", ")
		}
		line += strings.Count(text[from:from+i], "\n")
		at = append(at, fmt.Sprint(line))
		line += strings.Count(old, "\n")
		from += i + len(old)
	}
	return "lines " + strings.Join(at, ", ") + " and more"
}
