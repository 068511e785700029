package web

import (
	"net/http"
	"net/url"
	"time"

	"countersign/internal/fault"
	"countersign/web/lang"
	"countersign/web/templates"

	"github.com/labstack/echo/v4"
)

const (
	languageRoute = "/language"
	// languageCookie, like cookieName, is shared by all servers of a host.
	languageCookie = "countersign_language"
	languageFor    = 365 * 24 * time.Hour
)

// inLanguage finds out which language a page is to be in: the one that was
// chosen in this browser, else what the browser asks for. Handlers and pages
// find it in the request's context.
func (s *server) inLanguage(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		chosen := ""
		if cookie, err := r.Cookie(languageCookie); err == nil {
			chosen = cookie.Value
		}
		c.Response().Header().Add("Vary", "Accept-Language")
		ctx := lang.With(r.Context(), lang.Match(chosen, r.Header.Get("Accept-Language")))
		if s.cfg.Guidance {
			ctx = templates.WithGuidance(ctx)
		}
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

// languageForm keeps the chosen language in the browser and leads back to the
// page that the form was on.
func (s *server) languageForm(c echo.Context) error {
	l, ok := lang.ByCode(c.FormValue("language"))
	if !ok {
		return fault.New(fault.Invalid, "There is no such language here.").At("language")
	}
	c.SetCookie(newCookie(c, languageCookie, l.Code, "/", int(languageFor.Seconds())))
	to := "/"
	if from, ours := cameFrom(c.Request()); ours && s.opens(c, from.Path) {
		to = (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).String()
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// opens tells whether a browser can go to a path by itself: a page that came as
// the answer to a form may have an address that takes forms only.
func (s *server) opens(c echo.Context, path string) bool {
	probe := c.Echo().AcquireContext()
	defer c.Echo().ReleaseContext(probe)
	probe.Reset(nil, nil)
	c.Echo().Router().Find(http.MethodGet, path, probe)
	return probe.Path() != "" && probe.Get(echo.ContextKeyHeaderAllow) == nil
}

// said is the sentence of a fault in the language of the page.
func said(c echo.Context, f *fault.Fault) string { return lang.Fault(c.Request().Context(), f) }
