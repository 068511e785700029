package web

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/web/static"

	"github.com/labstack/echo/v4"
)

// guards are the headers of every answer, whatever it is.
var guards = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// needsOfPolicy is what a content policy has to say at least; whatever else it
// allows must be this server.
var needsOfPolicy = []string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "base-uri 'none'",
	"form-action 'self'", "frame-ancestors 'none'",
}

// guarded checks the headers of an answer, and who may keep it: nobody but the
// browser that asked, and that one asks again before it shows it.
func guarded(a answer) {
	a.t.Helper()
	for name, want := range guards {
		if got := a.Header.Values(name); len(got) != 1 || got[0] != want {
			a.t.Errorf("%s (%d): %s is %q", a.what, a.StatusCode, name, got)
		}
	}
	policies := a.Header.Values("Content-Security-Policy")
	if len(policies) != 1 {
		a.t.Errorf("%s (%d): %d content policies", a.what, a.StatusCode, len(policies))
		return
	}
	rules := strings.Split(policies[0], "; ")
	for _, need := range needsOfPolicy {
		if !slices.Contains(rules, need) {
			a.t.Errorf("%s (%d): the policy lacks %s", a.what, a.StatusCode, need)
		}
	}
	for _, rule := range rules {
		if _, allowed, _ := strings.Cut(rule, " "); allowed != "'self'" && allowed != "'none'" {
			a.t.Errorf("%s (%d): the policy says %s", a.what, a.StatusCode, rule)
		}
	}
	if keep := a.Header.Values("Cache-Control"); len(keep) != 1 || keep[0] != "private, no-cache" && keep[0] != "no-store" {
		a.t.Errorf("%s (%d): Cache-Control is %q", a.what, a.StatusCode, keep)
	}
	if a.Header.Get("X-Request-Id") == "" {
		a.t.Errorf("%s (%d) has no id", a.what, a.StatusCode)
	}
}

// TestGate_HeadersOfEveryRoute: the headers stand on what every route answers,
// whoever asks, and in whatever manner.
func TestGate_HeadersOfEveryRoute(t *testing.T) {
	r := newRig(t)
	paths := map[string]bool{}
	n := map[int]int{}
	note := func(a answer) {
		guarded(a)
		n[a.StatusCode]++
	}
	r.tableRoutes(func(_, method, path string) {
		note(r.ask(method, path, "X-Nobody: 1"))
		note(r.ask(method, path, header("Cookie: "+r.cookie(r.owner)))) // POST /sign-out ends one
		if paths[path] {
			return
		}
		paths[path] = true
		for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			note(r.do(m, path, nil, r.bearer()))
		}
	})
	for _, status := range []int{200, 303, 401, 403, 404, 405, 409, 422} {
		if n[status] == 0 {
			t.Errorf("no answer had the status %d: %v", status, n)
		}
	}
}

// TestGate_HeadersOfFailures is the same for what fails before a route, beside
// it, or in the middle of it.
func TestGate_HeadersOfFailures(t *testing.T) {
	r := newRig(t)
	boom := func(echo.Context) error { panic("boom") }
	r.web.echo.GET("/boom", boom)
	r.web.echo.GET(apiPrefix+"/boom", boom)
	cookie, own := header("Cookie: "+r.cookie(r.owner)), header("Origin: "+r.srv.URL)
	form := header("Content-Type: application/x-www-form-urlencoded")
	long := func() io.Reader { return strings.NewReader("text=" + strings.Repeat("x", planLimit+1)) }
	now := time.Now()
	r.web.server.callers.now = func() time.Time { return now }
	for range callsBurst {
		r.web.server.callers.allow(HashSecret("busy"))
	}
	r.person("Bea", "viewer", "busy")
	for _, c := range []struct {
		status int
		a      answer
	}{
		{500, r.do("GET", "/boom", nil, cookie)},
		{500, r.do("GET", apiPrefix+"/boom", nil, r.bearer())},
		{413, r.do("POST", "/sessions", long(), cookie, own, form)},
		{413, r.do("POST", "/sessions", io.MultiReader(long()), cookie, own, form)},
		{413, r.do("POST", apiPrefix+"/sessions", long(), r.bearer())},
		{413, r.do("POST", "/nothing", long(), r.bearer(), form)},
		{429, r.do("GET", apiPrefix+"/sessions", nil, as("busy"))},
		{403, r.do("GET", "/healthz", nil, "Host: evil.example")},
		{403, r.do("POST", "/sessions", nil, cookie, "Origin: http://evil.example")},
		{403, r.do("POST", apiPrefix+"/sessions", strings.NewReader("x"), r.bearer(), "Content-Type: text/plain")},
		{404, r.do("GET", "/nothing", nil, cookie)},
		{404, r.do("GET", apiPrefix+"/nothing", nil, r.bearer())},
		{404, r.do("GET", "/static/nothing.css", nil)},
		{404, r.do("GET", "/sessions/nothing/plan", nil, cookie)},
		{405, r.do("DELETE", "/sessions", nil, r.bearer())},
		{404, r.do("PATCH", apiPrefix+"/sessions", nil, r.bearer())}, // the API knows no 405
		{400, r.do("POST", apiPrefix+"/sessions", strings.NewReader("{"), r.bearer())},
		{401, r.do("GET", "/", nil, as("wrong"))},
		{303, r.do("GET", "/", nil)},
	} {
		c.a.is(c.status)
		guarded(c.a)
	}
	wrong := url.Values{"token": {"wrong"}}
	for range failBurst {
		guarded(r.form(signInRoute, wrong))
	}
	guarded(r.form(signInRoute, wrong).is(429))
}

// TestGate_WhatIsShownOnceIsNotKept: a secret that is shown once is in no cache.
func TestGate_WhatIsShownOnceIsNotKept(t *testing.T) {
	r := newRig(t)
	cookie := header("Cookie: " + r.cookie(r.owner))
	lasts := url.Values{"name": {"x"}, "role": {"viewer"}, "lasts": {"1"}, "unit": {"days"}}
	for _, a := range []answer{
		r.form("/people/invite", lasts, cookie), r.form("/people/me/link", nil, cookie), r.form("/people/me/tokens", lasts, cookie),
		r.api("POST", "/people/me/link", nil), r.api("POST", "/people/me/tokens", tokenBody{Name: "x", Role: "viewer"}),
		r.api("POST", "/invitations", inviteBody{Role: "viewer"}),
	} {
		guarded(a)
		if keep := a.Header.Get("Cache-Control"); keep != "no-store" || a.StatusCode > 201 {
			t.Errorf("%s: %d, Cache-Control is %q", a.what, a.StatusCode, keep)
		}
	}
}

// TestGate_StaticFilesAreKept: only they may be kept by anybody, and for good,
// since their names change with their content.
func TestGate_StaticFilesAreKept(t *testing.T) {
	r := newRig(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		a := r.do(method, static.Path("app.css"), nil).is(200)
		if keep := a.Header.Get("Cache-Control"); keep != "public, max-age=31536000, immutable" {
			t.Errorf("Cache-Control is %q", keep)
		}
		a.Header.Set("Cache-Control", "no-store")
		guarded(a)
	}
}
