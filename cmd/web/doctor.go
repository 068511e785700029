package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"countersign/internal/agent/sandbox"
	"countersign/internal/db"
	"countersign/internal/fault"
)

// finding is how one thing stands.
type finding string

// The findings.
const (
	fine  finding = "ok"
	worry finding = "warn" // works, but not as well as it could
	fatal finding = "fail" // the server, or its model, can't work like this
)

// examination collects what doctor finds, and prints it as it comes.
type examination struct {
	out    io.Writer
	failed bool
}

// note prints one line: what was looked at, how it stands, and what to do.
func (e *examination) note(f finding, what, format string, args ...any) {
	e.failed = e.failed || f == fatal
	text := plainText(strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	fmt.Fprintf(e.out, "%-4s  %-9s  %s\n", f, what, text)
}

// doctor says whether a server with these settings would work here. It changes
// nothing, and fails if something that is needed does not work.
func doctor(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := read(args, getenv, stderr)
	if err != nil {
		return err
	}
	e := &examination{out: stdout}
	e.note(fine, "version", "countersign %s", version)
	e.settings(&cfg)
	e.data(cfg.data)
	e.database(ctx, cfg)
	e.workspaces(cfg.workspaces)
	e.sandbox(ctx)
	e.programs()
	e.issuer(ctx, cfg)
	e.servers(ctx, cfg)
	e.allowed(&cfg)
	e.model(ctx, cfg.model, getenv)
	e.providers(ctx, cfg.model, getenv)
	if e.failed {
		return fault.New(fault.Unavailable, "something that is needed does not work; see the lines that begin with fail")
	}
	return nil
}

func (e *examination) settings(cfg *config) {
	if err := cfg.check(); err != nil {
		e.note(fatal, "settings", "%s", sentence(err))
		return
	}
	var read []string
	for _, file := range settingsFiles(cfg) {
		if _, err := os.Stat(file.path); err == nil {
			read = append(read, file.path)
		}
	}
	if read == nil {
		e.note(fine, "settings", "from flags and environment; there is no settings file")
		return
	}
	e.note(fine, "settings", "read from %s", strings.Join(read, " and "))
}

// data tries whether the data folder, or the folder in which it would be made,
// takes a file.
func (e *examination) data(dir string) {
	at, err := filepath.Abs(dir)
	if err != nil {
		e.note(fatal, "data", "%v", err)
		return
	}
	for {
		if _, err := os.Stat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
	}
	f, err := os.CreateTemp(at, ".countersign-*")
	if err != nil {
		e.note(fatal, "data", "%s can't be written (%v); make it writable, or choose another folder with --data", at, plain(err))
		return
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		e.note(worry, "data", "%s can be written, but not cleaned up (%v)", at, plain(err))
		return
	}
	if _, err := os.Stat(dir); err != nil {
		e.note(fine, "data", "%s is made at the first start", dir)
		return
	}
	e.note(fine, "data", "%s can be written", dir)
}

// database reads the whole file, beside a running server if there is one.
func (e *examination) database(ctx context.Context, cfg config) {
	path := cfg.databasePath()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		e.note(fine, "database", "there is none yet; it is made at the first start")
		return
	}
	store, err := db.Open(ctx, db.Options{Path: path, Log: slog.New(slog.DiscardHandler), ReadOnly: true})
	if err != nil {
		e.note(fatal, "database", "%s", sentence(err))
		return
	}
	defer store.Close()
	if err := store.Check(ctx); err != nil {
		e.note(fatal, "database", "%s", sentence(err))
		return
	}
	sessions, err := store.Sessions(ctx, "")
	if err != nil {
		e.note(fatal, "database", "the sessions can't be listed (%s); countersign rebuild makes the lists anew", sentence(err))
		return
	}
	e.note(fine, "database", "sound; sessions in it: %d", len(sessions))
	e.webhooks(ctx, cfg, store)
}

func (e *examination) workspaces(dirs paths) {
	for _, dir := range dirs {
		if err := checkWorkspace(dir); err != nil {
			e.note(fatal, "workspace", "%s; make it, or name another with --workspace", sentence(err))
			continue
		}
		e.note(fine, "workspace", "%s", dir)
	}
}

// sandbox says which one this machine has, and has it tried: what gets out of it
// is worse than having none.
func (e *examination) sandbox(ctx context.Context) {
	s := sandbox.Detect()
	switch {
	case !s.OK:
		e.note(worry, "sandbox", "none, so the agent has no shell. %s", s.Reason)
		return
	case s.Reason != "":
		e.note(worry, "sandbox", "%s. %s", s.Stack, s.Reason)
	default:
		e.note(fine, "sandbox", "%s, with a throw-away layer over the workspace (Landlock version %d)", s.Stack, s.Landlock)
	}
	proofs, err := sandbox.Prove(ctx)
	if err != nil {
		e.note(worry, "sandbox", "it could not be tried: %s", sentence(err))
		return
	}
	e.proofs(proofs)
}

func (e *examination) proofs(proofs []sandbox.Proof) {
	var held []string
	for _, p := range proofs {
		switch {
		case p.Held:
			held = append(held, p.What)
		case p.Why != "":
			e.note(worry, "sandbox", "it could not be tried to %s (%s)", p.What, p.Why)
		default:
			e.note(fatal, "sandbox", "a planning command was able to %s; run the server with --plan-shell deny, and report this", p.What)
		}
	}
	if held != nil {
		e.note(fine, "sandbox", "tried from inside, without effect (%d): %s", len(held), strings.Join(held, "; "))
	}
}

// programs looks for what the agent's commands usually need.
func (e *examination) programs() {
	for _, p := range []struct{ name, lack string }{
		{"sh", "there is no POSIX shell, so the agent can run no commands; install one as sh"},
		{"git", "git was not found, so the agent can't look at a project's history; install it if it should"},
	} {
		if path, err := exec.LookPath(p.name); err == nil {
			e.note(fine, p.name, "%s", path)
			continue
		}
		e.note(worry, p.name, "%s", p.lack)
	}
}

// plain is the cause of an error without the path that the sentence names.
func plain(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
