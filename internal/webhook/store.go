package webhook

import (
	"context"
	"strconv"
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
// taken by it, or given up.
type Progress struct {
	Target  string // its ID
	Place   int64
	Failing time.Time // when the first of the failures in a row was; zero if the last attempt did not fail
	GivenUp int64     // how many messages it has never got
	Gone    bool      // it said that it is gone, and is not asked any more
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
}

// Waiting says how many messages the target has still to get: a number, or
// "100 or more".
func (t Target) Waiting(ctx context.Context, store Store, p Progress) (string, error) {
	page, _, err := store.Committed(ctx, p.Place, kindsOf(t.Events), pageSize)
	if len(page) == pageSize {
		return strconv.Itoa(pageSize) + " or more", err
	}
	return strconv.Itoa(len(page)), err
}
