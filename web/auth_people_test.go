package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// browserOf signs a person in with a link and returns the cookie.
func (r *rig) browserOf(p review.Person, agent string) header {
	r.t.Helper()
	return cookieOf(r.do("GET", r.link(review.Link{Person: p.ID}), nil, header("User-Agent: "+agent)).is(303))
}

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	iphone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
)

func TestSignIns_ListedAndEnded(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleViewer, "bo")
	laptop, phone := r.browserOf(bo, firefox), r.browserOf(bo, iphone)
	list := func(who header) []signInView {
		return read[signInsView](r.do("GET", apiPrefix+"/people/me/sign-ins", nil, who).is(200)).SignIns
	}
	all := list(laptop)
	if len(all) != 2 || all[0].This == all[1].This {
		t.Fatalf("%+v", all)
	}
	mine, other := all[0], all[1]
	if !mine.This {
		mine, other = other, mine
	}
	if mine.Browser != "Firefox on Linux" || other.Browser != "Safari on iOS" || mine.Via != review.ViaLink || mine.UsedAt == nil || mine.CreatedAt == nil {
		t.Errorf("%+v, %+v", mine, other)
	}
	conn, _, err := r.dial("", phone, header("Origin: "+r.srv.URL))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	b := &browser{rig: r, cookie: laptop}
	b.open("/people/me").sees("#sign-ins li", "Firefox on Linux", "this one").lacks("#remove")
	b.submit(`form[action$="` + other.ID + `/end"]`)
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket is closed with %d", code)
	}
	r.do("GET", "/", nil, phone).is(303)
	r.do("GET", "/", nil, laptop).is(200)
	r.form("/people/me/sign-ins/"+other.ID+"/end", nil, laptop).is(303) // it has ended, as they wanted

	phone = r.browserOf(bo, iphone)
	b.open("/people/me").submit(`form[action$="/sign-ins/end"]`)
	if left := list(laptop); len(left) != 1 || !left[0].This {
		t.Errorf("left are %+v", left)
	}
	r.do("GET", "/", nil, phone).is(303)

	// An owner ends those of others, and nobody else does.
	id := list(laptop)[0].ID
	rae := r.cookie(r.person("Rae", review.RoleApprover, "rae"))
	r.form("/people/"+bo.ID+"/sign-ins/"+id+"/end", nil, header("Cookie: "+rae)).is(403)
	r.do("DELETE", apiPrefix+"/people/"+bo.ID+"/sign-ins", nil, header("Cookie: "+rae), header("Origin: "+r.srv.URL)).is(403)
	r.do("DELETE", apiPrefix+"/people/me/sign-ins/"+id, nil, header("Cookie: "+rae), header("Origin: "+r.srv.URL)).is(404)
	r.do("GET", "/", nil, laptop).is(200)
	r.api("DELETE", "/people/"+bo.ID+"/sign-ins", nil).is(200)
	r.do("GET", "/", nil, laptop).is(303)
}

func TestSignIn_TheCookieIsNewEachTime(t *testing.T) {
	r := newRig(t)
	first := r.browserOf(r.owner, firefox)
	conn, _, err := r.dial("", first, header("Origin: "+r.srv.URL))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	second := cookieOf(r.form("/sign-in", url.Values{"token": {r.token}}, first).is(303))
	if first == second {
		t.Error("the cookie stayed the same")
	}
	r.do("GET", "/", nil, first).is(303)
	r.do("GET", "/", nil, second).is(200)
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket of the sign-in before is closed with %d", code)
	}
}

func TestSignIn_EndsWhenItIsNotUsed(t *testing.T) {
	r := newRig(t, func(c *Config) { c.SignInIdle = time.Hour })
	in := func(used time.Duration) header {
		secret := newSecret()
		r.must(r.db.AddSignIn(context.Background(), HashSecret(secret), review.SignIn{Person: r.owner.ID, UsedAt: time.Now().Add(-used), Expires: time.Now().Add(time.Minute)}))
		return header("Cookie: " + cookieName + "=" + secret)
	}
	r.do("GET", "/", nil, in(61*time.Minute)).is(303) // also where the setting was longer before
	fresh := in(time.Minute)
	if a := r.do("GET", "/", nil, fresh).is(200); len(a.Cookies()) != 0 {
		t.Error("each request writes to the disk")
	}
	used := in(30 * time.Minute)
	a := r.do("GET", "/", nil, used).is(200)
	if cookieOf(a) != used || a.Cookies()[0].MaxAge != 3600 {
		t.Errorf("the cookie is %+v", a.Cookies())
	}
	_, s, err := r.db.SignIn(context.Background(), HashSecret(strings.TrimPrefix(string(used), "Cookie: "+cookieName+"=")))
	if err != nil || time.Until(s.Expires) < 59*time.Minute || time.Since(s.UsedAt) > time.Minute {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTokens_MadeShownOnceAndRevoked(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleReviewer, "bo")
	b := r.browse(bo).open("/people/me").sees("#tokens", "reviewer").lacks("#secret")
	b.submit("#token", "name", "nightly", "role", "viewer", "lasts", "2", "unit", "hours").sees("#secret", "only this once")
	secret := b.text("#secret code")
	if !strings.HasPrefix(secret, "cs_") || len(secret) < 40 {
		t.Fatalf("the token is %q", secret)
	}
	b.open("/people/me").lacks("#secret").sees("#tokens", "nightly", "cs_…"+secret[len(secret)-4:], "never used", "ends in 2 hours")
	r.do("GET", apiPrefix+"/sessions", nil, as(secret)).is(200)
	b.open("/people/me").sees("#tokens", "last used")
	if n := strings.Count(r.log.String(), secret); n != 0 {
		t.Error("the token is in the log")
	}
	r.do("POST", apiPrefix+"/sessions", strings.NewReader(`{"task":"x"}`), as(secret)).is(403) // it is a viewer's
	r.form("/sign-in", url.Values{"token": {secret}}).is(401).says("is for programs")

	_, err := r.db.SetRole(context.Background(), bo.ID, review.RoleViewer)
	r.must(err)
	r.do("POST", apiPrefix+"/sessions", strings.NewReader(`{"task":"x"}`), as("bo")).is(403) // made when they were a reviewer

	conn, _, err := r.dial("", as(secret), header("Origin: "+r.srv.URL))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	b.open("/people/me").submit(`form[action$="/revoke"]:has([aria-label*=nightly])`)
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket is closed with %d", code)
	}
	r.do("GET", apiPrefix+"/sessions", nil, as(secret)).is(401)
}

func TestTokens_WhatCanNotBe(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleReviewer, "bo")
	b := r.browse(bo).open("/people/me")
	for problem, fields := range map[string][]string{
		"#name-problem":  {"name", " "},
		"#role-problem":  {"name", "x", "role", "owner"},
		"#lasts-problem": {"name", "x", "lasts", "9999"},
	} {
		b.open("/people/me").submit("#token", fields...)
		if b.status != http.StatusUnprocessableEntity || b.text(problem) == "" {
			t.Errorf("%v: %d %q", fields, b.status, b.text(problem))
		}
	}
	cookie, own := header("Cookie: "+r.cookie(bo)), header("Origin: "+r.srv.URL)
	for body, field := range map[string]string{`{}`: "name", `{"name":"x"}`: "role", `{"name":"x","role":"approver"}`: "role", `{"name":"x","role":"viewer","days":-1}`: "lasts"} {
		r.do("POST", apiPrefix+"/people/me/tokens", strings.NewReader(body), cookie, own).fails(422, fault.Invalid, field)
	}
	list, err := r.db.Tokens(context.Background(), bo.ID)
	if err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A request that is sent twice makes one token, and its secret is kept nowhere.
func TestTokens_ARepeatedCallDoesNotKeepTheSecret(t *testing.T) {
	r := newRig(t)
	key := header("Idempotency-Key: k")
	for path, body := range map[string]any{"/people/me/tokens": tokenBody{Name: "x", Role: review.RoleViewer}, "/invitations": inviteBody{Role: review.RoleViewer}, "/people/me/link": nil} {
		type secrets struct{ Token, Link, Expires, ID string }
		first := read[secrets](r.api("POST", path, body, key+header(path)).is(201))
		again := read[secrets](r.api("POST", path, body, key+header(path)).is(201))
		if first.Token+first.Link == "" || again.Token+again.Link != "" || first.ID != again.ID {
			t.Errorf("%s: %+v, %+v", path, first, again)
		}
	}
}

func TestInvitations_ListedAndWithdrawn(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner).open("/people").sees("main", "Nobody is invited")
	b.submit("#invite", "role", "approver", "lasts", "3", "unit", "hours")
	link := strings.TrimPrefix(b.text("#invitation code"), r.srv.URL)
	b.open("/people").sees("main", "approver", "by Olivia", "ends in 3 hours")
	b.submit(`form[action$="/withdraw"]`)
	b.open("/people").sees("main", "Nobody is invited")
	r.do("GET", link, nil).is(401).says("has been withdrawn")
	r.form("/join", url.Values{"link": {strings.TrimPrefix(link, "/join?link=")}, "name": {"Eve"}}).is(401)
	for _, fields := range [][]string{{"lasts", "0"}, {"lasts", "x"}, {"lasts", "91", "unit", "days"}} {
		b.open("/people").submit("#invite", fields...)
		if b.status != 422 || b.text("#lasts-problem") == "" {
			t.Errorf("%v: %d", fields, b.status)
		}
	}
	r.api("POST", "/invitations", inviteBody{Role: "king"}).fails(422, fault.Invalid, "role")
	r.api("POST", "/invitations", inviteBody{Role: "viewer", Email: "no address"}).fails(422, fault.Invalid, "email")
	made := read[invitationView](r.api("POST", "/invitations", inviteBody{Role: "viewer", Email: "a@example.com", Days: 2}).is(201))
	if made.Link == "" || made.By != r.owner.ID || time.Until(made.Expires) < 47*time.Hour {
		t.Errorf("%+v", made)
	}
	open := read[invitationsView](r.api("GET", "/invitations", nil).is(200)).Invitations
	if len(open) != 1 || open[0].ID != made.ID || open[0].Link != "" {
		t.Errorf("%+v", open)
	}
	r.form("/join", url.Values{"link": {made.Link[strings.Index(made.Link, "=")+1:]}, "name": {"Ann"}}).is(303)
	r.api("DELETE", "/invitations/"+made.ID, nil).fails(409, fault.Conflict, "")
	r.form("/people/invitations/"+made.ID+"/withdraw", nil, header("Cookie: "+r.cookie(r.owner))).is(409).says("used in the meantime")
}

func TestPeople_R7_RolesChangeAndPeopleGo(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleViewer, "bo")
	cookie := header("Cookie: " + r.cookie(bo))
	owner := r.browse(r.owner)
	owner.open("/people/"+r.owner.ID).submit("#role", "role", "viewer")
	if owner.status != 409 || !strings.Contains(owner.text("#alert"), "only owner") {
		t.Errorf("the last owner: %d %q", owner.status, owner.text("#alert"))
	}
	owner.open("/people/me").lacks("#role").lacks("#remove")
	owner.open("/people/"+bo.ID).submit("#role", "role", "reviewer")
	owner.open("/people/"+bo.ID).sees("header .chip", "reviewer")
	r.form("/sessions", url.Values{"task": {"Say hello"}, "plan": {"on"}}, cookie).is(303) // at once
	sessions := read[sessionsView](r.api("GET", "/sessions", nil)).Sessions

	conn, _, err := r.dial("", cookie, header("Origin: "+r.srv.URL))
	r.must(err)
	defer conn.Close()
	readFrame(t, conn)
	owner.open("/people/" + bo.ID).submit(`form[action$="/remove"]`)
	if code := closeCode(t, conn); code != 1008 {
		t.Errorf("the socket is closed with %d", code)
	}
	r.do("GET", "/", nil, cookie).is(303)
	r.do("GET", apiPrefix+"/sessions", nil, as("bo")).is(401)
	owner.open("/people").sees(".rows", "Olivia")
	if strings.Contains(owner.doc.Find(".rows").First().Text(), "Bo") {
		t.Error("Bo is still on the list")
	}
	owner.open("/sessions/"+sessions[0].ID+"/history").sees("main", "Say hello")
	r.api("GET", "/sessions/"+sessions[0].ID+"/events", nil).says(`"name":"Bo"`)
	r.api("DELETE", "/people/"+r.owner.ID, nil).fails(409, fault.Conflict, "")
	r.api("PUT", "/people/"+bo.ID, roleBody{Role: "viewer"}).fails(404, fault.NotFound, "")
}

func TestPeople_AWayBackIn(t *testing.T) {
	r := newRig(t)
	bo := r.person("Bo", review.RoleViewer, "bo")
	owner := r.browse(r.owner).open("/people/" + bo.ID).submit(`form[action$="/link"]`)
	link := strings.TrimPrefix(owner.text("#way-in code"), r.srv.URL)
	cookie := cookieOf(r.do("GET", link, nil).is(303))
	b := &browser{rig: r, cookie: cookie}
	b.open("/people/me").sees("#sign-ins", "with a link that an owner made")
	b.submit(`form[action$="/link"]`)
	r.do("GET", strings.TrimPrefix(b.text("#way-in code"), r.srv.URL), nil).is(303)
	b.open("/people/me").sees("#sign-ins", "with a sign-in link")
}
