package webhook

import (
	"context"
	"time"

	"countersign/internal/planning"
)

// Committed is a record and its place in the log of all sessions. Places rise
// in the order of the commits.
type Committed struct {
	planning.Record
	Place int64
}

// Progress is how far a target has got. Everything at or before Place has been
// taken by it, is held, or was given up.
type Progress struct {
	Target    string // its ID
	Place     int64
	Failing   time.Time // when the first of the failures in a row was; zero if the last attempt did not fail
	GivenUp   int64     // how many messages it has never got
	Gone      bool      // it said that it is gone, and is not asked any more
	Delivered time.Time // when it last took a message; zero for never
	Trouble   Trouble   // of the last attempt, if that failed
}

// Store is the port to the log of all sessions, and to the progress of the
// targets.
type Store interface {
	// Committed returns up to limit records of these kinds that lie behind
	// after, in order, and the place up to which there are no others.
	Committed(ctx context.Context, after int64, kinds []planning.Kind, limit int) ([]Committed, int64, error)
	// LastRecord returns the newest record of these kinds in a session's log up
	// to seq. It fails with fault.NotFound.
	LastRecord(ctx context.Context, session string, seq int64, kinds ...planning.Kind) (planning.Record, error)
	// KeepTargets forgets all targets but these and returns their progress in
	// the same order. New ones begin at the end of the log: they hear nothing of
	// the past.
	KeepTargets(ctx context.Context, ids []string) ([]Progress, error)
	// SaveProgress replaces what is kept of a target.
	SaveProgress(ctx context.Context, p Progress) error

	// Hold keeps a message that a target has not taken. One that is kept already
	// is replaced, unless that was given up meanwhile, or the new one has not
	// been tried. If it is given up, the next of its session inherits Failing:
	// what stood behind it has had its time as well.
	Hold(ctx context.Context, h Held) error
	// DropHeld forgets a message; one that isn't there is no error.
	DropHeld(ctx context.Context, target string, place int64) error
	// Holds tells whether a message of the session waits for the target.
	Holds(ctx context.Context, target, session string) (bool, error)
	// NextHeld is the message that is due first, of the first ones of each
	// session.
	NextHeld(ctx context.Context, target string) (h Held, found bool, err error)
	// Hasten makes messages due at once that have been tried so often at least,
	// and have failed only after a time.
	Hasten(ctx context.Context, target string, tries int, after time.Time) error
	// GiveUp ends a message. It fails with fault.NotFound if it does not wait.
	GiveUp(ctx context.Context, target string, place int64, at time.Time, by string) error
	// Held lists up to limit messages that wait, oldest first, and up to limit
	// that were given up, newest first.
	Held(ctx context.Context, target string, limit int) (waiting, lost []Held, err error)
	// CountHeld counts those that wait.
	CountHeld(ctx context.Context, target string) (int, error)
}

// Waiting says how many messages the target has still to get, up to
// WaitingMost. A finished run that is not told of counts until it is looked at.
func (t Target) Waiting(ctx context.Context, store Store, p Progress) (int, error) {
	held, err := store.CountHeld(ctx, p.Target)
	if err != nil || held >= WaitingMost {
		return WaitingMost, err
	}
	page, _, err := store.Committed(ctx, p.Place, kindsOf(t.Events), WaitingMost-held)
	return held + len(page), err
}
