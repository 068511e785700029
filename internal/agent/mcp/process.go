package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// grace is how long a server may take to end by itself when its input ends,
	// where it has something to lose.
	grace = time.Second
	// lifetime bounds a process; what ends it is the run's end.
	lifetime = 30 * 24 * time.Hour
	// maxComplaint is what is kept of its standard error, in bytes.
	maxComplaint = 8 << 10
)

// process is a server that was started here.
type process struct {
	confined bool
	input    *os.File // ours to write
	output   *meter   // ours to read
	cancel   context.CancelFunc
	killed   atomic.Bool
	gone     chan struct{} // closed when no process is left

	// After gone is closed:
	result sandbox.Result
	err    error
}

func startProcess(s Server, at place) (*process, error) {
	if at.confined && !at.support.OK {
		return nil, fault.New(fault.Unavailable, "It is off while planning, because nothing here can keep it from changing something. %s", at.support.Reason)
	}
	path, err := exec.LookPath(s.Command)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The program %s was not found.", s.Command)
	}
	var ends [4]*os.File // its input, ours to write, ours to read, its output
	for i := 0; i < len(ends); i += 2 {
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			for _, f := range ends[:i] {
				f.Close()
			}
			return nil, fmt.Errorf("pipes for %s: %w", s.Name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{confined: at.confined, input: ends[1], output: newMeter(ends[2]), cancel: cancel, gone: make(chan struct{})}
	run := at.runner(s, path, ends[0], ends[3])
	go func() { // end waits for it
		defer close(p.gone)
		p.result, p.err = run(ctx)
		ends[0].Close()
		ends[3].Close()
	}()
	return p, nil
}

// runner runs the program until it ends or is ended with all that it started.
func (at place) runner(s Server, path string, stdin, stdout *os.File) func(context.Context) (sandbox.Result, error) {
	if !at.support.OK {
		return func(ctx context.Context) (sandbox.Result, error) {
			return runPlainly(ctx, s, path, at.workspace, stdin, stdout)
		}
	}
	command := sandbox.Command{
		Dir: at.workspace, Shell: commandLine(path, s.Args), Env: variables(s.Env),
		Stdin: stdin, Stdout: stdout, Timeout: lifetime, MaxOutput: maxComplaint, Protected: at.protected,
		Access: sandbox.Unconfined, Network: true,
	}
	if at.confined {
		command.Access, command.Network = sandbox.LookOnly, false
		command.ReadOnly = slices.Concat([]string{path}, s.Readable, named(s.Args))
	}
	return func(ctx context.Context) (sandbox.Result, error) { return sandbox.Run(ctx, command) }
}

// commandLine lets a shell become the program.
func commandLine(path string, args []string) string {
	line := "exec"
	for _, word := range append([]string{path}, args...) {
		line += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return line
}

// named are the arguments that name a file or a folder by an absolute path: a
// script, or what a server is to work on. Whoever wrote them there wants the
// server to read them.
func named(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		_, err := os.Stat(arg)
		return !filepath.IsAbs(arg) || filepath.Clean(arg) == "/" || err != nil
	})
}

// variables are never nil: an empty environment is one as well.
func variables(env map[string]string) []string {
	list := []string{}
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

func (p *process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.output, Writer: p.input, MaxLineLength: -1} // the meter bounds it
}

func (p *process) begin() { p.output.reset() }

func (p *process) kill() {
	p.killed.Store(true)
	p.cancel()
}

// end lets a server that may have something to write down come to its end by
// itself; one that could not change anything is ended at once.
func (p *process) end(bye func()) {
	p.input.Close()
	if !p.confined && !p.killed.Load() {
		wait := time.NewTimer(grace)
		defer wait.Stop()
		select {
		case <-p.gone:
		case <-wait.C:
		}
	}
	select {
	case <-p.gone:
	default:
		p.kill()
		<-p.gone
	}
	p.cancel()
	bye()
	p.output.Close()
}

func (p *process) trouble() string {
	r := p.result
	said := ""
	if last := lastLine(r.Output); last != "" {
		said = " It printed: " + last
	}
	switch {
	case p.output.over.Load():
		return fmt.Sprintf("It sent more than %d MiB for one call.", maxSent>>20)
	case p.err != nil:
		return sentence(p.err)
	case r.Stopped != "":
		return "It was ended. " + r.Stopped
	case r.Cancelled:
		return ""
	default:
		return fmt.Sprintf("It ended by itself, with exit code %d.%s", r.ExitCode, said)
	}
}

// lastLine is what a program says last, which is mostly why it ended.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return oneLine(lines[len(lines)-1], 300)
}

// maxSent is what a server may send for one call, in bytes. The list of its
// tools counts as one.
const maxSent = 16 << 20

// meter ends what is read when it gets too much, so that no server can fill
// the memory.
type meter struct {
	io.ReadCloser
	read atomic.Int64
	over atomic.Bool
}

func newMeter(r io.ReadCloser) *meter { return &meter{ReadCloser: r} }

func (m *meter) reset() { m.read.Store(0) }

func (m *meter) Read(b []byte) (int, error) {
	if m.read.Load() > maxSent {
		m.over.Store(true)
		return 0, fmt.Errorf("more than %d bytes came for one call", maxSent)
	}
	n, err := m.ReadCloser.Read(b)
	m.read.Add(int64(n))
	return n, err
}
