package templates

import (
	"context"
	"strings"
	"time"

	"countersign/internal/review"
	"countersign/web/lang"
)

// PeoplePage is who can sign in, and who is invited.
type PeoplePage struct {
	Page
	People      []review.Person
	Invitations []review.Link // that are open
	Removed     []review.Person
	Invite      InviteForm
	Link        string // a fresh invitation, shown once
	Issuer      string // that people can sign in with; empty if there is none
	Alert       string
}

// InviteForm is an invitation as somebody fills it in.
type InviteForm struct {
	Role     review.Role
	Email    string
	Lasts    string
	Unit     string            // "hours" or "days"
	Problems map[string]string // by field
}

// PersonPage is a person's role, sign-ins and tokens.
type PersonPage struct {
	Page
	Whose     review.Person
	Own       bool // it is about who looks at it
	Manage    bool // an owner looks at it to give a role or to remove somebody
	SignIns   []review.SignIn
	This      string // id of the sign-in that looks at this
	Tokens    []review.Token
	Token     TokenForm
	Secret    string // a fresh token, shown once
	Link      string // a fresh sign-in link, shown once
	OpenID    OpenID // where the account at the issuer is connected; empty if there is no issuer
	Connected bool
	Alert     string
}

// TokenForm is a token as somebody fills it in.
type TokenForm struct {
	Name     string
	Role     review.Role
	Lasts    string // empty for no end
	Unit     string
	Problems map[string]string
}

// by is the name of who made an invitation; empty for who is not here.
func (p PeoplePage) by(id string) string {
	for _, person := range p.People {
		if person.ID == id {
			return visible(person.Name)
		}
	}
	return ""
}

// heading is what a person's page is called.
func (p PersonPage) heading(ctx context.Context) string {
	if !p.Manage {
		return tr(ctx, "Sign-ins and tokens")
	}
	return visible(p.Whose.Name)
}

// path is the page itself, below which its forms are.
func (p PersonPage) path() string {
	if !p.Manage {
		return "/people/me"
	}
	return "/people/" + p.Whose.ID
}

// roles are those that a token of this person can have.
func (p PersonPage) roles() []review.Role {
	var list []review.Role
	for _, r := range review.Roles() {
		if review.Least(r, p.Whose.Role) == r {
			list = append(list, r)
		}
	}
	return list
}

// roleWords says what a role may do.
func roleWords(r review.Role) lang.Key {
	return map[review.Role]lang.Key{
		review.RoleViewer:   "sees everything",
		review.RoleReviewer: "comments, rewrites, gives tasks",
		review.RoleApprover: "decides on plans and permissions",
		review.RoleOwner:    "invites people and gives roles",
	}[r]
}

// viaWords says how somebody signed in.
func viaWords(v review.Via) lang.Key {
	return map[review.Via]lang.Key{
		review.ViaLink:       "with a sign-in link",
		review.ViaOwner:      "with a link that an owner made",
		review.ViaInvitation: "with an invitation",
		review.ViaToken:      "with the server’s token",
		review.ViaOpenID:     "with OpenID Connect",
	}[v]
}

// until says when something ends.
func until(ctx context.Context, now, t time.Time) string {
	switch d := t.Sub(now); {
	case d <= 0:
		return tr(ctx, "has ended")
	case d < time.Hour:
		return tr(ctx, "ends in %d minutes", max(int(d.Minutes()+.5), 1))
	case d < 48*time.Hour:
		return tr(ctx, "ends in %d hours", int(d.Hours()+.5))
	default:
		return tr(ctx, "ends in %d days", int(d.Hours()/24+.5))
	}
}

// browserName is what a sign-in says of its browser, "Firefox on Linux", in the
// language of the page.
func browserName(ctx context.Context, agent string) string {
	if agent == "" || agent == "Unknown browser" {
		return tr(ctx, "Unknown browser")
	}
	if browser, system, ok := strings.Cut(visible(agent), " on "); ok {
		return tr(ctx, "%s on %s", browser, system)
	}
	return visible(agent)
}
