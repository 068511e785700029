package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/sandbox"
	"countersign/internal/planning"
)

// maxTaken is the largest file that is taken over from a command, in bytes.
const maxTaken = 64 << 20

// shellRun follows what one command does to the workspace.
type shellRun struct {
	config  Config
	env     agent.Env
	allowed func(name string) bool // may the command change this file? nil: none

	layered bool // it wrote into a layer, not in place
	w       *workspace
	before  map[string]remembered // what it may change, if it writes in place

	events  []planning.Payload // to be recorded with the result
	written []string
	outside []string

	held []*takeover // beyond what it may change: people are to decide
}

func (s *shellRun) close() {
	if s.w != nil {
		s.w.Close()
	}
}

func (s *shellRun) open() error {
	w, err := openWorkspace(s.env.Workspace, s.config.Protected)
	s.w = w
	return err
}

// take takes over what the command may change: each file as write_file would,
// recorded first, in one step, and not over somebody else's change. What people
// can be asked about is put by, the rest is left behind.
func (s *shellRun) take(ctx context.Context, changes []sandbox.Change, started time.Time) error {
	if err := s.open(); err != nil {
		return err
	}
	var taken []*takeover
	room := s.room()
	for _, c := range changes {
		t, err := s.prepare(c, started, &room)
		var no *agent.ToolError
		switch {
		case errors.As(err, &no):
			s.outside = append(s.outside, fmt.Sprintf("%s (%s)", c.Path, no.Message))
		case err != nil:
			return err
		case t.hold:
			s.held = append(s.held, t)
		default:
			taken = append(taken, t)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.putBy(); err != nil {
		return err
	}
	return s.apply(ctx, taken)
}

// apply records changes and makes them.
func (s *shellRun) apply(ctx context.Context, changes []*takeover) error {
	var ahead []planning.Payload
	for _, t := range changes {
		if t.recorded {
			ahead = append(ahead, t.event)
		}
	}
	if len(ahead) > 0 && s.env.Ahead != nil {
		if err := s.env.Ahead(ctx, ahead...); err != nil {
			return fmt.Errorf("record the changes of a command: %w", err)
		}
	}
	for _, t := range changes {
		s.settle(t)
	}
	return nil
}

// settle applies one change, or takes its record back.
func (s *shellRun) settle(t *takeover) {
	err := t.make()
	switch {
	case err == nil:
		s.written = append(s.written, t.name)
		return
	case t.recorded:
		s.events = append(s.events, t.event.Reverse())
	}
	s.outside = append(s.outside, fmt.Sprintf("%s (%v)", t.name, err))
}

// takeover is one change that is to be taken over.
type takeover struct {
	target
	data     content // nil: the file is to be deleted
	event    planning.FileChanged
	recorded bool
	hold     bool // people are to decide
}

// prepare checks a change. A *ToolError says why it is not taken over.
func (s *shellRun) prepare(c sandbox.Change, started time.Time, room *room) (*takeover, error) {
	name, err := cleanFile(c.Path)
	if err != nil {
		return nil, refuse("protected")
	}
	inside := s.allowed != nil && s.allowed(name)
	switch {
	case !inside && !room.open:
		return nil, refuse("not allowed by the plan")
	case c.Kind != sandbox.Deleted && !c.Mode.IsRegular():
		return nil, refuse("not a regular file")
	case c.Size > maxTaken:
		return nil, refuse("larger than %d MiB", maxTaken>>20)
	case !inside && s.w.isIgnored(name):
		return nil, refuse("not in the plan, and ignored by git")
	case !inside && !room.take(c.Size):
		return nil, refuse("not in the plan, and too much to be kept for a question")
	}
	t := &takeover{target: target{w: s.w, name: name, limit: maxTaken, mode: c.Mode.Perm()}, hold: !inside}
	if err := t.load(); err != nil {
		return nil, err
	}
	if t.info != nil && changedAt(t.info).After(started) {
		return nil, refuse("somebody else changed it meanwhile")
	}
	if c.Kind != sandbox.Deleted {
		data, err := readAll(c)
		if err != nil {
			return nil, refuse("it can't be read")
		}
		t.data = some(data)
	}
	t.event = changed(s.env, name, t.text, t.data)
	t.recorded = t.event.InPlan || !s.w.isIgnored(name)
	return t, nil
}

func readAll(c sandbox.Change) ([]byte, error) {
	f, err := c.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxTaken))
}

func (t *takeover) make() error {
	if t.data != nil {
		return t.write(*t.data)
	}
	return t.remove()
}

// remove deletes the file, if it is still the one that was looked at.
func (t *target) remove() error {
	dir, err := t.w.folder(path.Dir(t.name), false)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := t.unchanged(dir, path.Base(t.name)); err != nil {
		return err
	}
	if err := dir.Remove(path.Base(t.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refuse("%s was not deleted: %s.", t.name, reason(err))
	}
	syncFolder(dir)
	return nil
}
