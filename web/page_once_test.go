package web

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"
)

// TestForms_R6_SentAgainActsOnce: a page that got no answer sends a form once
// more, under the same key, perhaps with a newer version in it.
func TestForms_R6_SentAgainActsOnce(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.submit(id, samplePlan)
	path, owner := "/sessions/"+id+"/threads", header("Cookie: "+r.cookie(r.owner))
	comment := func(key, version, body string) answer {
		return r.form(path, url.Values{"version": {version}, "body": {body}}, owner, header("Idempotency-Key: "+key))
	}
	first := comment("k-1", "1", "Why?").is(303)
	again := comment("k-1", "2", "Why?").is(303)
	if first.Header.Get("Location") != again.Header.Get("Location") || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("sent again it answers %v", again.Header)
	}
	comment("k-2", "1", " ").is(422) // nothing was done, so the key is free
	comment("k-2", "1", "And how?").is(303)
	r.form("/sessions/"+id+"/pause", nil, owner, "Idempotency-Key: k-1").is(409)
	if n := len(r.state(id).Threads); n != 2 {
		t.Errorf("%d threads, want 2", n)
	}
}

// TestForms_R6_SentAgainWhileTheFirstIsUnderWay: both get the one answer.
func TestForms_R6_SentAgainWhileTheFirstIsUnderWay(t *testing.T) {
	r := newRig(t)
	began, goOn := make(chan bool), make(chan bool)
	calls := 0
	r.web.echo.POST("/slow", func(c echo.Context) error {
		calls++
		close(began)
		<-goOn
		return c.Redirect(http.StatusSeeOther, "/done")
	})
	owner := header("Cookie: " + r.cookie(r.owner))
	var both sync.WaitGroup
	var answers [2]answer
	both.Go(func() { answers[0] = r.form("/slow", nil, owner, "Idempotency-Key: k") })
	<-began
	both.Go(func() { answers[1] = r.form("/slow", nil, owner, "Idempotency-Key: k") })
	close(goOn)
	both.Wait()
	for _, a := range answers {
		if a.is(http.StatusSeeOther).Header.Get("Location") != "/done" {
			t.Errorf("the answer is %v", a.Header)
		}
	}
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

// TestForms_R6_CutOffWhileTheKeyIsClaimed: the call runs all the same, so that
// who asks again gets its answer.
func TestForms_R6_CutOffWhileTheKeyIsClaimed(t *testing.T) {
	r := newRig(t)
	ctx, cut := context.WithCancel(t.Context())
	cut()
	if _, _, found, err := r.web.server.reserve(ctx, memory{}, r.owner.ID, "k", "POST /"); found || err != nil {
		t.Errorf("found %v, error %v", found, err)
	}
}
