package web

import (
	"context"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// What people do who have thought better of something. The rules are those of
// the functions of the same names in review.

func (s *server) editComment(ctx context.Context, by review.Person, session, thread string, comment int64, body string) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.EditComment(st, by, thread, comment, body)
	})
}

func (s *server) deleteComment(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.DeleteComment(st, by, thread, comment)
	})
}

func (s *server) agree(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.Agree(st, by, thread, comment)
	})
}

func (s *server) disagree(ctx context.Context, by review.Person, session, thread string, comment int64) (planning.State, error) {
	return s.act(ctx, by, review.ActionComment, session, func(st planning.State) ([]planning.Event, error) {
		return review.WithdrawAgreement(st, by, thread, comment)
	})
}

func (s *server) editScope(ctx context.Context, by review.Person, session string, n review.NewScope) (planning.State, error) {
	return s.act(ctx, by, review.ActionEdit, session, func(st planning.State) ([]planning.Event, error) {
		return review.EditScope(st, by, n)
	})
}

func (s *server) release(ctx context.Context, by review.Person, session string, n review.NewRelease) (planning.State, error) {
	return s.act(ctx, by, review.ActionEdit, session, func(st planning.State) ([]planning.Event, error) {
		return review.Release(st, by, n)
	})
}

func (s *server) undo(ctx context.Context, by review.Person, session string, version int, edit int64) (planning.State, error) {
	return s.act(ctx, by, review.ActionEdit, session, func(st planning.State) ([]planning.Event, error) {
		return review.Undo(st, by, version, edit)
	})
}

func (s *server) withdrawApproval(ctx context.Context, by review.Person, session string, version int) (planning.State, error) {
	return s.act(ctx, by, review.ActionDecide, session, func(st planning.State) ([]planning.Event, error) {
		return review.WithdrawApproval(st, by, version)
	})
}
