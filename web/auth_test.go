package web

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"
)

// link makes a link and returns its address on this server.
func (r *rig) link(l review.Link) string {
	r.t.Helper()
	path, err := NewLink(context.Background(), r.db, l)
	r.must(err)
	return path
}

// cookieOf returns the cookie that an answer sets, as a browser sends it back.
func cookieOf(a answer) header {
	a.t.Helper()
	for _, c := range a.Cookies() {
		if c.Name == cookieName && c.Value != "" {
			return header("Cookie: " + c.Name + "=" + c.Value)
		}
	}
	a.t.Fatalf("%s sets no cookie", a.what)
	return ""
}

func TestSignIn_LinkWorksOnce(t *testing.T) {
	r := newRig(t)
	link := r.link(review.Link{Person: r.owner.ID})
	// None of these is a person who opens it.
	r.do("HEAD", link, nil).is(503)
	r.do("GET", link, nil, "Sec-Purpose: prefetch").is(503)
	r.do("GET", link, nil, "Sec-Purpose: prefetch;prerender").is(503)
	r.do("GET", link, nil, "Purpose: prefetch").is(503)

	a := r.do("GET", link, nil).is(303)
	if a.Header.Get("Location") != "/" {
		t.Errorf("leads to %s", a.Header.Get("Location"))
	}
	c := a.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge < 3600 {
		t.Errorf("the cookie is %+v", c)
	}
	r.do("GET", apiPrefix+"/sessions", nil, cookieOf(a)).is(200)
	again := r.do("GET", link, nil).is(401).says("has been used already")
	if len(again.Cookies()) != 0 {
		t.Error("a used link signs in")
	}
	if strings.Contains(r.log.String(), strings.TrimPrefix(link, "/sign-in?link=")) {
		t.Error("the secret is in the log")
	}
}

func TestSignIn_CookieIsSecureOverTLS(t *testing.T) {
	r := newRig(t)
	for _, tls := range []*tls.ConnectionState{nil, {}} {
		req := httptest.NewRequest("GET", "/", nil)
		req.TLS = tls
		c := r.web.server.cookie(r.web.echo.NewContext(req, nil), "x", 1)
		if c.Secure != (tls != nil) {
			t.Errorf("with TLS %v the cookie is secure: %v", tls != nil, c.Secure)
		}
	}
}

func TestSignIn_ExpiredAndUnknownLinks(t *testing.T) {
	r := newRig(t)
	old := r.link(review.Link{Person: r.owner.ID, CreatedAt: time.Now().Add(-2 * time.Hour), Expires: time.Now().Add(-time.Hour)})
	r.do("GET", old, nil).is(401)
	r.do("GET", "/sign-in?link=nonsense", nil).is(401)
	r.do("GET", "/join?link=nonsense", nil).is(401)
	// A sign-in link is no invitation.
	mine := r.link(review.Link{Person: r.owner.ID})
	r.do("GET", strings.Replace(mine, "/sign-in", "/join", 1), nil).is(401)
	r.do("GET", mine, nil).is(303)
}

func TestSignIn_NextStaysHere(t *testing.T) {
	r := newRig(t)
	for next, want := range map[string]string{
		"/sessions/x/plan?version=2": "/sessions/x/plan?version=2",
		"":                           "/",
		"//evil.example":             "/",
		"/\\evil.example":            "/",
		"https://evil.example/":      "/",
		"evil.example":               "/",
		"javascript:alert(1)":        "/",
		"/\t/evil.example":           "/",
		"/sign-in?next=/x":           "/",
	} {
		link := r.link(review.Link{Person: r.owner.ID}) + "&next=" + url.QueryEscape(next)
		if to := r.do("GET", link, nil).is(303).Header.Get("Location"); to != want {
			t.Errorf("%q leads to %q, want %q", next, to, want)
		}
		a := r.form("/sign-in", url.Values{"token": {r.token}, "next": {next}}).is(303)
		if to := a.Header.Get("Location"); to != want {
			t.Errorf("with a token %q leads to %q, want %q", next, to, want)
		}
	}
}

func TestSignIn_WithToken(t *testing.T) {
	r := newRig(t)
	a := r.form("/sign-in", url.Values{"token": {" " + r.token + " "}}).is(303)
	r.do("GET", apiPrefix+"/sessions", nil, cookieOf(a)).is(200)
	r.form("/sign-in", url.Values{"token": {"wrong"}}).is(401).says("not valid")
	r.form("/sign-in", url.Values{"token": {r.token}}, "Origin: http://evil.example").is(403)
	r.form("/sign-in", url.Values{"token": {r.token}}, "Origin:").is(403)
}

func TestJoin_InvitationMakesAPerson(t *testing.T) {
	r := newRig(t)
	link := r.link(review.Link{Role: review.RoleReviewer, CreatedBy: r.owner.ID})
	secret := strings.TrimPrefix(link, "/join?link=")
	r.do("GET", link, nil).is(200)
	// Opened under the other address it leads to the form.
	if to := r.do("GET", "/sign-in?link="+secret, nil).is(303).Header.Get("Location"); !strings.HasPrefix(to, "/join?link=") {
		t.Errorf("leads to %s", to)
	}
	join := func(name string) answer { return r.form("/join", url.Values{"link": {secret}, "name": {name}}) }
	join("  ").is(422).says("say your name")
	join(strings.Repeat("x", 61)).is(422)
	join("Ma\u202enu").is(422)
	join("olivia").is(409) // the owner's, but for case; the invitation stays good
	a := join("Manu").is(303)
	r.do("GET", apiPrefix+"/sessions", nil, cookieOf(a)).is(200)
	join("Nora").is(401).says("has been used")
	people, err := r.db.People(context.Background())
	r.must(err)
	if len(people) != 2 || people[1].Name != "Manu" || people[1].Role != review.RoleReviewer {
		t.Errorf("people are %+v", people)
	}
}

func TestSignOut_EndsTheSignInAndItsSockets(t *testing.T) {
	r := newRig(t)
	cookie := header("Cookie: " + r.cookie(r.owner))
	origin := header("Origin: " + r.srv.URL)
	conn, _, err := r.dial("", cookie, origin)
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	r.do("POST", "/sign-out", nil, cookie, origin).is(303)
	r.do("GET", apiPrefix+"/sessions", nil, cookie).is(401)
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket is closed with %d", code)
	}
}

func TestSignIn_FailuresAreRateLimited(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.web.server.attempts = newAttempts(func() time.Time { return now })
	guess := func(token string) answer { return r.do("GET", apiPrefix+"/sessions", nil, as(token)) }
	for range failBurst {
		guess("wrong").is(401)
	}
	guess("wrong").is(429)
	guess(r.token).is(429) // or a right guess would be told from a wrong one
	r.form("/sign-in", url.Values{"token": {r.token}}).is(429)
	r.do("GET", "/sign-in?link=x", nil).is(429)
	r.do("GET", "/join?link=x", nil).is(429)
	r.do("GET", apiPrefix+"/sessions", nil, header("Cookie: "+r.cookie(r.owner))).is(200) // who is in, stays in
	now = now.Add(failEvery)
	guess(r.token).is(200)
	guess("wrong").is(401)
	guess("wrong").is(429)
}

func TestAttempts_ByAddressAndInAll(t *testing.T) {
	now := time.Now()
	a := newAttempts(func() time.Time { return now })
	for range failBurst {
		a.failed("[2001:db8::1]:1000")
	}
	if a.check("[2001:db8::ffff]:1") == nil {
		t.Error("another address of the same network may go on")
	}
	if a.check("192.0.2.1:1") != nil {
		t.Error("somebody else has to wait")
	}
	for i := range failBurstAll {
		a.failed("192.0.2." + string(rune('0'+i%10)) + ":1")
	}
	if a.check("198.51.100.1:1") == nil {
		t.Error("there is no limit for all of them together")
	}
}
