package web

import (
	"net/http"
	"strings"
	"unicode"

	"countersign/internal/fault"
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
		return render(c, http.StatusOK, templates.SignIn("", next))
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
			if err := s.signIn(c, person); err != nil {
				return err
			}
			return c.Redirect(http.StatusSeeOther, next)
		}
		err = useErr
	}
	if fault.Is(err, fault.NotFound) {
		s.attempts.failed(r.RemoteAddr)
		err = fault.Wrap(err, fault.Unauthenticated, "This link has been used or has expired. Ask for a new one, or sign in with a token.")
	}
	return s.signInAgain(c, err, next)
}

// signInForm signs in with an API token.
func (s *server) signInForm(c echo.Context) error {
	next := localPath(c.FormValue("next"))
	person, err := s.byToken(c, strings.TrimSpace(c.FormValue("token")))
	if err != nil {
		return s.signInAgain(c, err, next)
	}
	if err := s.signIn(c, person); err != nil {
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
	return render(c, statusOf(f), templates.SignIn(f.Message, next))
}

// joinPage asks somebody with an invitation for their name.
func (s *server) joinPage(c echo.Context) error {
	r := c.Request()
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, "/")
	}
	secret := c.QueryParam("link")
	link, err := s.store.Link(r.Context(), HashSecret(secret))
	if err == nil && link.Person != "" {
		err = fault.New(fault.NotFound, "no invitation")
	}
	if err != nil {
		return s.notInvited(c, err)
	}
	return render(c, http.StatusOK, templates.Join(secret, "", ""))
}

// joinForm makes the person and signs them in. A name that can't be taken
// leaves the invitation as it was.
func (s *server) joinForm(c echo.Context) error {
	r := c.Request()
	if err := s.attempts.check(r.RemoteAddr); err != nil {
		return s.signInAgain(c, err, "/")
	}
	secret, name := c.FormValue("link"), strings.TrimSpace(c.FormValue("name"))
	hash := HashSecret(secret)
	link, err := s.store.Link(r.Context(), hash)
	if err == nil && link.Person != "" {
		err = fault.New(fault.NotFound, "no invitation")
	}
	if err != nil {
		return s.notInvited(c, err)
	}
	if err := checkName(name); err != nil {
		return render(c, statusOf(err), templates.Join(secret, name, err.Message))
	}
	person, err := s.store.UseLink(r.Context(), hash, name)
	if f, ok := fault.As(err); ok && f.Field == "name" {
		return render(c, statusOf(f), templates.Join(secret, name, f.Message))
	}
	if err != nil {
		return s.notInvited(c, err)
	}
	if err := s.signIn(c, person); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

func (s *server) notInvited(c echo.Context, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	s.attempts.failed(c.Request().RemoteAddr)
	return s.signInAgain(c, fault.Wrap(err, fault.Unauthenticated, "This invitation has been used or has expired. Ask for a new one."), "/")
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
	if hash, ok := c.Get(signInKey).(string); ok && hash != "" {
		if err := s.store.EndSignIn(c.Request().Context(), hash); err != nil {
			return err
		}
		s.hub.end(hash)
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
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.NoContent(http.StatusServiceUnavailable)
}
