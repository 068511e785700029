package web

import (
	"net/http"
	"net/url"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

const peopleRoute = "/people"

// peoplePath is the page of a person; "me" is whoever asks.
func peoplePath(id string) string { return peopleRoute + "/" + url.PathEscape(id) }

// peoplePages registers the pages about people. What changes something there
// is not for people's own tokens.
func (s *server) peoplePages(g *echo.Group) {
	g.GET(peopleRoute, s.peoplePage)
	g.POST("/people/invite", s.inPerson(s.inviteForm))
	g.POST("/people/invitations/:invitation/withdraw", s.inPerson(s.withdrawForm))

	g.GET("/people/record", s.deedsPage)

	const person = "/people/:person"
	g.GET(person, s.personPage)
	g.POST(person+"/role", s.inPerson(s.roleForm))
	g.POST(person+"/remove", s.inPerson(s.removeForm))
	g.POST(person+"/readmit", s.inPerson(s.readmitForm))
	g.POST(person+"/link", s.inPerson(s.wayInForm))
	g.POST(person+"/sign-ins/end", s.inPerson(s.endSignInsForm))
	g.POST(person+"/sign-ins/:signin/end", s.inPerson(s.endSignInForm))
	g.POST("/people/me/tokens", s.inPerson(s.tokenForm))
	g.POST(person+"/tokens/:token/revoke", s.inPerson(s.revokeForm))
}

// peoplePage lists who can sign in, and who is invited.
func (s *server) peoplePage(c echo.Context) error {
	return s.peopleWith(c, http.StatusOK, templates.PeoplePage{Invite: emptyInvite()})
}

func emptyInvite() templates.InviteForm {
	return templates.InviteForm{Role: review.RoleReviewer, Lasts: "7", Unit: unitDays}
}

func (s *server) peopleWith(c echo.Context, status int, page templates.PeoplePage) error {
	page.Page = s.base(c)
	if err := page.Person.May(review.ActionInvite); err != nil {
		return err
	}
	ctx := c.Request().Context()
	var err error
	if page.People, err = s.store.People(ctx); err != nil {
		return err
	}
	if page.Invitations, err = s.store.Invitations(ctx); err != nil {
		return err
	}
	if page.Removed, err = s.store.Removed(ctx); err != nil {
		return err
	}
	page.Issuer = s.openIDStart("next", "/").Name
	return render(c, status, templates.People(page))
}

// inviteForm makes a link that lets one person join. It is shown this once:
// only its hash is kept.
func (s *server) inviteForm(c echo.Context) error {
	form := templates.InviteForm{
		Role: review.Role(c.FormValue("role")), Email: c.FormValue("email"),
		Lasts: c.FormValue("lasts"), Unit: c.FormValue("unit"),
	}
	lasts, err := formLasts(form.Lasts, form.Unit)
	var path string
	if err == nil {
		path, _, err = s.invite(c.Request().Context(), s.person(c), newInvitation{Role: form.Role, Email: form.Email, Lasts: lasts})
	}
	if err != nil {
		f, err := formFault(err)
		if err != nil {
			return err
		}
		form.Problems = map[string]string{f.Field: said(c, f)}
		page := templates.PeoplePage{Invite: form}
		if f.Field == "email" && s.openID == nil { // the form has no such field then
			page.Alert = said(c, f)
		}
		return s.peopleWith(c, statusOf(f), page)
	}
	shownOnce(c)
	return s.peopleWith(c, http.StatusOK, templates.PeoplePage{Invite: emptyInvite(), Link: address(c, path)})
}

const (
	unitHours = "hours"
	unitDays  = "days"
)

// formLasts reads a length of time from a number and its unit; 0 if there is no
// number.
func formLasts(text, unit string) (time.Duration, error) {
	n, err := whole(text, "lasts", 0)
	if err != nil || text != "" && n == 0 {
		return 0, fault.New(fault.Invalid, "This has to be a whole number, 1 or more.").At("lasts")
	}
	if unit == unitHours {
		return lasting(n, 0), nil
	}
	return lasting(0, n), nil
}

func (s *server) withdrawForm(c echo.Context) error {
	if err := s.person(c).May(review.ActionInvite); err != nil {
		return err
	}
	err := s.store.Withdraw(c.Request().Context(), c.Param("invitation"))
	if f, ok := fault.As(err); ok && f.Code == fault.Conflict {
		return s.peopleWith(c, statusOf(f), templates.PeoplePage{Invite: emptyInvite(), Alert: said(c, f)})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, peopleRoute)
}

func (s *server) roleForm(c echo.Context) error {
	_, err := s.setRole(c.Request().Context(), s.person(c), c.Param("person"), review.Role(c.FormValue("role")))
	if err != nil {
		return s.personAgain(c, err, templates.PersonPage{})
	}
	return c.Redirect(http.StatusSeeOther, peoplePath(c.Param("person")))
}

func (s *server) removeForm(c echo.Context) error {
	if err := s.remove(c.Request().Context(), s.person(c), c.Param("person")); err != nil {
		return s.personAgain(c, err, templates.PersonPage{})
	}
	return c.Redirect(http.StatusSeeOther, peopleRoute)
}

// readmitForm lets somebody in again and goes to their page, where a link for
// them is made.
func (s *server) readmitForm(c echo.Context) error {
	_, err := s.readmit(c.Request().Context(), s.person(c), c.Param("person"), review.Role(c.FormValue("role")))
	if err == nil {
		return c.Redirect(http.StatusSeeOther, peoplePath(c.Param("person")))
	}
	f, err := formFault(err)
	if err != nil {
		return err
	}
	return s.peopleWith(c, statusOf(f), templates.PeoplePage{Invite: emptyInvite(), Alert: said(c, f)})
}

// deedsMost is how many lines of the record one page has.
const deedsMost = 100

// deedsPage shows who did what to whom.
func (s *server) deedsPage(c echo.Context) error {
	page := templates.DeedsPage{Page: s.base(c)}
	if err := page.Person.May(review.ActionInvite); err != nil {
		return err
	}
	before, err := whole(c.QueryParam("before"), "before", 0)
	if err != nil {
		return err
	}
	page.Later = before > 0
	if page.Deeds, err = s.store.Deeds(c.Request().Context(), before, deedsMost); err != nil {
		return err
	}
	if len(page.Deeds) == deedsMost {
		page.Older = page.Deeds[deedsMost-1].ID
	}
	return render(c, http.StatusOK, templates.Deeds(page))
}
