// Package web is the browser's and the scripts' way in: pages, forms, the JSON
// API, sign-in and the live socket. It holds no rule of the product; it asks
// planning and review what a person may do and records what they answer.
package web

import (
	"context"
	"time"

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
	// Seen returns the newest plan version that the person has looked at
	// before, 0 if none, and notes that they now look at version.
	Seen(ctx context.Context, person, session string, version int) (int, error)
	// Ping fails when the database does not answer.
	Ping(ctx context.Context) error
}

// Accounts keeps people and what they sign in with. Secrets never reach it:
// every hash is the hex SHA-256 of one.
type Accounts interface {
	// AddPerson makes a person. Names are unique, without regard to case;
	// a taken one is fault.Conflict on field "name".
	AddPerson(ctx context.Context, name string, role review.Role) (review.Person, error)
	// Person fails with fault.NotFound.
	Person(ctx context.Context, id string) (review.Person, error)
	// People lists everybody, the longest known first.
	People(ctx context.Context) ([]review.Person, error)

	AddLink(ctx context.Context, link review.Link) error
	// Link looks a link up without using it. It fails with fault.NotFound for
	// one that is unknown, used or past its end.
	Link(ctx context.Context, hash string) (review.Link, error)
	// UseLink spends the link, once, and returns the person it signs in; for an
	// invitation it makes that person under name, in the same transaction. A
	// taken name is fault.Conflict and leaves the link unspent.
	UseLink(ctx context.Context, hash, name string) (review.Person, error)

	AddSignIn(ctx context.Context, hash, person string, expires time.Time) error
	// SignIn returns who is signed in, or fails with fault.Unauthenticated.
	SignIn(ctx context.Context, hash string) (review.Person, error)
	EndSignIn(ctx context.Context, hash string) error

	// AddToken lets an API token act as a person; adding it twice is no error.
	AddToken(ctx context.Context, hash, person string) error
	// Token returns who the token acts as, or fails with fault.Unauthenticated.
	Token(ctx context.Context, hash string) (review.Person, error)
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
