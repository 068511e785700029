package web

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"

	"github.com/go-jose/go-jose/v4"
)

// openIDRig is the web with an issuer.
func openIDRig(t *testing.T, role review.Role) (*rig, *testIssuer) {
	t.Helper()
	i := newIssuer(t)
	r := newRig(t, func(c *Config) {
		c.OpenID = OpenID{Issuer: i.srv.URL, ClientID: "plans", Secret: "client-secret", Role: role}
	})
	return r, i
}

// beginOpenID begins a sign-in and returns the address at the issuer and the
// cookie that binds it to the browser.
func (r *rig) beginOpenID(query string, headers ...header) (string, header) {
	r.t.Helper()
	a := r.do("GET", openIDRoute+query, nil, headers...).is(303)
	for _, c := range a.Cookies() {
		if c.Name == openIDCookie {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/oidc" || c.MaxAge != 600 || c.Domain != "" {
				r.t.Errorf("the cookie is %+v", c)
			}
			return a.Header.Get("Location"), header("Cookie: " + c.Name + "=" + c.Value)
		}
	}
	r.t.Fatal("no cookie")
	return "", ""
}

// refusedOpenID checks that nobody was signed in and that the page says why.
func refusedOpenID(t *testing.T, what string, a answer, status int, sentence string) {
	t.Helper()
	if a.StatusCode != status || !strings.Contains(a.body, sentence) || !strings.Contains(a.body, "<h1>Sign in</h1>") {
		t.Errorf("%s: status %d, want %d with %q\n%s", what, a.StatusCode, status, sentence, a.body)
	}
	for _, c := range a.Cookies() {
		if c.Name == cookieName && c.Value != "" {
			t.Errorf("%s: somebody was signed in", what)
		}
	}
}

func TestOpenID_FirstTimeAndAgain(t *testing.T) {
	r, i := openIDRig(t, review.RoleReviewer)
	r.do("GET", "/sign-in?next=/new", nil).says("Sign in with 127.0.0.1").says("/oidc/start?next=%2Fnew")
	for n, name := range []string{"Ida", "Ida, renamed since"} {
		i.says("name", name)
		if n == 1 {
			i.elliptic() // the issuer's keys change, too
		}
		to, cookie := r.beginOpenID("?next=/new")
		q, _ := url.Parse(to)
		if v := q.Query(); v.Get("code_challenge_method") != "S256" || v.Get("nonce") == "" || v.Get("state") == "" ||
			v.Get("redirect_uri") != r.srv.URL+"/oidc/callback" || v.Get("scope") != "openid profile email" || v.Get("response_type") != "code" {
			t.Errorf("the issuer is asked for %v", v)
		}
		a := r.do("GET", i.authorize(to), nil, cookie).is(303)
		if a.Header.Get("Location") != "/new" {
			t.Errorf("leads to %s", a.Header.Get("Location"))
		}
		r.do("GET", "/new", nil, cookieOf(a)).is(200)
	}
	people, err := r.db.People(context.Background())
	r.must(err)
	if len(people) != 2 || people[1].Name != "Ida" || people[1].Role != review.RoleReviewer {
		t.Errorf("people are %+v", people)
	}
	for _, secret := range []string{"client-secret", "access", i.seen[0].Get("code_verifier"), i.seen[0].Get("code")} {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}

func TestOpenID_WhoIsNotInvitedIsToldWhomToAsk(t *testing.T) {
	r, i := openIDRig(t, "")
	come := func() answer {
		to, cookie := r.beginOpenID("")
		return r.do("GET", i.authorize(to), nil, cookie)
	}
	refusedOpenID(t, "unknown", come(), 401, "Your account is not known here. Ask Olivia for an invitation.")
	i.says("email", "ida@example.com")
	link := review.Link{Hash: "h", Role: review.RoleApprover, Email: "ida@example.com", CreatedBy: r.owner.ID, Expires: time.Now().Add(time.Hour)}
	r.must(r.db.AddLink(context.Background(), link))
	for _, unverified := range []any{nil, false, "false", "yes"} {
		i.says("email_verified", unverified)
		refusedOpenID(t, "an address that nobody verified", come(), 401, "not known here")
	}
	i.says("email_verified", "true")
	r.do("GET", "/new", nil, cookieOf(come().is(303))).is(200)
	people, err := r.db.People(context.Background())
	r.must(err)
	if len(people) != 2 || people[1].Role != review.RoleApprover {
		t.Fatalf("people are %+v", people)
	}
	i.says("sub", "subject-2")
	refusedOpenID(t, "somebody else under the same address", come(), 401, "Your account (ida@example.com) is not known here.")
	i.says("sub", "subject-1")
	_, err = r.db.RemovePerson(context.Background(), people[1].ID)
	r.must(err)
	refusedOpenID(t, "who was removed", come(), 401, "not known here")
}

func TestOpenID_WithAnInvitationsLink(t *testing.T) {
	r, i := openIDRig(t, "")
	link := r.link(review.Link{Role: review.RoleViewer, CreatedBy: r.owner.ID})
	r.do("GET", link, nil).is(200).says("Join with 127.0.0.1")
	come := func() answer {
		to, cookie := r.beginOpenID(strings.TrimPrefix(link, "/join"))
		return r.do("GET", i.authorize(to), nil, cookie)
	}
	come().is(303)
	i.says("sub", "subject-2")
	refusedOpenID(t, "the spent link", come(), 401, "has been used already")
	r.do("GET", link, nil).is(401).says("has been used already")
}

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

func TestOpenID_FailuresAreRateLimited(t *testing.T) {
	r, _ := openIDRig(t, review.RoleReviewer)
	for range failBurst {
		r.do("GET", "/oidc/callback?code=x&state=y", nil).is(401)
	}
	r.do("GET", "/oidc/callback?code=x&state=y", nil).is(429)
	r.do("GET", "/oidc/start", nil).is(429)
}

func TestOpenID_ConnectsAnAccount(t *testing.T) {
	r, i := openIDRig(t, "")
	mine := r.cookie(r.owner)
	r.do("GET", "/people/me", nil, header("Cookie: "+mine)).says("Connect your account")
	connect := "?connect=1"
	for _, from := range []header{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: none", "Referer: http://evil.example/", "X: 1"} {
		r.do("GET", openIDRoute+connect, nil, header("Cookie: "+mine), from).is(403)
	}
	r.do("GET", openIDRoute+connect, nil, r.bearer(), "Sec-Fetch-Site: same-origin").is(403)
	r.do("GET", openIDRoute+connect, nil, "Sec-Fetch-Site: same-origin").is(303) // to the sign-in page

	to, bound := r.beginOpenID(connect, header("Cookie: "+mine), "Sec-Fetch-Site: same-origin")
	both := func(signIn string) header {
		return header("Cookie: " + signIn + "; " + strings.TrimPrefix(string(bound), "Cookie: "))
	}
	bo := r.person("Bo", review.RoleViewer, "bo")
	r.do("GET", i.authorize(to), nil, both(r.cookie(bo))).is(409).says("Somebody else is signed in")

	to, bound = r.beginOpenID(connect, header("Cookie: "+mine), "Sec-Fetch-Site: same-origin")
	if at := r.do("GET", i.authorize(to), nil, both(mine)).is(303).Header.Get("Location"); at != "/people/me" {
		t.Errorf("leads to %s", at)
	}
	r.do("GET", "/people/me", nil, header("Cookie: "+mine)).says("You can sign in with your account there.")
	to, bound = r.beginOpenID("")
	a := r.do("GET", i.authorize(to), nil, bound).is(303)
	r.do("GET", "/people/me", nil, cookieOf(a)).is(200).says("OL") // the owner's initials
	bos := r.cookie(bo)
	to, bound = r.beginOpenID(connect, header("Cookie: "+bos), "Sec-Fetch-Site: same-origin")
	r.do("GET", i.authorize(to), nil, both(bos)).is(409).says("is the one of Olivia already")
}

func TestOpenID_WithoutAnIssuer(t *testing.T) {
	r := newRig(t)
	r.do("GET", "/oidc/start", nil).is(404)
	r.do("GET", "/oidc/callback", nil).is(404)
	if strings.Contains(r.do("GET", "/sign-in", nil).body, "/oidc/") {
		t.Error("the sign-in page offers an issuer")
	}
}
