package web

import (
	"net/http"
	"strings"
	"unicode"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

// signInPage shows the form or, with a link, signs in with it. Reading ahead
// (HEAD, prefetch) must not use the link up.
func (s *server) signInPage(c echo.Context) error {
	r := c.Request()
	next := localPath(c.QueryParam("next"))
	secret := c.QueryParam("link")
	if secret == "" {
		return s.signInPageWith(c, http.StatusOK, "", next)
	}
	if r.Method != http.MethodGet || ahead(r) {
		return notAhead(c)
	}
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, next)
	}
	link, err := s.store.Link(r.Context(), HashSecret(secret))
	if err == nil && link.Person == "" {
		return c.Redirect(http.StatusSeeOther, joinRoute+"?"+r.URL.RawQuery)
	}
	if err == nil {
		person, useErr := s.store.UseLink(r.Context(), link.Hash, "")
		if useErr == nil {
			if err := s.signIn(c, person, viaLink(link)); err != nil {
				return err
			}
			return c.Redirect(http.StatusSeeOther, next)
		}
		err = useErr
	}
	return s.noLink(c, err, next)
}

// viaLink says whose link it was.
func viaLink(l review.Link) review.Via {
	if l.CreatedBy != "" && l.CreatedBy != l.Person {
		return review.ViaOwner
	}
	return review.ViaLink
}

// noLink shows the sign-in page after a link that does not work, with the
// sentence that says why.
func (s *server) noLink(c echo.Context, err error, next string) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.NotFound {
		return err
	}
	s.attempts.failed(c.Request().RemoteAddr)
	return s.signInAgain(c, f.Under(fault.Unauthenticated, err), next)
}

// signInForm signs in with the server's own token. A person's tokens are for
// programs: with one, whoever finds it could become that person, with all that
// they may do and without an end.
func (s *server) signInForm(c echo.Context) error {
	next := localPath(c.FormValue("next"))
	person, err := s.byToken(c, strings.TrimSpace(c.FormValue("token")))
	if err == nil && !granted(c).token.Server {
		err = fault.New(fault.Unauthenticated, "This token is for programs and can't sign a browser in. Use a sign-in link.")
	}
	if err != nil {
		return s.signInAgain(c, err, next)
	}
	if err := s.signIn(c, person, review.ViaToken); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// signInAgain shows the form once more, with what went wrong.
func (s *server) signInAgain(c echo.Context, err error, next string) error {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.Unauthenticated && f.Code != fault.RateLimited {
		return err
	}
	return s.signInPageWith(c, statusOf(f), said(c, f), next)
}

func (s *server) signInPageWith(c echo.Context, status int, message, next string) error {
	return render(c, status, templates.SignIn(message, next, s.openIDStart("next", next)))
}

// joinPage asks somebody with an invitation for their name.
func (s *server) joinPage(c echo.Context) error {
	r := c.Request()
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, "/")
	}
	secret := c.QueryParam("link")
	if _, err := s.invitation(c, secret); err != nil {
		return s.noLink(c, err, "/")
	}
	return s.joinPageWith(c, http.StatusOK, secret, "", "")
}

func (s *server) joinPageWith(c echo.Context, status int, secret, name, message string) error {
	return render(c, status, templates.Join(secret, name, message, s.openIDStart("link", secret)))
}

// invitation looks an open invitation up by its secret.
func (s *server) invitation(c echo.Context, secret string) (review.Link, error) {
	link, err := s.store.Link(c.Request().Context(), HashSecret(secret))
	if err == nil && link.Person != "" {
		err = fault.New(fault.NotFound, "This link is no invitation. Please ask for one.")
	}
	return link, err
}

// joinForm makes the person and signs them in. A name that can't be taken
// leaves the invitation as it was.
func (s *server) joinForm(c echo.Context) error {
	r := c.Request()
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, "/")
	}
	secret, name := c.FormValue("link"), strings.TrimSpace(c.FormValue("name"))
	link, err := s.invitation(c, secret)
	if err != nil {
		return s.noLink(c, err, "/")
	}
	if err := checkName(name); err != nil {
		return s.joinPageWith(c, statusOf(err), secret, name, said(c, err))
	}
	person, err := s.store.UseLink(r.Context(), link.Hash, name)
	if f, ok := fault.As(err); ok && f.Field == "name" {
		return s.joinPageWith(c, statusOf(f), secret, name, said(c, f))
	}
	if err != nil {
		return s.noLink(c, err, "/")
	}
	s.log.InfoContext(r.Context(), "somebody joined", "person", person.ID, "name", person.Name, "role", person.Role, "invited by", link.CreatedBy)
	if err := s.signIn(c, person, review.ViaInvitation); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// maxName bounds a person's name, in characters.
const maxName = 60

func checkName(name string) *fault.Fault {
	switch {
	case name == "":
		return fault.New(fault.Invalid, "Please say your name; the others will see it beside what you write.").At("name")
	case len([]rune(name)) > maxName:
		return fault.New(fault.Invalid, "A name may have at most %d characters.", maxName).At("name")
	case strings.ContainsFunc(name, unprintable):
		return fault.New(fault.Invalid, "A name can hold letters, digits, blanks and signs, but no control characters.").At("name")
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// signOut ends this sign-in, and the live pages that hang on it.
func (s *server) signOut(c echo.Context) error {
	if g := granted(c); g.signIn.ID != "" {
		if err := s.store.EndSignIn(c.Request().Context(), g.hash); err != nil {
			return err
		}
		s.hub.end(g.hash)
	}
	c.SetCookie(s.cookie(c, "", -1))
	return c.Redirect(http.StatusSeeOther, signInRoute)
}

// ahead tells whether a browser only reads a page in case it is wanted.
func ahead(r *http.Request) bool {
	purpose := r.Header.Get("Sec-Purpose") + " " + r.Header.Get("Purpose") + " " + r.Header.Get("X-Moz")
	return strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "prerender") || strings.Contains(purpose, "preview")
}

// notAhead turns a reading ahead away in such a manner that the browser asks
// again when the person really goes there.
func notAhead(c echo.Context) error {
	shownOnce(c)
	return c.NoContent(http.StatusServiceUnavailable)
}
