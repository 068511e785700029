package web

import (
	"context"
	"time"

	"countersign/internal/review"
)

// Accounts keeps people and what they sign in with. Secrets never reach it:
// every hash is the hex SHA-256 of one. What is looked up and isn't there is
// fault.NotFound, unless it says otherwise.
type Accounts interface {
	// AddPerson makes a person. Names are unique, without regard to case;
	// a taken one is fault.Conflict on field "name".
	AddPerson(ctx context.Context, name string, role review.Role) (review.Person, error)
	// Person returns somebody who is here.
	Person(ctx context.Context, id string) (review.Person, error)
	// People lists everybody who is here, the longest known first.
	People(ctx context.Context) ([]review.Person, error)
	// SetRole fails with fault.Conflict if nobody would be left as owner.
	SetRole(ctx context.Context, id string, role review.Role) (review.Person, error)
	// RemovePerson ends all that a person could sign in with and returns the
	// hashes of the sign-ins and tokens that ended. It fails like SetRole.
	RemovePerson(ctx context.Context, id string) ([]string, error)
	// Removed lists who was removed, the last one first.
	Removed(ctx context.Context) ([]review.Person, error)
	// Readmit lets somebody in again who was removed, as the same person.
	Readmit(ctx context.Context, id string, role review.Role) (review.Person, error)
	// Deeds returns up to limit lines of the record of all that changes here,
	// the newest first, from before one, or from the end if before is 0. Who
	// asks in a context, as review.By says, is who did it.
	Deeds(ctx context.Context, before int64, limit int) ([]review.Deed, error)

	Links
	SignIns
	Tokens
	Identities
}

// Links are sign-in links and invitations.
type Links interface {
	AddLink(ctx context.Context, link review.Link) error
	// Link looks a link up without using it. The fault of one that has ended
	// says how, in a sentence for whoever holds it.
	Link(ctx context.Context, hash string) (review.Link, error)
	// UseLink spends the link, once, and returns the person it signs in; for an
	// invitation it makes that person under name, in the same transaction. A
	// taken name is fault.Conflict and leaves the link unspent.
	UseLink(ctx context.Context, hash, name string) (review.Person, error)
	// Invitations lists the open ones, the newest first.
	Invitations(ctx context.Context) ([]review.Link, error)
	// Withdraw ends an open invitation by its id.
	Withdraw(ctx context.Context, id string) error
}

// SignIns are the browsers that are signed in.
type SignIns interface {
	AddSignIn(ctx context.Context, hash string, s review.SignIn) error
	// SignIn returns who is signed in, or fails with fault.Unauthenticated.
	SignIn(ctx context.Context, hash string) (review.Person, review.SignIn, error)
	// TouchSignIn notes a use and moves the end on.
	TouchSignIn(ctx context.Context, hash string, used, expires time.Time) error
	EndSignIn(ctx context.Context, hash string) error
	// SignIns lists a person's, the last used first.
	SignIns(ctx context.Context, person string) ([]review.SignIn, error)
	// EndOneSignIn ends one of a person's by its id and returns its hash.
	EndOneSignIn(ctx context.Context, person, id string) (string, error)
	// EndSignIns ends all of a person's but one, if its id is given, and
	// returns the hashes.
	EndSignIns(ctx context.Context, person, but string) ([]string, error)
}

// Tokens are what programs sign in with.
type Tokens interface {
	// SetServerToken lets the server's own token act as a person; an earlier
	// one ends.
	SetServerToken(ctx context.Context, hash, person string) error
	AddToken(ctx context.Context, hash string, t review.Token) (review.Token, error)
	// Token returns who the token acts as, with the role that they have through
	// it, or fails with fault.Unauthenticated.
	Token(ctx context.Context, hash string) (review.Person, review.Token, error)
	// TouchToken notes a use.
	TouchToken(ctx context.Context, hash string, used time.Time) error
	// Tokens lists a person's own, the newest first.
	Tokens(ctx context.Context, person string) ([]review.Token, error)
	// RevokeToken ends one of a person's by its id and returns its hash.
	RevokeToken(ctx context.Context, person, id string) (string, error)
}

// Identities are who people are at an OpenID Connect issuer.
type Identities interface {
	// Identify returns the person. Somebody new is let in by the invitation
	// with this hash, by one for their address, or with this role if it is one;
	// else it fails with fault.NotFound.
	Identify(ctx context.Context, who review.Identity, invitation string, role review.Role) (review.Person, error)
	// Connect lets a person sign in with an identity from now on. One that is
	// another person's is fault.Conflict.
	Connect(ctx context.Context, who review.Identity, person string) error
	// Connected tells whether a person can sign in at an issuer.
	Connected(ctx context.Context, person, issuer string) (bool, error)
}
