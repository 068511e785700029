package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"countersign/internal/fault"
)

const (
	sandboxExec = "/usr/bin/sandbox-exec"
	// maxPrinted is how much a command may print before it is ended, in bytes.
	maxPrinted = 256 << 20
	// grace is how long a command may take to end when it was told to.
	grace = 1500 * time.Millisecond
)

// Init makes the program able to try the sandbox. It must come first in main.
func Init() {
	if len(os.Args) == 3 && os.Args[1] == environmentWord {
		printEnvironment(os.Args[2])
	}
	knockIfAsked()
}

// KeepReady does nothing here.
func KeepReady() (end func()) { return func() {} }

// Detect says whether commands that only look can be run: where sandbox-exec is
// there, and ten ways out of it come to nothing. It tries them once.
func Detect() Support { return detected() }

var detected = sync.OnceValue(func() Support {
	s := Support{Stack: StackNone}
	if _, err := os.Stat(sandboxExec); err != nil {
		s.Reason = "This macOS has no sandbox-exec. Run Countersign on Linux, or in a Linux container or virtual machine."
		return s
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	proofs, err := prove(ctx, look)
	if err != nil {
		s.Reason = fmt.Sprintf("The sandbox of macOS could not be tried: %v.", err)
		return s
	}
	for _, p := range proofs {
		if !p.Held {
			s.Reason = fmt.Sprintf("The sandbox of macOS does not hold: a command was able to %s, or it could not be tried. %s", p.What, p.Why)
			return s
		}
	}
	s.OK, s.Stack = true, StackMac
	s.Reason = "On macOS commands run only while planning, where they can write nothing; programs that leave their process group may stay for longer than the command. Run Countersign on Linux for commands in execution."
	return s
})

// run runs a command that only looks.
func run(ctx context.Context, c Command, _ layers) (Result, error) {
	if c.Access != LookOnly || c.Network || c.Env != nil {
		return Result{}, fault.New(fault.Unavailable, "On macOS commands are run only while planning.")
	}
	return look(ctx, c)
}

func look(ctx context.Context, c Command) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	scratch, err := os.MkdirTemp("", "countersign-box-")
	if err != nil {
		return Result{}, fault.Wrap(err, fault.Unavailable, "There is no place for the temporary files of a command.")
	}
	defer os.RemoveAll(scratch)
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return Result{}, fmt.Errorf("prepare a command: %w", err)
	}
	limit, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	rules := profile(c.Dir, scratch, realPaths(c.ReadOnly), realPaths(c.Protected))
	limits := fmt.Sprintf("ulimit -c 0; ulimit -t %d; exec /bin/sh -c \"$1\"", int(c.Timeout.Seconds())+10)
	cmd := exec.CommandContext(limit, sandboxExec, "-p", rules, "/bin/sh", "-c", limits, "sh", c.Shell)
	cmd.Dir, cmd.Env = c.Dir, macEnvironment(c.Dir, scratch)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	flooded, out := false, &printer{output: newOutput(c.MaxOutput), live: c.Output}
	out.flood = func() { flooded = true; cancel() }
	cmd.Stdout, cmd.Stderr = out, out
	started := time.Now()
	err = cmd.Run()
	if cmd.Process == nil {
		return Result{}, fault.Wrap(err, fault.Unavailable, "The sandbox could not be set up, so the command was not run.")
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left in its group
	r := Result{Duration: time.Since(started), ExitCode: exitCode(cmd.ProcessState)}
	r.Output, r.Truncated = out.text()
	switch {
	case flooded:
		r.Stopped = fmt.Sprintf("It printed more than %d MiB.", maxPrinted>>20)
	case ctx.Err() != nil:
		r.Cancelled = true
	case errors.Is(limit.Err(), context.DeadlineExceeded):
		r.TimedOut = true
	}
	return r, nil
}

// printer takes what a command prints, from one goroutine.
type printer struct {
	*output
	live  func([]byte)
	flood func()
}

func (p *printer) Write(b []byte) (int, error) {
	p.output.Write(b)
	if p.live != nil {
		p.live(append([]byte(nil), b...))
	}
	if p.total > maxPrinted {
		p.flood()
	}
	return len(b), nil
}

func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// macEnvironment is all that a command finds in its environment.
func macEnvironment(dir, scratch string) []string {
	path := []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"}
	return []string{
		"PATH=" + strings.Join(path, ":"), "HOME=" + scratch, "TMPDIR=" + scratch, "PWD=" + dir,
		"LANG=en_US.UTF-8", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "SHELL=/bin/sh",
		"GOCACHE=" + filepath.Join(scratch, "go-build"), "GOENV=off", "GOTOOLCHAIN=local", "GOPROXY=off", "GOSUMDB=off",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
	}
}
