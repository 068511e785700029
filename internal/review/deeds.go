package review

import (
	"context"
	"time"
)

// DeedKind says what somebody did about accounts.
type DeedKind string

// The deeds. What Detail and More say stands beside each.
const (
	DeedAdded      DeedKind = "added"             // by the server; the role
	DeedJoined     DeedKind = "joined"            // with an invitation or through an issuer; the role, and who invited
	DeedReadmitted DeedKind = "readmitted"        // who had been removed; the role
	DeedRole       DeedKind = "role_changed"      // the role, and the one before
	DeedRemoved    DeedKind = "removed"           //
	DeedInvited    DeedKind = "invited"           // the role, and the e-mail address
	DeedWithdrawn  DeedKind = "invitation_ended"  // an invitation before it was used; the role, and the e-mail address
	DeedLink       DeedKind = "link_made"         // a sign-in link
	DeedSignedIn   DeedKind = "signed_in"         // Via, and the browser
	DeedSignOut    DeedKind = "sign_ins_ended"    // how many, as a number
	DeedToken      DeedKind = "token_made"        // its name, and its role
	DeedRevoked    DeedKind = "token_revoked"     // its name
	DeedConnected  DeedKind = "account_connected" // the issuer
)

// Deed is one line of the record of accounts. By is who did it, Person whom it
// is about; the id of either is empty for the server, or nobody yet.
type Deed struct {
	ID     int64     `json:"id"`
	At     time.Time `json:"at"`
	Kind   DeedKind  `json:"kind"`
	By     string    `json:"by"`
	ByName string    `json:"by_name"`
	Person string    `json:"person,omitempty"`
	Name   string    `json:"name,omitempty"`
	Detail string    `json:"detail,omitempty"`
	More   string    `json:"more,omitempty"`
}

type byKey struct{}

// By says who asks for what is done in a context, for the record.
func By(ctx context.Context, p Person) context.Context { return context.WithValue(ctx, byKey{}, p) }

// Asking is who asks; the zero value is the server.
func Asking(ctx context.Context) Person {
	p, _ := ctx.Value(byKey{}).(Person)
	return p
}
