package web

import (
	"context"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"

	"github.com/google/uuid"
)

// newSession is what a form or an API call asks for. Everything but Task may
// be empty and then is what the server was started with.
type newSession struct {
	Workspace string
	Task      string
	Mode      string // "plan" if empty
	Model     string
	Title     string
	Approvals int
}

// createSession checks what is asked for and starts a session. Its faults are
// Forbidden, or Invalid and TooLarge with the field they are about.
func (s *server) createSession(ctx context.Context, by review.Person, in newSession) (planning.State, error) {
	if err := by.May(review.ActionTask); err != nil {
		return planning.State{}, err
	}
	workspace, err := s.workspace(in.Workspace)
	if err != nil {
		return planning.State{}, err
	}
	n := planning.NewSession{
		Title: in.Title, Workspace: workspace, Task: in.Task,
		Model: or(in.Model, s.cfg.Model), Mode: planning.Mode(or(in.Mode, string(planning.ModePlan))),
		Approvals: or(in.Approvals, s.cfg.Approvals, 1),
	}
	if f := document.CheckText("The model's name", n.Model); f != nil {
		return planning.State{}, f.At("model")
	}
	if len(n.Model) > planning.MaxModel {
		return planning.State{}, fault.New(fault.TooLarge, "The model's name may have at most %d bytes.", planning.MaxModel).At("model")
	}
	if s.cfg.CheckModel != nil {
		if err := s.cfg.CheckModel(n.Model); err != nil {
			return planning.State{}, err
		}
	}
	events, err := n.Events(by.Actor())
	if err != nil {
		return planning.State{}, err
	}
	id, err := newID()
	if err != nil {
		return planning.State{}, err
	}
	return s.store.Append(ctx, id, 0, events...)
}

// or returns the first value that is not zero.
func or[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

func newID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// say sends a person's message to the agent of a session.
func (s *server) say(ctx context.Context, by review.Person, session, text string) (planning.State, error) {
	return s.act(ctx, by, review.ActionTask, session, func(st planning.State) ([]planning.Event, error) {
		return planning.Say(st, by.Actor(), text)
	})
}

func (s *server) pause(ctx context.Context, by review.Person, session string) (planning.State, error) {
	return s.act(ctx, by, review.ActionTask, session, func(st planning.State) ([]planning.Event, error) {
		return planning.Pause(st, by.Actor())
	})
}

func (s *server) resume(ctx context.Context, by review.Person, session string) (planning.State, error) {
	return s.act(ctx, by, review.ActionTask, session, func(st planning.State) ([]planning.Event, error) {
		return planning.Resume(st, by.Actor())
	})
}

// answer answers a request for permission.
func (s *server) answer(ctx context.Context, by review.Person, session, id string, a planning.PermissionAnswer, reason string, patterns []string) (planning.State, error) {
	return s.act(ctx, by, review.ActionDecide, session, func(st planning.State) ([]planning.Event, error) {
		return planning.AnswerPermission(st, by.Actor(), id, a, reason, patterns...)
	})
}

// withdraw takes back what was allowed for a session.
func (s *server) withdraw(ctx context.Context, by review.Person, session, id string) (planning.State, error) {
	return s.act(ctx, by, review.ActionDecide, session, func(st planning.State) ([]planning.Event, error) {
		return planning.WithdrawPermission(st, by.Actor(), id)
	})
}

// act is the one way in which people change a session: may they, does the
// newest state allow it, is it on disk. Only then does it return.
func (s *server) act(ctx context.Context, by review.Person, a review.Action, session string, decide func(planning.State) ([]planning.Event, error)) (planning.State, error) {
	if err := by.May(a); err != nil {
		return planning.State{}, err
	}
	if session == "" {
		return planning.State{}, fault.New(fault.NotFound, "There is no such session.")
	}
	return planning.Decide(ctx, s.store, session, decide)
}
