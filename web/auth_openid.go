package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

const (
	openIDRoute     = "/oidc/start"
	openIDBackRoute = "/oidc/callback"
	// openIDCookie holds a sign-in that has been begun, sealed. It goes only to
	// the two routes above.
	openIDCookie = "countersign_oidc"
	openIDPath   = "/oidc"
)

// openIDStart is the link that begins a sign-in at the issuer, with one
// parameter; empty if there is no issuer.
func (s *server) openIDStart(name, value string) templates.OpenID {
	if s.openID == nil {
		return templates.OpenID{}
	}
	return templates.OpenID{Name: s.openID.name, Path: openIDRoute + "?" + url.Values{name: {value}}.Encode()}
}

var errNoIssuer = fault.New(fault.NotFound, "This server has no OpenID Connect issuer to sign in with.")

// openIDPage sends a browser to the issuer. What comes back is good for this
// browser only, once, and for openIDFor.
func (s *server) openIDPage(c echo.Context) error {
	r := c.Request()
	if s.openID == nil {
		return errNoIssuer
	}
	if r.Method != http.MethodGet || ahead(r) {
		return notAhead(c)
	}
	next := localPath(c.QueryParam("next"))
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, next)
	}
	f := newFlow(time.Now(), address(c, openIDBackRoute))
	f.Next, f.Link = next, c.QueryParam("link")
	if c.QueryParam("connect") != "" {
		person, err := s.connecting(c)
		if err != nil {
			return err
		}
		f.Connect, f.Next = person.ID, peoplePath("me")
	}
	to, err := s.openID.begin(f)
	if err != nil {
		return s.openIDFailed(c, f, err)
	}
	c.SetCookie(s.openIDCookie(c, s.openID.seal(f), int(openIDFor.Seconds())))
	return c.Redirect(http.StatusSeeOther, to)
}

// connecting is who wants to add the issuer's account to their own. The request
// must come from one of our pages: another site could otherwise begin this in
// the browser of somebody who is signed in here, and signed in there as the
// attacker, and so hand the attacker the way in.
func (s *server) connecting(c echo.Context) (review.Person, error) {
	r := c.Request()
	site := r.Header.Get("Sec-Fetch-Site")
	if _, ours := cameFrom(r); site != "same-origin" && (site != "" || !ours) {
		return review.Person{}, fault.New(fault.Forbidden, "This request comes from another site, so it was not carried out.")
	}
	person, err := s.identify(c)
	if err == nil && withToken(c) {
		err = fault.New(fault.Forbidden, "An account is connected in a browser.")
	}
	return person, err
}

// openIDBack is where the issuer sends the browser back to.
func (s *server) openIDBack(c echo.Context) error {
	r := c.Request()
	if s.openID == nil {
		return errNoIssuer
	}
	if r.Method != http.MethodGet || ahead(r) {
		return notAhead(c)
	}
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, "/")
	}
	sealed := ""
	if cookie, err := r.Cookie(openIDCookie); err == nil {
		sealed = cookie.Value
	}
	c.SetCookie(s.openIDCookie(c, "", -1))
	f, err := s.openID.take(sealed, c.QueryParam("state"), time.Now())
	if err != nil {
		return s.openIDFailed(c, f, err)
	}
	who, err := s.openID.finish(r.Context(), f, r.URL.Query())
	if err != nil {
		return s.openIDFailed(c, f, err)
	}
	if f.Connect != "" {
		return s.connect(c, f, who)
	}
	return s.admit(c, f, who)
}

// admit signs in whoever the issuer says it is, if they may come in.
func (s *server) admit(c echo.Context, f flow, who review.Identity) error {
	ctx, invitation := c.Request().Context(), ""
	if f.Link != "" {
		invitation = HashSecret(f.Link)
	}
	person, err := s.store.Identify(ctx, who, invitation, s.openID.cfg.Role)
	if nf, ok := fault.As(err); ok && nf.Code == fault.NotFound {
		if invitation == "" {
			nf = s.unknown(ctx, who)
		}
		return s.openIDFailed(c, f, nf.Under(fault.Unauthenticated, err))
	}
	if err != nil {
		return err
	}
	if err := s.signIn(c, person, review.ViaOpenID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, cmp.Or(f.Next, "/"))
}

// unknown says whom somebody can ask who is not let in.
func (s *server) unknown(ctx context.Context, who review.Identity) *fault.Fault {
	var owners []string
	people, err := s.store.People(ctx)
	for _, p := range people {
		if p.Role == review.RoleOwner {
			owners = append(owners, p.Name)
		}
	}
	account := cmp.Or(who.Email, s.openID.name)
	if err != nil || len(owners) == 0 {
		return fault.New(fault.NotFound, "Your account (%s) is not known here. Ask an owner of this server for an invitation.", account)
	}
	return fault.New(fault.NotFound, "Your account (%s) is not known here. Ask an owner of this server for an invitation: %s.", account, strings.Join(owners, ", "))
}

// connect adds the issuer's account to the person who began this, if they are
// the one who is still signed in.
func (s *server) connect(c echo.Context, f flow, who review.Identity) error {
	person, err := s.identify(c)
	if err != nil {
		return err
	}
	if person.ID != f.Connect {
		return fault.New(fault.Conflict, "Somebody else is signed in here by now, so nothing was connected.")
	}
	if err := s.store.Connect(c.Request().Context(), who, person.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, f.Next)
}

// openIDFailed shows the sign-in page with what went wrong or, to who is signed
// in already, an error page. What can only be somebody's guess is counted.
func (s *server) openIDFailed(c echo.Context, f flow, err error) error {
	r := c.Request()
	s.log.WarnContext(r.Context(), "a sign-in with the issuer failed", "request", requestID(c), "err", err)
	if fault.Is(err, fault.Unauthenticated) {
		s.attempts.failed(r.RemoteAddr)
	}
	shown, ok := fault.As(err)
	if !ok || f.Connect != "" {
		return err
	}
	return s.signInPageWith(c, statusOf(shown), said(c, shown), cmp.Or(f.Next, "/"))
}

func (s *server) openIDCookie(c echo.Context, value string, maxAge int) *http.Cookie {
	return newCookie(c, openIDCookie, value, openIDPath, maxAge)
}
