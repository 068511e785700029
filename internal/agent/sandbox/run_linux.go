package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"countersign/internal/fault"
)

const (
	// grace is how long the supervisor may take to end everything before it is
	// ended itself.
	grace = 1500 * time.Millisecond
	// maxPrinted is how much a command may print before it is ended, in bytes.
	maxPrinted = 256 << 20
)

// setupError says that a layer could not be put in place; nothing has run.
type setupError struct{ step, why string }

func (e *setupError) Error() string { return fmt.Sprintf("sandbox: %s: %s", e.step, e.why) }

// run runs a command under the given layers. A workspace on a file system that
// takes no layer over it gets the command without one: that is as safe.
func run(ctx context.Context, c Command, l layers) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	sweepOnce()
	if c.Access == Unconfined {
		l.overlay = false
	}
	r, err := attempt(ctx, c, l)
	for errors.Is(err, errNotTaken) { // of those that had waited, and there are few
		r, err = attempt(ctx, c, l)
	}
	if no, ok := errors.AsType[*setupError](err); ok && no.step == stepOverlay && l.overlay {
		l.overlay = false
		r, err = attempt(ctx, c, l)
	}
	if no, ok := errors.AsType[*setupError](err); ok {
		return Result{}, fault.Wrap(no, fault.Unavailable, "The sandbox could not be set up, so the command was not run.")
	}
	return r, err
}

func attempt(ctx context.Context, c Command, l layers) (Result, error) {
	p, err := findPlace(c, l)
	if err != nil {
		return Result{}, err
	}
	defer p.leave()
	if !l.overlay && (c.Access == Approved || c.Access == Workspace) {
		return p.inPlace(ctx, c)
	}
	started, err := p.scratch.now()
	if err != nil {
		return Result{}, fmt.Errorf("prepare a command: %w", err)
	}
	r, err := p.execute(ctx, c)
	if err != nil || !l.overlay {
		return r, err
	}
	return p.scratch.settle(c, r, started)
}

// inPlace runs a command that writes into the workspace itself. What Landlock
// can't express is put right afterwards, when none of its processes is left.
func (p *place) inPlace(ctx context.Context, c Command) (Result, error) {
	before := gitEntries(c.Dir)
	if c.Direct != nil {
		if err := c.Direct(); err != nil {
			return Result{}, err
		}
	}
	r, err := p.execute(ctx, c)
	for _, path := range gitEntries(c.Dir) {
		if slices.Contains(before, path) {
			continue
		}
		if e := os.RemoveAll(filepath.Join(c.Dir, path)); e != nil && err == nil {
			err = fmt.Errorf("remove a new %s: %w", path, e)
		}
		r.Removed = append(r.Removed, path)
	}
	return r, err
}

// wait waits for the end of the command, or brings it about.
func (x *execution) wait(ctx context.Context, c Command) (Result, error) {
	limit, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out := newOutput(c.MaxOutput)
	var flooded atomic.Bool
	read := make(chan struct{})
	go func() {
		defer close(read)
		x.copyOutput(out, c.Output, func() { flooded.Store(true); cancel() })
	}()
	goesOn := context.AfterFunc(limit, func() {
		x.helper.stop()
		_ = x.line.SetReadDeadline(time.Now().Add(grace))
	})
	x.awaitReport()
	var r Result
	switch {
	case goesOn(): // nobody stopped it
	case flooded.Load():
		r.Stopped = fmt.Sprintf("It printed more than %d MiB.", maxPrinted>>20)
	default:
		r.Cancelled = ctx.Err() != nil
		r.TimedOut = !r.Cancelled
	}
	// Nobody is left to write, so the copy ends by itself; but what can't be
	// killed, in a call to a dead file server, must not hold us up.
	_ = x.printed.SetReadDeadline(time.Now().Add(grace))
	<-read
	x.printed.Close()
	return x.finish(r, out)
}

func (x *execution) copyOutput(out *output, live func([]byte), flood func()) {
	buffer := make([]byte, 32<<10)
	for open := true; ; {
		n, err := x.printed.Read(buffer)
		if n > 0 {
			out.Write(buffer[:n])
			if live != nil {
				live(append([]byte(nil), buffer[:n]...))
			}
		}
		if open && out.total > maxPrinted {
			open = false
			flood()
		}
		if err != nil {
			return
		}
	}
}

// awaitReport reads the supervisor's report. When it is there, every process of
// the command is gone and nobody writes to printed any more. Without one the
// supervisor's end decides.
func (x *execution) awaitReport() {
	_, err := x.told.ReadByte()
	x.taken = err == nil
	line, err := x.told.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &x.report)
	}
	if x.noReport = err; err != nil {
		x.helper.bringToEnd()
	}
}

// finish puts together what the command came to.
func (x *execution) finish(r Result, out *output) (Result, error) {
	r.Duration = time.Since(x.started)
	r.Output, r.Truncated = out.text()
	rep, err := x.report, x.noReport
	switch {
	case err != nil && stoppedByUs(r):
		rep.Exit = 128 + int(unix.SIGKILL)
	case !x.taken && x.served > 1:
		return r, errNotTaken
	case err != nil:
		return r, fmt.Errorf("sandbox: the supervisor ended without a report (%v): %s", x.cmd.ProcessState, x.complaints.String())
	case rep.Failed != "":
		return r, &setupError{rep.Failed, rep.Err}
	}
	r.ExitCode = rep.Exit
	if r.Stopped == "" {
		r.Stopped = rep.Stopped
	}
	return r, nil
}

// stoppedByUs tells whether the command was ended by whoever runs it.
func stoppedByUs(r Result) bool { return r.TimedOut || r.Cancelled || r.Stopped != "" }
