package web

import (
	"net/http"

	"countersign/internal/review"

	"github.com/labstack/echo/v4"
)

// What belongs to one person: their sign-ins and their tokens. {person} is an
// id, or "me".

// GET /people/{person}/sign-ins
func (s *server) apiSignIns(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	list, err := s.store.SignIns(c.Request().Context(), person.ID)
	if err != nil {
		return err
	}
	view := signInsView{SignIns: make([]signInView, len(list))}
	for i, in := range list {
		view.SignIns[i] = signInView{
			ID: in.ID, Browser: in.Agent, Via: in.Via, This: in.ID == granted(c).signIn.ID,
			CreatedAt: given(in.CreatedAt), UsedAt: given(in.UsedAt), Expires: in.Expires,
		}
	}
	return c.JSON(http.StatusOK, view)
}

// DELETE /people/{person}/sign-ins/{signin}
func (s *server) apiEndSignIn(c echo.Context) error {
	if err := s.endSignIn(c); err != nil {
		return err
	}
	return s.apiSignIns(c)
}

// endSignIn ends the sign-in that the path names, and its live pages.
func (s *server) endSignIn(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	hash, err := s.store.EndOneSignIn(c.Request().Context(), person.ID, c.Param("signin"))
	if err == nil {
		s.endLive(hash)
	}
	return err
}

// DELETE /people/{person}/sign-ins
func (s *server) apiEndSignIns(c echo.Context) error {
	if err := s.endSignIns(c); err != nil {
		return err
	}
	return s.apiSignIns(c)
}

// endSignIns ends all sign-ins of a person but the one that asks.
func (s *server) endSignIns(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	hashes, err := s.store.EndSignIns(c.Request().Context(), person.ID, granted(c).signIn.ID)
	s.endLive(hashes...)
	return err
}

// GET /people/{person}/tokens
func (s *server) apiTokens(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	list, err := s.store.Tokens(c.Request().Context(), person.ID)
	if err != nil {
		return err
	}
	view := tokensView{Tokens: make([]tokenView, len(list))}
	for i, t := range list {
		view.Tokens[i] = viewToken(t)
	}
	return c.JSON(http.StatusOK, view)
}

// POST /people/me/tokens
func (s *server) apiMakeToken(c echo.Context) error {
	in, err := decode[tokenBody](c)
	if err != nil {
		return err
	}
	secret, t, err := s.makeToken(c.Request().Context(), s.person(c), newToken{Name: in.Name, Role: in.Role, Lasts: lasting(in.Hours, in.Days)})
	if err != nil {
		return err
	}
	view := viewToken(t)
	keep(c, view)
	view.Token = secret
	return c.JSON(http.StatusCreated, view)
}

// DELETE /people/{person}/tokens/{token}
func (s *server) apiRevoke(c echo.Context) error {
	if err := s.revoke(c); err != nil {
		return err
	}
	return s.apiTokens(c)
}

// revoke ends the token that the path names, and what hangs on it.
func (s *server) revoke(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	hash, err := s.store.RevokeToken(c.Request().Context(), person.ID, c.Param("token"))
	if err == nil {
		s.endLive(hash)
	}
	return err
}

// peopleEndpoints is the part of the JSON API about people.
func (s *server) peopleEndpoints() []endpoint {
	const (
		get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
		person              = "/people/:person"
		see, own, people    = review.ActionView, review.ActionAccount, review.ActionInvite
	)
	return []endpoint{
		on(get, "/people", "Everybody who is here", see, s.apiPeople).gives(200, peopleView{}),
		on(put, person, "Give a person another role", people, s.inPerson(s.apiSetRole)).takes(roleBody{}, bodyLimit).gives(200, review.Person{}),
		on(get, "/people/removed", "Those who were removed", people, s.apiRemoved).gives(200, peopleView{}),
		on(post, person+"/readmit", "Let a removed person in again, as the same person; they sign in anew", people, s.inPerson(s.apiReadmit)).takes(roleBody{}, bodyLimit).gives(200, review.Person{}),
		on(get, "/people/record", "Who did what about roles, invitations, tokens and sign-ins, the newest first; 100 at a time", people, s.apiDeeds).
			asks("before", "the id of a deed to begin before", "integer").gives(200, deedsView{}),
		on(del, person, "Remove a person; their sign-ins and tokens end", people, s.inPerson(s.apiRemove)).gives(200, peopleView{}),
		on(post, person+"/link", "Make a sign-in link for oneself or, as owner, for somebody else", own, s.inPerson(s.apiWayIn)).gives(201, wayInView{}),
		on(get, person+"/sign-ins", "Browsers in which a person is signed in", own, s.apiSignIns).gives(200, signInsView{}),
		on(del, person+"/sign-ins", "End all of them but the one that asks", own, s.inPerson(s.apiEndSignIns)).gives(200, signInsView{}),
		on(del, person+"/sign-ins/:signin", "End one of them", own, s.inPerson(s.apiEndSignIn)).gives(200, signInsView{}),
		on(get, person+"/tokens", "A person's API tokens", own, s.apiTokens).gives(200, tokensView{}),
		on(post, "/people/me/tokens", "Make an API token for oneself; it is shown this once", own, s.inPerson(s.apiMakeToken)).takes(tokenBody{}, bodyLimit).gives(201, tokenView{}),
		on(del, person+"/tokens/:token", "Revoke a token", own, s.inPerson(s.apiRevoke)).gives(200, tokensView{}),
		on(get, "/invitations", "Open invitations", people, s.apiInvitations).gives(200, invitationsView{}),
		on(post, "/invitations", "Invite somebody by a link that is shown this once", people, s.inPerson(s.apiInvite)).takes(inviteBody{}, bodyLimit).gives(201, invitationView{}),
		on(del, "/invitations/:invitation", "Withdraw an invitation", people, s.inPerson(s.apiWithdraw)).gives(200, invitationsView{}),
	}
}
