package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// Limits of what is kept of one command until people have decided. What is
// more, they would hardly read.
const (
	maxHeldFiles = 100
	maxHeldFile  = 8 << 20  // bytes
	maxHeld      = 32 << 20 // bytes, all files together
)

// room is what can still be kept of a command.
type room struct {
	open  bool // people can be asked at all
	files int
	bytes int64
}

func (s *shellRun) room() room {
	return room{open: s.env.Shell.Hold && s.config.Held != "", files: maxHeldFiles, bytes: maxHeld}
}

func (r *room) take(size int64) bool {
	if r.files == 0 || size > maxHeldFile || size > r.bytes {
		return false
	}
	r.files--
	r.bytes -= size
	return true
}

// putBy keeps the contents that people are to decide on, while the layer that
// they stand in is still there.
func (s *shellRun) putBy() error {
	if len(s.held) == 0 {
		return nil
	}
	var contents [][]byte
	for _, t := range s.held {
		if t.data != nil {
			contents = append(contents, *t.data)
		}
	}
	return s.config.heldBy(s.env).fill(contents, s.env.State.Calls)
}

// question is what people are asked about the command, or nil.
func (s *shellRun) question(command string) *agent.Held {
	if len(s.held) == 0 {
		return nil
	}
	q := &agent.Held{
		Reason: fmt.Sprintf("The command “%s” has run and changed %s that the approved plan does not list. Nothing of that is in the workspace unless you allow it.",
			command, count(len(s.held), "file")),
		Preview: agent.Preview{Seen: map[string]string{}},
	}
	var detail, more strings.Builder
	var unseen []string
	for _, t := range s.held {
		q.Files = append(q.Files, t.asHeld())
		q.Seen[t.name] = digest(t.text)
		if detail.Len() < maxPreview {
			detail.WriteString(t.asDiff())
		} else { // it would be cut off
			unseen = append(unseen, t.name)
		}
	}
	list(&more, "Changed as well, and not shown; allowing this allows it too", unseen)
	list(&more, "Also written, and thrown away whatever you answer", s.outside)
	q.Detail = cutDiff(detail.String()) + more.String()
	return q
}

func (t *takeover) asHeld() planning.HeldFile {
	f := planning.HeldFile{Path: t.name, Mode: uint32(t.mode)}
	if t.data != nil {
		f.SHA256, f.Size = digest(t.data), int64(len(*t.data))
	}
	return f
}

// asDiff is one file's part of the diff, under a line with its name.
func (t *takeover) asDiff() string {
	what := "changed"
	switch {
	case t.data == nil:
		what = "deleted"
	case t.text == nil:
		what = "created"
	}
	text := diff(t.name, t.text, t.data)
	if t.text != nil && t.data != nil && string(*t.text) == string(*t.data) {
		text = fmt.Sprintf("Only its permissions change, to %v.\n", t.mode)
	}
	text = strings.TrimPrefix(text, fmt.Sprintf("--- %s\n+++ %s\n", t.name, t.name))
	return fmt.Sprintf("@@ %s: %s @@\n%s", t.name, what, text)
}

// shellTool is the shell with what it needs to ask about a command's changes.
type shellTool struct {
	agent.Tool
	config Config
}

var _ agent.Holder = shellTool{}

// Keep implements agent.Holder.
func (t shellTool) Keep(ctx context.Context, env agent.Env, files []planning.HeldFile) (agent.Result, error) {
	s := &shellRun{config: t.config, env: env}
	if err := s.open(); err != nil {
		return agent.Result{}, err
	}
	defer s.close()
	var changes []*takeover
	for _, f := range files {
		c, err := s.fromHeld(f)
		var no *agent.ToolError
		switch {
		case errors.As(err, &no):
			s.outside = append(s.outside, fmt.Sprintf("%s (%s)", f.Path, no.Message))
		case err != nil:
			return agent.Result{}, err
		default:
			changes = append(changes, c)
		}
	}
	if err := s.apply(ctx, changes); err != nil {
		return agent.Result{}, err
	}
	var b strings.Builder
	list(&b, "Now in the workspace", s.written)
	list(&b, "Not written after all", s.outside)
	r := agent.Result{Output: b.String(), Events: s.events, Summary: "changed " + count(len(s.written), "file")}
	if n := len(s.outside); n > 0 {
		r.Summary += fmt.Sprintf(", %s not kept", count(n, "change"))
	}
	return r, nil
}

// fromHeld checks a change once more: only what was asked about, over what was
// seen, and nothing that has become protected.
func (s *shellRun) fromHeld(f planning.HeldFile) (*takeover, error) {
	name, err := cleanFile(f.Path)
	if err != nil {
		return nil, err
	}
	t := &takeover{target: target{w: s.w, name: name, limit: maxTaken, mode: fs.FileMode(f.Mode).Perm()}, recorded: true}
	if err := t.load(); err != nil {
		return nil, err
	}
	if digest(t.text) != s.env.Seen[name] {
		return nil, refuse("it has changed since the question")
	}
	if f.SHA256 != "" {
		data, err := s.config.heldBy(s.env).get(f.SHA256)
		if err != nil {
			return nil, refuse("its text is no longer there; run the command again")
		}
		t.data = some(data)
	}
	t.event = changed(s.env, name, t.text, t.data)
	return t, nil
}

// Drop implements agent.Holder.
func (t shellTool) Drop(env agent.Env) { t.config.heldBy(env).drop() }
