package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
)

// policy lets a page load only what this server sends and talk only to it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers go with every answer, errors included. Caches are told to ask again
// and not to forget: a browser restores what was typed into a form only on a
// page that it was allowed to keep.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		return next(c)
	}
}

// shownOnce keeps an answer with a secret in it out of every cache, the browser's
// own included.
func shownOnce(c echo.Context) { c.Response().Header().Set("Cache-Control", "no-store") }

// loopback are the names under which a server on one's own machine is known.
var loopback = []string{"localhost", "127.0.0.1", "::1"}

// hostAllowed is the protection against rebinding: a foreign name that resolves
// to this server's address is turned away, whatever else the request carries.
func (s *server) hostAllowed(next echo.HandlerFunc) echo.HandlerFunc {
	names := map[string]bool{}
	for _, name := range append(loopback, s.cfg.Hosts...) {
		names[strings.ToLower(name)] = name != "" && !unspecified(name)
	}
	return func(c echo.Context) error {
		if host := c.Request().Host; !names[strings.ToLower(hostname(host))] {
			return fault.New(fault.Forbidden,
				"This server does not answer to the name %q. Use the address that it printed at its start.", host)
		}
		return next(c)
	}
}

// unspecified is 0.0.0.0 and its like: a server can listen there, but no person
// goes there, and browsers take it for their own machine.
func unspecified(name string) bool {
	ip := net.ParseIP(name)
	return ip != nil && ip.IsUnspecified()
}

// hostname is a Host header without its port and brackets; "" if it is neither
// a name nor an address.
func hostname(host string) string {
	u := url.URL{Host: host}
	if _, err := url.Parse("http://" + host); err != nil {
		return ""
	}
	return u.Hostname()
}

// cameFrom is the page that the browser says a request was made on, if that is
// one of this server's.
func cameFrom(r *http.Request) (*url.URL, bool) {
	from, err := url.Parse(r.Referer())
	return from, err == nil && from.Host == r.Host
}

// sameOrigin turns away requests that another site makes a browser send. It
// looks at everything that changes something, and at the socket. Browsers say
// where a request comes from in one of two headers; scripts send neither, so
// they must bring a token, which no browser adds by itself.
func (s *server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if safe(r.Method) && c.Path() != socketPath {
			return next(c)
		}
		origins, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
		for _, origin := range origins {
			if !ownOrigin(origin, r) {
				return fault.New(fault.Forbidden, "This request comes from another site (%s), so it was not carried out.", origin)
			}
		}
		for _, site := range sites {
			if site != "same-origin" && site != "none" {
				return fault.New(fault.Forbidden, "This request comes from another site, so it was not carried out.")
			}
		}
		if len(origins)+len(sites) == 0 && !withToken(c) {
			return fault.New(fault.Forbidden,
				"This request does not say which page it comes from, so it was not carried out. Scripts sign in with an Authorization header.")
		}
		return next(c)
	}
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// ownOrigin tells whether an Origin header names the address that the request
// itself is sent to.
func ownOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" {
		return false
	}
	return strings.EqualFold(withPort(u.Host, u.Scheme), withPort(r.Host, u.Scheme))
}

// withPort adds the port that a browser leaves out.
func withPort(host, scheme string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	if scheme == "https" {
		return host + ":443"
	}
	return host + ":80"
}
