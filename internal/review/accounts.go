package review

import (
	"slices"
	"time"
)

// Least is the lesser of two roles; one that is no role makes it no role.
func Least(a, b Role) Role {
	i := min(slices.Index(roles, a), slices.Index(roles, b))
	if i < 0 {
		return ""
	}
	return roles[i]
}

// Link lets somebody in, once and until Expires. With Person it signs that
// person in; without, it is an invitation of somebody new into Role.
type Link struct {
	ID        string
	Hash      string // SHA-256 of the secret in the link, hex
	Person    string // id, or empty for an invitation
	Role      Role   // of the person to be made, for an invitation
	Email     string // of whom it invites; who signs in with it at the issuer needs no link. May be empty
	CreatedBy string // id of who made it; empty for the server
	CreatedAt time.Time
	Expires   time.Time
}

// Via is how somebody signed in.
type Via string

// The ways in.
const (
	ViaLink       Via = "link"       // a sign-in link that the server printed, or that the person made
	ViaOwner      Via = "owner"      // a sign-in link that an owner made for the person
	ViaInvitation Via = "invitation" // an invitation
	ViaToken      Via = "token"      // the server's own token
	ViaOpenID     Via = "openid"     // an OpenID Connect issuer
)

// SignIn is a browser that is signed in. It ends at Expires, which moves on
// with each use.
type SignIn struct {
	ID        string
	Person    string
	Agent     string // what the browser calls itself, shortened
	Via       Via    // empty for one from before this was kept
	CreatedAt time.Time
	UsedAt    time.Time
	Expires   time.Time
}

// Token is what a program signs in with. It acts as Person, with the lesser of
// Role and the person's role at that time.
type Token struct {
	ID        string
	Person    string
	Server    bool   // the owner's token that the server was started with
	Name      string // what it is for
	Role      Role
	Tail      string    // the last characters of the secret, to tell it by
	CreatedAt time.Time // in steps of a microsecond, like all times here
	UsedAt    time.Time // zero if nobody has used it
	Expires   time.Time // zero if it has no end
}

// Identity is who somebody is at an OpenID Connect issuer. Issuer and Subject
// together never change and are never given to somebody else; the rest is what
// the issuer says of them today.
type Identity struct {
	Issuer, Subject string
	Name            string
	Email           string // empty unless the issuer has verified it
}
