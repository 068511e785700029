package mcp

import (
	"context"
	"os"
	"os/exec"
	"time"

	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"
)

// runPlainly runs a program where there is no sandbox. That is never so while
// planning.
func runPlainly(ctx context.Context, s Server, path, dir string, stdin, stdout *os.File) (sandbox.Result, error) {
	cmd := exec.CommandContext(ctx, path, s.Args...)
	home, _ := os.UserHomeDir()
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}, variables(s.Env)...)
	complaint := &ending{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, complaint
	cmd.WaitDelay = grace
	ownGroup(cmd)
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return sandbox.Result{}, fault.Wrap(err, fault.Unavailable, "The program %s could not be started.", s.Command)
	}
	_ = cmd.Wait()
	_ = endGroup(cmd) // what it left behind
	return sandbox.Result{
		ExitCode: cmd.ProcessState.ExitCode(), Output: string(complaint.text),
		Cancelled: ctx.Err() != nil, Duration: time.Since(begun),
	}, nil
}

// ending keeps the end of what is written to it.
type ending struct{ text []byte }

func (e *ending) Write(b []byte) (int, error) {
	e.text = append(e.text, b...)
	if over := len(e.text) - maxComplaint; over > 0 {
		e.text = append(e.text[:0], e.text[over:]...)
	}
	return len(b), nil
}
