package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
	"countersign/internal/webhook"
)

// hooked is a rig with one webhook, which answers with the status of the day.
type hooked struct {
	*rig
	status atomic.Int32
	got    chan string // events, as they come
}

func newHooked(t *testing.T) *hooked {
	h := &hooked{rig: newRig(t), got: make(chan string, 100)}
	h.status.Store(http.StatusNoContent)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(int(h.status.Load()))
		h.got <- r.Header.Get("Countersign-Event")
	}))
	t.Cleanup(target.Close)
	sender, err := webhook.Start(t.Context(), webhook.Config{Base: h.srv.URL, Targets: []webhook.Target{{
		URL: target.URL + "/a-secret-path", Secret: "a secret of the tests", Events: webhook.All(), Format: webhook.JSON, AllowPrivate: true,
	}}}, h.db, h.web.server.log)
	h.must(err)
	t.Cleanup(sender.Stop)
	h.db.SetOnCommit(func(st planning.State, records []planning.Record) {
		h.hub.Publish(st, records)
		sender.Notice(records)
	})
	h.web.server.cfg.Webhooks = sender
	return h
}

// settled asks the page until it says so: the sender notes what came of a
// message after the target has answered.
func (b *browser) settled(selector, words string) {
	b.t.Helper()
	for range 10_000 {
		if b.open("/webhooks"); strings.Contains(b.text(selector), words) {
			return
		}
	}
	b.t.Fatalf("%s never says %q: %s", selector, words, b.text(selector))
}

func TestWebhooks_TheOwnersPage(t *testing.T) {
	h := newHooked(t)
	b := h.browse(h.owner)
	b.open("/webhooks").sees(".hook .chip", "not used yet").sees(".hook dd", "never").lacks(".held")
	h.status.Store(http.StatusInternalServerError)
	id := h.begin()
	h.submit(id, samplePlan)
	if e := <-h.got; e != "plan_submitted" {
		t.Fatal(e)
	}
	b.settled(".hook .chip", "fails")
	b.sees(".held .what", "A plan was submitted").sees(".held .what", "1 attempt").sees(".held .what", "next attempt").sees(".hook dd", "something is wrong there")
	if body := b.doc.Text(); strings.Contains(body, "secret-path") || strings.Contains(body, "a secret of the tests") {
		t.Error("the page gives a secret away")
	}
	h.status.Store(http.StatusUnauthorized)
	b.submit(`.hook form[action$="/test"]`).sees(".banner.bad", "does not accept who writes")
	<-h.got
	h.status.Store(http.StatusOK)
	b.submit(`.hook form[action$="/test"]`).sees(".banner.ok", "took the test message")
	if e := <-h.got; e != "test" {
		t.Error(e)
	}
	b.open("/webhooks").submit(`.hook form[action$="/retry"]`)
	if e := <-h.got; e != "plan_submitted" {
		t.Error(e)
	}
	b.settled(".hook .chip", "works")
	b.lacks(".held").lacks(".lost-list")
}

func TestWebhooks_GiveUpAndSwitchOnAgain(t *testing.T) {
	h := newHooked(t)
	b := h.browse(h.owner)
	h.status.Store(http.StatusBadGateway)
	id := h.begin()
	h.submit(id, samplePlan)
	<-h.got
	b.settled(".hook .chip", "fails")
	b.submit(`.held form`).lacks(".held").sees(".lost-list .what", "given up by Olivia")
	h.status.Store(http.StatusGone)
	h.submit(h.begin(), samplePlan)
	<-h.got
	b.settled(".hook .chip", "switched off")
	h.status.Store(http.StatusOK)
	b.submit(`.hook form[action$="/retry"]`)
	<-h.got
	b.settled(".hook .chip", "works")
}

func TestWebhooks_R7_ForOwnersOnly(t *testing.T) {
	h := newHooked(t)
	v := h.browse(h.person("Vera", review.RoleApprover, "vera"))
	v.load("/webhooks")
	if v.status != http.StatusForbidden {
		t.Errorf("status %d", v.status)
	}
	none := newRig(t)
	none.browse(none.owner).open("/webhooks").sees(".empty h2", "No webhooks")
}
