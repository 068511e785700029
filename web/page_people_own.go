package web

import (
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// personPage is where a person finds their sign-ins and tokens, and an owner
// those of others.
func (s *server) personPage(c echo.Context) error {
	return s.personWith(c, http.StatusOK, templates.PersonPage{})
}

// personWith fills in what there is about the person that the path names.
func (s *server) personWith(c echo.Context, status int, page templates.PersonPage) error {
	ctx := c.Request().Context()
	page.Page = s.base(c)
	var err error
	if page.Whose, page.Own, err = s.whose(c); err != nil {
		return err
	}
	if page.SignIns, err = s.store.SignIns(ctx, page.Whose.ID); err != nil {
		return err
	}
	if page.Tokens, err = s.store.Tokens(ctx, page.Whose.ID); err != nil {
		return err
	}
	page.Manage = c.Param("person") != "me" && page.Person.Can(review.ActionInvite)
	page.This = granted(c).signIn.ID
	if page.Token.Role == "" {
		page.Token = templates.TokenForm{Role: review.Least(review.RoleReviewer, page.Whose.Role), Unit: unitDays}
	}
	if page.Own {
		page.OpenID = s.openIDStart("connect", "1")
	}
	if page.OpenID.Path != "" {
		if page.Connected, err = s.store.Connected(ctx, page.Whose.ID, s.openID.cfg.Issuer); err != nil {
			return err
		}
	}
	return render(c, status, templates.Person(page))
}

// personAgain is the page after a form on it that did not work.
func (s *server) personAgain(c echo.Context, err error, page templates.PersonPage) error {
	f, err := formFault(err)
	if err != nil {
		return err
	}
	switch {
	case page.Token.Role != "" && f.Field != "":
		page.Token.Problems = map[string]string{f.Field: said(c, f)}
	default:
		page.Alert = said(c, f)
	}
	return s.personWith(c, statusOf(f), page)
}

// wayInForm makes a sign-in link. It is shown this once.
func (s *server) wayInForm(c echo.Context) error {
	person, _, err := s.whose(c)
	if err != nil {
		return err
	}
	path, _, err := s.wayIn(c.Request().Context(), s.person(c), person)
	if err != nil {
		return err
	}
	shownOnce(c)
	return s.personWith(c, http.StatusOK, templates.PersonPage{Link: address(c, path)})
}

func (s *server) endSignInForm(c echo.Context) error {
	return s.backToPerson(c, s.endSignIn(c))
}

func (s *server) endSignInsForm(c echo.Context) error {
	return s.backToPerson(c, s.endSignIns(c))
}

func (s *server) revokeForm(c echo.Context) error {
	return s.backToPerson(c, s.revoke(c))
}

// backToPerson shows the person's page again. What somebody wanted to end and
// isn't there any more is as they wanted it.
func (s *server) backToPerson(c echo.Context, err error) error {
	if fault.Is(err, fault.NotFound) {
		if _, _, gone := s.whose(c); gone != nil {
			return gone
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, peoplePath(c.Param("person")))
}

// tokenForm makes an API token. It is shown this once.
func (s *server) tokenForm(c echo.Context) error {
	c.SetParamNames("person")
	c.SetParamValues("me")
	form := templates.TokenForm{
		Name: c.FormValue("name"), Role: review.Role(c.FormValue("role")),
		Lasts: c.FormValue("lasts"), Unit: c.FormValue("unit"),
	}
	lasts, err := formLasts(form.Lasts, form.Unit)
	secret := ""
	if err == nil {
		secret, _, err = s.makeToken(c.Request().Context(), s.person(c), newToken{Name: form.Name, Role: form.Role, Lasts: lasts})
	}
	if err != nil {
		if !form.Role.Valid() {
			form.Role = review.RoleViewer
		}
		return s.personAgain(c, err, templates.PersonPage{Token: form})
	}
	shownOnce(c)
	return s.personWith(c, http.StatusOK, templates.PersonPage{Secret: secret})
}
