package web

import (
	"context"
	"net/mail"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// tokenPrefix lets people and scanners see what a leaked text is.
const tokenPrefix = "cs_"

// Bounds of what people make, from now on.
const (
	longestInvitation = 90 * 24 * time.Hour
	longestToken      = 366 * 24 * time.Hour
	longestEmail      = 254 // characters; RFC 5321 has no room for more (4.5.3.1.3)
)

// whose is the person that the path names, and whether that is who is asking.
// Somebody else's sign-ins and tokens are an owner's business only.
func (s *server) whose(c echo.Context) (person review.Person, own bool, err error) {
	by, id := s.person(c), c.Param("person")
	if id == "me" || id == by.ID {
		person, err = s.store.Person(c.Request().Context(), by.ID) // a token may have lessened the role
		return person, true, err
	}
	if err := by.May(review.ActionInvite); err != nil {
		return person, false, err
	}
	person, err = s.store.Person(c.Request().Context(), id)
	return person, false, err
}

// newInvitation is what an owner says about an invitation.
type newInvitation struct {
	Role  review.Role
	Email string        // may be empty
	Lasts time.Duration // 0 for a week
}

// invite makes an invitation and returns its path, which is not kept.
func (s *server) invite(ctx context.Context, by review.Person, n newInvitation) (string, review.Link, error) {
	if err := by.May(review.ActionInvite); err != nil {
		return "", review.Link{}, err
	}
	n.Email = strings.TrimSpace(n.Email)
	switch address, err := mail.ParseAddress(n.Email); {
	case !n.Role.Valid():
		return "", review.Link{}, fault.New(fault.Invalid, "Choose a role.").At("role")
	case len(n.Email) > longestEmail:
		return "", review.Link{}, fault.New(fault.Invalid, "An e-mail address may have at most %d characters.", longestEmail).At("email")
	case n.Email != "" && (err != nil || address.Address != n.Email):
		return "", review.Link{}, fault.New(fault.Invalid, "This is no e-mail address.").At("email")
	case n.Lasts < 0 || n.Lasts > longestInvitation:
		return "", review.Link{}, fault.New(fault.Invalid, "An invitation can be good for 1 hour to %d days.", int(longestInvitation.Hours()/24)).At("lasts")
	case n.Lasts == 0:
		n.Lasts = invitationFor
	}
	now := time.Now()
	path, link, err := newLink(ctx, s.store, review.Link{Role: n.Role, Email: n.Email, CreatedBy: by.ID, CreatedAt: now, Expires: now.Add(n.Lasts)})
	if err == nil {
		s.log.InfoContext(ctx, "somebody was invited", "role", n.Role, "by", by.ID, "invitation", link.ID)
	}
	return path, link, err
}

// setRole gives a person another role.
func (s *server) setRole(ctx context.Context, by review.Person, id string, role review.Role) (review.Person, error) {
	if err := by.May(review.ActionInvite); err != nil {
		return review.Person{}, err
	}
	p, err := s.store.SetRole(ctx, id, role)
	if err == nil {
		s.log.InfoContext(ctx, "a role was changed", "person", id, "role", role, "by", by.ID)
	}
	return p, err
}

// remove takes a person's access away, at once.
func (s *server) remove(ctx context.Context, by review.Person, id string) error {
	if err := by.May(review.ActionInvite); err != nil {
		return err
	}
	ended, err := s.store.RemovePerson(ctx, id)
	if err != nil {
		return err
	}
	s.endLive(ended...)
	s.log.InfoContext(ctx, "a person was removed", "person", id, "by", by.ID)
	return nil
}

// readmit lets somebody in again who was removed: the same person, so what they
// wrote is still theirs.
func (s *server) readmit(ctx context.Context, by review.Person, id string, role review.Role) (review.Person, error) {
	if err := by.May(review.ActionInvite); err != nil {
		return review.Person{}, err
	}
	p, err := s.store.Readmit(ctx, id, role)
	if err == nil {
		s.log.InfoContext(ctx, "a person was let in again", "person", id, "role", role, "by", by.ID)
	}
	return p, err
}

// endLive closes the sockets that hang on sign-ins or tokens that have ended.
func (s *server) endLive(hashes ...string) {
	for _, hash := range hashes {
		s.hub.end(hash)
	}
}

// newToken is what a person says about a token.
type newToken struct {
	Name  string
	Role  review.Role
	Lasts time.Duration // 0 for no end
}

// makeToken makes a token and returns its secret, which is not kept.
func (s *server) makeToken(ctx context.Context, by review.Person, n newToken) (string, review.Token, error) {
	n.Name = strings.TrimSpace(n.Name)
	switch {
	case checkName(n.Name) != nil:
		return "", review.Token{}, fault.New(fault.Invalid, "Say in 1 to %d characters what the token is for.", maxName).At("name")
	case !n.Role.Valid():
		return "", review.Token{}, fault.New(fault.Invalid, "Choose a role.").At("role")
	case review.Least(n.Role, by.Role) != n.Role:
		return "", review.Token{}, fault.New(fault.Invalid, "A token can't do more than you: you are %s.", by.Role).At("role")
	case n.Lasts < 0 || n.Lasts > longestToken:
		return "", review.Token{}, fault.New(fault.Invalid, "A token can be good for 1 hour to %d days, or have no end.", int(longestToken.Hours()/24)).At("lasts")
	}
	id, err := newID()
	if err != nil {
		return "", review.Token{}, err
	}
	secret, now := tokenPrefix+newSecret(), time.Now()
	t := review.Token{ID: id, Person: by.ID, Name: n.Name, Role: n.Role, Tail: secret[len(secret)-4:], CreatedAt: now}
	if n.Lasts > 0 {
		t.Expires = now.Add(n.Lasts)
	}
	t, err = s.store.AddToken(ctx, HashSecret(secret), t)
	return secret, t, err
}

// wayIn makes a sign-in link for a person: for another browser of one's own, or
// by an owner for somebody who has lost theirs. The person's list of sign-ins
// shows by whose link each was made.
func (s *server) wayIn(ctx context.Context, by, person review.Person) (string, review.Link, error) {
	path, link, err := newLink(ctx, s.store, review.Link{Person: person.ID, CreatedBy: by.ID})
	if err == nil {
		s.log.InfoContext(ctx, "a sign-in link was made", "person", person.ID, "by", by.ID)
	}
	return path, link, err
}

// lasting is a length of time given as a number of hours or of days.
func lasting(hours, days int64) time.Duration {
	const most = 100_000 // far beyond every bound, and far from an overflow
	return time.Duration(min(hours, most))*time.Hour + time.Duration(min(days, most))*24*time.Hour
}
