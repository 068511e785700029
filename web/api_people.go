package web

import (
	"net/http"
	"time"

	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// The bodies of calls on people.
type (
	roleBody struct {
		Role review.Role `json:"role" jsonschema:"viewer, reviewer, approver or owner"`
	}
	inviteBody struct {
		Role  review.Role `json:"role" jsonschema:"viewer, reviewer, approver or owner"`
		Email string      `json:"email,omitempty" jsonschema:"who signs in at the issuer with this verified address needs no link"`
		Hours int64       `json:"hours,omitempty" jsonschema:"how long it is good; 7 days if neither hours nor days are given"`
		Days  int64       `json:"days,omitempty"`
	}
	tokenBody struct {
		Name  string      `json:"name" jsonschema:"what it is for"`
		Role  review.Role `json:"role" jsonschema:"the most that it may do, and never more than its person"`
		Hours int64       `json:"hours,omitempty" jsonschema:"how long it is good; without an end if neither hours nor days are given"`
		Days  int64       `json:"days,omitempty"`
	}
)

// The answers.
type (
	peopleView struct {
		People []review.Person `json:"people"`
	}
	deedsView struct {
		Deeds []review.Deed `json:"deeds"` // the newest first
	}
	invitationsView struct {
		Invitations []invitationView `json:"invitations"`
	}
	invitationView struct {
		ID        string      `json:"id"`
		Role      review.Role `json:"role"`
		Email     string      `json:"email,omitempty"`
		By        string      `json:"by"` // id of a person
		CreatedAt time.Time   `json:"created_at"`
		Expires   time.Time   `json:"expires"`
		Link      string      `json:"link,omitempty"` // only when it is made
	}
	wayInView struct {
		Expires time.Time `json:"expires"`
		Link    string    `json:"link,omitempty"` // only when it is made
	}
	signInsView struct {
		SignIns []signInView `json:"sign_ins"`
	}
	signInView struct {
		ID        string     `json:"id"`
		Browser   string     `json:"browser"`
		Via       review.Via `json:"via,omitempty"`
		This      bool       `json:"this"` // it is the one that asks
		CreatedAt *time.Time `json:"created_at"`
		UsedAt    *time.Time `json:"used_at"` // to within some minutes
		Expires   time.Time  `json:"expires"` // if it is not used until then
	}
	tokensView struct {
		Tokens []tokenView `json:"tokens"`
	}
	tokenView struct {
		ID        string      `json:"id"`
		Name      string      `json:"name"`
		Role      review.Role `json:"role"`
		Tail      string      `json:"tail"` // the last characters
		CreatedAt time.Time   `json:"created_at"`
		UsedAt    *time.Time  `json:"used_at"`         // to within some minutes; null if never
		Expires   *time.Time  `json:"expires"`         // null if it has no end
		Token     string      `json:"token,omitempty"` // only when it is made
	}
)

// given is a time, or nil for none.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func viewInvitation(l review.Link) invitationView {
	return invitationView{ID: l.ID, Role: l.Role, Email: l.Email, By: l.CreatedBy, CreatedAt: l.CreatedAt.UTC(), Expires: l.Expires.UTC()}
}

func viewToken(t review.Token) tokenView {
	return tokenView{
		ID: t.ID, Name: t.Name, Role: t.Role, Tail: t.Tail,
		CreatedAt: t.CreatedAt, UsedAt: given(t.UsedAt), Expires: given(t.Expires),
	}
}

// GET /people
func (s *server) apiPeople(c echo.Context) error {
	people, err := s.store.People(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, peopleView{People: notNil(people)})
}

// GET /people/removed
func (s *server) apiRemoved(c echo.Context) error {
	people, err := s.store.Removed(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, peopleView{People: notNil(people)})
}

// POST /people/{person}/readmit
func (s *server) apiReadmit(c echo.Context) error {
	in, err := decode[roleBody](c)
	if err != nil {
		return err
	}
	p, err := s.readmit(c.Request().Context(), s.person(c), c.Param("person"), in.Role)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, p)
}

// GET /people/record
func (s *server) apiDeeds(c echo.Context) error {
	before, err := whole(c.QueryParam("before"), "before", 0)
	if err != nil {
		return err
	}
	deeds, err := s.store.Deeds(c.Request().Context(), before, deedsMost)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, deedsView{Deeds: notNil(deeds)})
}

// PUT /people/{person}
func (s *server) apiSetRole(c echo.Context) error {
	in, err := decode[roleBody](c)
	if err != nil {
		return err
	}
	p, err := s.setRole(c.Request().Context(), s.person(c), c.Param("person"), in.Role)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, p)
}

// DELETE /people/{person}
func (s *server) apiRemove(c echo.Context) error {
	if err := s.remove(c.Request().Context(), s.person(c), c.Param("person")); err != nil {
		return err
	}
	return s.apiPeople(c)
}

// POST /people/{person}/link
func (s *server) apiWayIn(c echo.Context) error {
	if _, err := decode[struct{}](c); err != nil {
		return err
	}
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	path, link, err := s.wayIn(c.Request().Context(), s.person(c), person)
	if err != nil {
		return err
	}
	view := wayInView{Expires: link.Expires.UTC()}
	keep(c, view)
	view.Link = address(c, path)
	return c.JSON(http.StatusCreated, view)
}

// GET /invitations
func (s *server) apiInvitations(c echo.Context) error {
	list, err := s.store.Invitations(c.Request().Context())
	if err != nil {
		return err
	}
	view := invitationsView{Invitations: make([]invitationView, len(list))}
	for i, l := range list {
		view.Invitations[i] = viewInvitation(l)
	}
	return c.JSON(http.StatusOK, view)
}

// POST /invitations
func (s *server) apiInvite(c echo.Context) error {
	in, err := decode[inviteBody](c)
	if err != nil {
		return err
	}
	path, link, err := s.invite(c.Request().Context(), s.person(c), newInvitation{Role: in.Role, Email: in.Email, Lasts: lasting(in.Hours, in.Days)})
	if err != nil {
		return err
	}
	view := viewInvitation(link)
	keep(c, view)
	view.Link = address(c, path)
	return c.JSON(http.StatusCreated, view)
}

// DELETE /invitations/{invitation}
func (s *server) apiWithdraw(c echo.Context) error {
	if err := s.store.Withdraw(c.Request().Context(), c.Param("invitation")); err != nil {
		return err
	}
	return s.apiInvitations(c)
}
