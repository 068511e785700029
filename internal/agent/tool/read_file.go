package tool

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
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

// page is a range of lines as they are told to the model.
type page struct {
	text    strings.Builder
	first   int
	shown   int
	total   int
	atLeast bool // total was not counted to the end
	cut     bool // the answer was full before the range was
	crlf    bool
	repair  bool // something was not UTF-8
}

// readLines reads the lines from first to last; last 0 means to the end.
func readLines(r io.Reader, first, last int) (*page, error) {
	p := &page{first: first}
	in := bufio.NewReaderSize(r, 64<<10)
	for read := 0; ; {
		line, size, err := nextLine(in)
		if size > 0 {
			p.total++
			read += size
			if p.total >= first && (last == 0 || p.total <= last) && !p.cut {
				p.add(line, size)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return p, err
		case read > maxCounted:
			p.atLeast = true
			return p, nil
		}
	}
}

// nextLine reads one line but keeps no more of it than is shown. Size is its
// length with the newline.
func nextLine(in *bufio.Reader) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if room := maxLine + 1 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func (p *page) add(line []byte, size int) {
	text := strings.TrimSuffix(string(line), "\n")
	if t, ok := strings.CutSuffix(text, "\r"); ok {
		text, p.crlf = t, true
	}
	if shown := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"); shown != text && size <= maxLine {
		text, p.repair = shown, true
	}
	if short, cut := cutText(strings.ToValidUTF8(text, ""), maxLine); cut || size > maxLine+1 {
		text = fmt.Sprintf("%s… [line cut here; it has %d bytes]", short, size)
	}
	if p.text.Len()+len(text)+1 > maxAnswer-1<<10 {
		p.cut = true
		return
	}
	p.text.WriteString(text)
	p.text.WriteByte('\n')
	p.shown++
}

func (p *page) render(name string) string {
	total := fmt.Sprint(p.total)
	if p.atLeast {
		total = "more than " + total
	}
	head := fmt.Sprintf("[%s: lines %d–%d of %s", name, p.first, p.first+p.shown-1, total)
	if p.total == 0 {
		head = fmt.Sprintf("[%s: empty", name)
	}
	if p.crlf {
		head += "; lines end with CR LF, shown without the CR"
	}
	if p.repair {
		head += "; bytes that are no text are shown as \uFFFD"
	}
	if p.cut {
		head += fmt.Sprintf("; the answer was full, go on with start_line %d", p.first+p.shown)
	}
	return head + "]\n" + p.text.String()
}
