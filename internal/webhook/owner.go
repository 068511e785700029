package webhook

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/fault"
)

// View is how a target stands, for its owner. It has neither the address, which
// may be a secret, nor the secret.
type View struct {
	ID       string
	Host     string
	Events   []Event
	Format   Format
	Signed   bool
	Progress Progress
	Waiting  int    // messages that it has still to get, at most WaitingMost
	Held     []Held // those of them that failed or stand behind one, oldest first, at most HeldMost
	Lost     []Held // given up, newest first, at most HeldMost
}

// What a View counts and lists at most.
const (
	WaitingMost = pageSize
	HeldMost    = 50
)

// Patience is how long a message is tried before it is given up.
const Patience = patience

// Views returns how all targets stand, in the order of the settings.
func (s *Sender) Views(ctx context.Context) ([]View, error) {
	list := make([]View, 0, len(s.lines))
	for _, l := range s.lines {
		l.mu.Lock()
		v := View{ID: l.ID(), Host: l.Host(), Events: l.Events, Format: l.Format, Signed: l.Secret != "", Progress: l.progress}
		l.mu.Unlock()
		waits, err := l.Waiting(ctx, l.store, v.Progress)
		if err != nil {
			return nil, err
		}
		v.Waiting = waits
		if v.Held, v.Lost, err = l.store.Held(ctx, v.ID, HeldMost); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// line finds a target, or fails with fault.NotFound.
func (s *Sender) line(id string) (*line, error) {
	for _, l := range s.lines {
		if l.ID() == id {
			return l, nil
		}
	}
	return nil, fault.New(fault.NotFound, "There is no such webhook.")
}

// Retry makes everything due that waits for a target, and switches one on again
// that had answered 410: it gets what it has missed since.
func (s *Sender) Retry(ctx context.Context, id string) error {
	l, err := s.line(id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.hasten(ctx, 0, time.Time{})
	if l.progress.Gone {
		l.progress.Gone = false
		l.save(ctx)
	}
	l.mu.Unlock()
	l.nudge()
	return nil
}

// GiveUp ends the attempts at one message, for which by answers. It fails with
// fault.NotFound for one that does not wait.
func (s *Sender) GiveUp(ctx context.Context, id string, place int64, by string) error {
	l, err := s.line(id)
	if err != nil {
		return err
	}
	if err := l.store.GiveUp(ctx, id, place, time.Now(), by); err != nil {
		return err
	}
	l.mu.Lock()
	l.progress.GivenUp++
	l.log.InfoContext(ctx, "a webhook's message is given up", "by", by, "given_up", l.progress.GivenUp)
	l.save(ctx)
	l.mu.Unlock()
	l.nudge()
	return nil
}

// Test sends a message that tells nothing, once, past all others, and says what
// came of it; empty is taken.
func (s *Sender) Test(ctx context.Context, id string) (Trouble, error) {
	l, err := s.line(id)
	if err != nil {
		return "", err
	}
	m := Message{
		ID: "test." + uuid.NewString(), Event: Test, At: time.Now().UTC(),
		Session: Session{URL: l.base + "/"}, Text: "This is a test message from Countersign.",
	}
	body, err := m.body(l.Format)
	if err != nil {
		return "", err
	}
	out := l.post(ctx, m, body)
	return out.trouble, nil
}
