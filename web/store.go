// Package web is the browser's and the scripts' way in: pages, forms, the JSON
// API, sign-in and the live socket. It holds no rule of the product; it asks
// planning and review what a person may do and records what they answer.
package web

import (
	"context"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// Store is what the web needs of the database.
type Store interface {
	planning.Log
	Accounts
	Replies

	// Sessions lists sessions, the last changed first; an empty status means all.
	Sessions(ctx context.Context, status planning.Status) ([]planning.Summary, error)
	// ThreadSession finds the session that a thread belongs to, or fails with
	// fault.NotFound.
	ThreadSession(ctx context.Context, thread string) (string, error)
	// Looked returns what the person had seen of the plan before this visit, or
	// before this version, and notes what they look at now. The zero Look notes
	// nothing.
	Looked(ctx context.Context, person, session string, now review.Look) (review.Look, error)
	// Readings returns how far a person has read the threads of sessions, as a
	// seq of each one's log; a session whose threads they never read is not in it.
	Readings(ctx context.Context, person string) (map[string]int64, error)
	// NoteRead notes that they have read them as they were at seq.
	NoteRead(ctx context.Context, person, session string, seq int64) error
	// Ping fails when the database does not answer.
	Ping(ctx context.Context) error
}

// Replies remembers answers by Idempotency-Key, so that a request that is sent
// twice acts once.
type Replies interface {
	// Reserve claims a key for a request with this fingerprint. If it was
	// claimed before, found is true and status and body are the stored answer;
	// a key whose answer is not there yet, or that was used for another
	// fingerprint, is fault.Conflict.
	Reserve(ctx context.Context, person, key, fingerprint string) (status int, body []byte, found bool, err error)
	// Settle stores the answer. Status 0 frees the key again.
	Settle(ctx context.Context, person, key string, status int, body []byte) error
}
