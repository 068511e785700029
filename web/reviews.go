package web

import (
	"context"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// comment opens a thread and returns its id beside the state.
func (s *server) comment(ctx context.Context, by review.Person, session string, n review.NewComment) (planning.State, string, error) {
	id, err := newID()
	if err != nil {
		return planning.State{}, "", err
	}
	n.Thread = id
	st, err := s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.Comment(st, by, n)
	})
	return st, id, err
}

func (s *server) reply(ctx context.Context, by review.Person, session, thread, body string) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.Reply(st, by, thread, body)
	})
}

func (s *server) resolve(ctx context.Context, by review.Person, session, thread string) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.Resolve(st, by, thread)
	})
}

func (s *server) reopen(ctx context.Context, by review.Person, session, thread string) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.Reopen(st, by, thread)
	})
}

// edit applies a reviewer's own change to the plan, if it still stands as they
// saw it.
func (s *server) edit(ctx context.Context, by review.Person, session string, n review.NewEdit) (planning.State, error) {
	return s.act(ctx, by, review.ActionEdit, session, func(st planning.State) ([]planning.Event, error) {
		return review.EditPlan(st, by, n)
	})
}

// decide records a verdict on exactly the text that the person saw (P16). Of
// two at the same moment the second fails with fault.Conflict (P17).
func (s *server) decide(ctx context.Context, by review.Person, session string, n review.NewDecision) (planning.State, error) {
	n.Rules = s.cfg.Rules
	return s.act(ctx, by, review.ActionDecide, session, func(st planning.State) ([]planning.Event, error) {
		return review.Decide(st, by, n)
	})
}
