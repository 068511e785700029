package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// onceForm is once for the forms of those who are signed in. A script sends one again under the
// same key if no answer came, perhaps with a newer version of the plan in it, so
// it is known by its address alone. A form that worked answers with a redirect,
// and its address is what is kept; any other answer did nothing.
func (s *server) onceForm(next echo.HandlerFunc) echo.HandlerFunc {
	form := s.onceIn(memory{formPrint, keptRedirect, redirectAgain, 10 * time.Second}, next)
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method != http.MethodPost || strings.HasPrefix(r.URL.Path, apiPrefix+"/") || s.person(c).ID == "" {
			return next(c)
		}
		return form(c)
	}
}

func formPrint(r *http.Request) (string, error) { return r.Method + " " + r.URL.Path, nil }

func keptRedirect(c echo.Context, _ []byte) (int, []byte, error) {
	if c.Response().Status != http.StatusSeeOther {
		return 0, nil, nil
	}
	return http.StatusSeeOther, []byte(c.Response().Header().Get(echo.HeaderLocation)), nil
}

func redirectAgain(c echo.Context, status int, address []byte) error {
	return c.Redirect(status, string(address))
}
