package tool

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/mask"
	"countersign/internal/agent/sandbox"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

//go:embed shell.md
var shellText string

const (
	maxPrinted  = 48 << 10 // bytes of a command's output that the model gets
	maxListed   = 30       // paths named in an answer
	maxShellArg = 32 << 10 // bytes
)

type shellArgs struct {
	Command string  `json:"command"`
	Timeout float64 `json:"timeout_seconds,omitempty"`
	Ask     bool    `json:"ask,omitempty" jsonschema:"have a person asked before it runs, who can give it the network and the whole workspace"`
}

func (c Config) shell() agent.Tool {
	t := define(typed[shellArgs]{
		spec:   spec("shell", shellText),
		access: agent.AccessExecute,
		touch: func(a shellArgs) (agent.Touch, error) {
			switch {
			case strings.TrimSpace(a.Command) == "":
				return agent.Touch{}, refuse("command is empty.")
			case len(a.Command) > maxShellArg:
				return agent.Touch{}, refuse("command has %d bytes; at most %d are possible. Put the script into a file.", len(a.Command), maxShellArg)
			case strings.ContainsRune(a.Command, 0):
				return agent.Touch{}, refuse("command has a NUL character in it.")
			case a.Timeout < 0:
				return agent.Touch{}, refuse("timeout_seconds is to be more than 0.")
			}
			return agent.Touch{Summary: a.short(), Command: a.Command, First: a.Ask}, nil
		},
		run: c.runShell,
	}, "")
	return shellTool{t, c}
}

// short is the command in one line, for people.
func (a shellArgs) short() string {
	first, rest, _ := strings.Cut(strings.TrimSpace(a.Command), "\n")
	first, cut := cutText(first, 200)
	if cut || rest != "" {
		first += " …"
	}
	return first
}

func (c Config) runShell(ctx context.Context, env agent.Env, a shellArgs) (agent.Result, error) {
	if c.ShellOff != "" {
		return agent.Result{}, refuse("shell: commands can't be run here. %s", c.ShellOff)
	}
	if mask.Count(a.Command) > 0 {
		return agent.Result{}, refuse("shell: the command holds \"[masked: …]\", which stands for a secret that you are not shown, so it was not run. Have it read the secret from where it is.")
	}
	kind, allowed, folders := access(env)
	s := &shellRun{config: c, env: env, allowed: allowed}
	command := sandbox.Command{
		Access: kind, Writable: allowed, Folders: folders,
		Dir: env.Workspace, Shell: a.Command, Network: env.Shell.Network,
		Timeout: c.timeout(a.Timeout), MaxOutput: maxPrinted, Protected: c.Protected, Cache: c.cacheFor(env.Session),
		Direct: s.direct,
		Layer: func(changes []sandbox.Change, started time.Time) error {
			return s.take(ctx, changes, started)
		},
	}
	if env.Output != nil {
		command.Output = streamText(env.Output)
	}
	done, err := c.Sandbox(ctx, command)
	defer s.close()
	if err != nil {
		return s.failed(err)
	}
	s.layered = kind != sandbox.LookOnly && s.before == nil
	if err := s.compare(); err != nil {
		return agent.Result{Events: s.events}, err
	}
	r := agent.Result{Output: s.describe(done), Summary: s.summary(done), Events: s.events, Held: s.question(a.short())}
	if done.Cancelled {
		return r, ctx.Err()
	}
	return r, nil
}

// failed: why a command was not run is something that the model can be told;
// what went wrong while its changes were taken over ends the run.
func (s *shellRun) failed(err error) (agent.Result, error) {
	if f, ok := fault.As(err); ok && (f.Code == fault.Unavailable || f.Code == fault.Invalid) {
		return agent.Result{}, refuse("shell: %s", f.Message)
	}
	return agent.Result{Events: s.events}, fmt.Errorf("shell: %w", err)
}

// cacheFor keeps the sessions apart: what one leaves in a build cache is run
// by the next command that builds.
func (c Config) cacheFor(session string) string {
	if c.Cache == "" || session == "" {
		return ""
	}
	return filepath.Join(c.Cache, session)
}

func (c Config) timeout(seconds float64) time.Duration {
	if seconds <= 0 || seconds >= c.ShellTimeout.Seconds() {
		return c.ShellTimeout
	}
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}

// access says what the command may change: what the caller allows, who knows
// the mode and the rules.
func access(env agent.Env) (sandbox.Access, func(string) bool, []string) {
	scope := planning.Scope{Files: env.Shell.Writable}
	switch {
	case env.Shell.Everything:
		return sandbox.Workspace, func(name string) bool { _, err := cleanFile(name); return err == nil }, nil
	case len(scope.Files) > 0 || env.Shell.Hold:
		return sandbox.Approved, scope.HasFile, wholeFolders(scope.Files)
	default:
		return sandbox.LookOnly, nil, nil
	}
}

// streamText hands on what a command prints in whole characters.
func streamText(to func(string)) func([]byte) {
	var rest []byte
	return func(b []byte) {
		b = append(rest, b...)
		n := len(b)
		for i := 1; i <= min(3, len(b)); i++ {
			if c := b[len(b)-i]; c >= 0xc0 { // the first byte of a longer character
				if width(c) > i {
					n = len(b) - i
				}
				break
			}
		}
		rest = append([]byte(nil), b[n:]...)
		if n > 0 {
			to(strings.ReplaceAll(strings.ToValidUTF8(string(b[:n]), "\uFFFD"), "\x00", "\uFFFD"))
		}
	}
}

// width is the length of a character by its first byte.
func width(first byte) int {
	switch {
	case first >= 0xf0:
		return 4
	case first >= 0xe0:
		return 3
	default:
		return 2
	}
}
