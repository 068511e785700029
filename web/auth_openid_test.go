package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"
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
	refusedOpenID(t, "unknown", come(), 401, "Your account (127.0.0.1) is not known here. Ask an owner of this server for an invitation: Olivia.")
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
