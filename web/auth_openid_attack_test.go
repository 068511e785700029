package web

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"

	"github.com/go-jose/go-jose/v4"
)

func TestOpenID_AttacksAndAccidents(t *testing.T) {
	r, i := openIDRig(t, review.RoleReviewer)
	for name, c := range map[string]struct {
		claim    string
		value    any
		sentence string
	}{
		"another audience":          {"aud", "others", "can&#39;t be trusted"},
		"two audiences and no word": {"aud", []string{"plans", "others"}, "can&#39;t be trusted"},
		"made for another party":    {"azp", "others", "can&#39;t be trusted"},
		"another issuer":            {"iss", "https://evil.example", "can&#39;t be trusted"},
		"another nonce":             {"nonce", "x", "belongs to another sign-in"},
		"no nonce":                  {"nonce", nil, "belongs to another sign-in"},
		"expired":                   {"exp", time.Now().Add(-time.Hour).Unix(), "has expired already"},
		"no end":                    {"exp", nil, "has expired already"},
		"not yet":                   {"nbf", time.Now().Add(time.Hour).Unix(), "can&#39;t be trusted"},
		"no subject":                {"sub", nil, "can&#39;t be trusted"},
	} {
		r.web.server.attempts = newAttempts(time.Now)
		i.mu.Lock()
		i.claims = map[string]any{c.claim: c.value}
		i.mu.Unlock()
		to, cookie := r.beginOpenID("")
		refusedOpenID(t, name, r.do("GET", i.authorize(to), nil, cookie), 401, c.sentence)
	}
	i.mu.Lock()
	i.claims = map[string]any{}
	i.mu.Unlock()
	head := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	other := newIssuer(t)
	for name, forge := range map[string]func([]byte) string{
		"alg none": func(p []byte) string {
			return head(`{"alg":"none"}`) + "." + base64.RawURLEncoding.EncodeToString(p) + "."
		},
		"no signature": func(p []byte) string {
			return head(`{"alg":"RS256","kid":"k"}`) + "." + base64.RawURLEncoding.EncodeToString(p) + "."
		},
		"another's key": func(p []byte) string { return signed(t, jose.RS256, other.key, p) },
		"the client's secret as key": func(p []byte) string {
			return signed(t, jose.HS256, []byte(strings.Repeat("client-secret", 3)), p)
		},
		"no token": func([]byte) string { return "" },
	} {
		r.web.server.attempts = newAttempts(time.Now)
		i.mu.Lock()
		i.forge = forge
		i.mu.Unlock()
		to, cookie := r.beginOpenID("")
		refusedOpenID(t, name, r.do("GET", i.authorize(to), nil, cookie), 401, "can&#39;t be trusted")
	}
	if people, err := r.db.People(context.Background()); err != nil || len(people) != 1 {
		t.Errorf("people are %+v, %v", people, err)
	}
}

func TestOpenID_StateIsOneBrowsersAndGoodOnce(t *testing.T) {
	r, i := openIDRig(t, review.RoleReviewer)
	to, cookie := r.beginOpenID("")
	back := i.authorize(to)
	refusedOpenID(t, "login CSRF: a browser that did not begin", r.do("GET", back, nil), 401, "was not begun in this browser")
	_, others := r.beginOpenID("")
	refusedOpenID(t, "the cookie of another sign-in", r.do("GET", back, nil, others), 401, "was not begun in this browser")
	refusedOpenID(t, "a cookie that is made up", r.do("GET", back, nil, header("Cookie: "+openIDCookie+"=e30")), 401, "was not begun in this browser")
	refusedOpenID(t, "no state", r.do("GET", "/oidc/callback?code=x", nil, cookie), 401, "was not begun in this browser")
	r.do("GET", back, nil, cookie).is(303)
	refusedOpenID(t, "replayed", r.do("GET", back, nil, cookie), 401, "has been used already")

	f := newFlow(time.Now().Add(-openIDFor-time.Second), r.srv.URL+openIDBackRoute)
	late := header("Cookie: " + openIDCookie + "=" + r.web.server.openID.seal(f))
	refusedOpenID(t, "late", r.do("GET", "/oidc/callback?code=x&state="+f.State, nil, late), 401, "took longer than 10 minutes")
}

func TestOpenID_WhatTheIssuerMayAnswer(t *testing.T) {
	r, i := openIDRig(t, review.RoleReviewer)
	for query, want := range map[string]struct {
		status   int
		sentence string
	}{
		"error=access_denied":                  {403, "did not let you in, or you cancelled"},
		"error=login_required":                 {403, "refused the sign-in: login_required."},
		"error=%3Cb%3E&error_description=evil": {403, "without a reason that can be shown"},
		"error=server_error":                   {503, "has a problem just now"},
		"code=x&iss=https%3A%2F%2Fevil.test":   {401, "comes from another issuer"},
		"code=invented":                        {401, "did not accept the answer"},
		"":                                     {401, "did not accept the answer"},
	} {
		to, cookie := r.beginOpenID("")
		u, _ := url.Parse(to)
		a := r.do("GET", "/oidc/callback?"+query+"&state="+u.Query().Get("state"), nil, cookie)
		refusedOpenID(t, query, a, want.status, want.sentence)
		if strings.Contains(a.body, "evil") {
			t.Errorf("%s: the page repeats what the address says", query)
		}
	}
	r.do("GET", "/oidc/callback?code=x", nil, "Sec-Purpose: prefetch").is(503)
	r.do("GET", "/oidc/start", nil, "Sec-Purpose: prefetch").is(503)

	to, cookie := r.beginOpenID("")
	back := i.authorize(to)
	i.mu.Lock()
	i.down = true
	i.mu.Unlock()
	refusedOpenID(t, "down in between", r.do("GET", back, nil, cookie), 503, "can&#39;t be reached just now")
}

func TestOpenID_TheIssuerIsAskedLateAndMustBeItself(t *testing.T) {
	r, i := openIDRig(t, review.RoleReviewer)
	i.down = true
	refusedOpenID(t, "down", r.do("GET", "/oidc/start", nil), 503, "can&#39;t be reached just now")
	i.mu.Lock()
	i.down, i.iss = false, i.srv.URL+"/"
	i.mu.Unlock()
	refusedOpenID(t, "calls itself otherwise", r.do("GET", "/oidc/start", nil), 503, "does not answer as an issuer should")
	i.mu.Lock()
	i.iss = i.srv.URL
	i.mu.Unlock()
	r.beginOpenID("")
}
