package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWebhook_RetriesLessAndLessOften(t *testing.T) {
	site := newSite(t)
	site.answers(status(http.StatusBadGateway))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		time.Sleep(12 * time.Hour)
		synctest.Wait()
		letters := site.got()
		if len(letters) < 18 || len(letters) > 28 {
			t.Fatalf("%d attempts in twelve hours", len(letters))
		}
		want := 5.0
		for i := 1; i < len(letters); i++ {
			gap := float64(letters[i].sent(t) - letters[i-1].sent(t))
			if gap < 0.8*want-1 || gap > 1.2*want+1 {
				t.Errorf("attempt %d came after %v s; about %v would do", i+1, gap, want)
			}
			want = min(2*want, 3600)
		}
		site.answers(nil)
		time.Sleep(2 * time.Hour)
		if got := ids(site.got()); got != "a.2" {
			t.Errorf("once it works it got %s", got)
		}
		site.answers(status(http.StatusBadGateway))
		record(t, store, "a", submitted(2))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(site.got()); n != 2 {
			t.Errorf("%d attempts in the first ten seconds of a new failure", n)
		}
	})
}

func TestWebhook_GivesUpAfterADay(t *testing.T) {
	site := newSite(t)
	site.answers(status(http.StatusInternalServerError))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		_, log := begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		time.Sleep(20 * time.Hour)
		record(t, store, "a", submitted(2))
		time.Sleep(4*time.Hour - time.Minute)
		synctest.Wait()
		if p := progress(t, store, site.target()); p.GivenUp != 0 {
			t.Errorf("given up before a day is over: %+v", p)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if p := progress(t, store, site.target()); p.GivenUp != 1 || !strings.Contains(log.String(), "given_up=1") || strings.Contains(log.String(), site.URL) {
			t.Errorf("%+v, log: %s", p, log)
		}
		if last := site.got(); last[len(last)-1].message.ID != "a.3" {
			t.Errorf("the next one is not tried: %s", ids(last))
		}
		time.Sleep(20 * time.Hour)
		record(t, store, "a", submitted(3))
		site.answers(nil)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := ids(site.got()); !strings.HasSuffix(got, "a.4") || progress(t, store, site.target()).GivenUp != 2 {
			t.Errorf("got %s, %+v", got, progress(t, store, site.target()))
		}
	})
}

func TestWebhook_429WaitsAsLongAsItIsAsked(t *testing.T) {
	for _, after := range []string{"600", "Sat, 01 Jan 2000 00:10:00 GMT"} {
		site := newSite(t)
		site.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		synctest.Test(t, func(t *testing.T) {
			store := newDB(t)
			begin(t, store, site.target())
			record(t, store, "a", submitted(1))
			time.Sleep(9*time.Minute + 50*time.Second)
			synctest.Wait()
			if n := len(site.got()); n != 1 {
				t.Errorf("Retry-After: %s: %d attempts before the time", after, n)
			}
			site.answers(nil)
			time.Sleep(20 * time.Second)
			synctest.Wait()
			if got := ids(site.got()); got != "a.2" {
				t.Errorf("Retry-After: %s: then it got %q", after, got)
			}
		})
	}
}

func TestWebhook_410SwitchesTheTargetOff(t *testing.T) {
	site := newSite(t)
	site.answers(status(http.StatusGone))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, log := begin(t, store, site.target())
		record(t, store, "a", submitted(1), submitted(2))
		time.Sleep(100 * time.Hour)
		if got := ids(site.got()); got != "a.2" || !strings.Contains(log.String(), "switched off") {
			t.Errorf("got %s, log: %s", got, log)
		}
		s.Stop()
		site.answers(nil)
		s, _ = begin(t, store, site.target())
		record(t, store, "a", submitted(3))
		time.Sleep(100 * time.Hour)
		if got := ids(site.got()); got != "" || !progress(t, store, site.target()).Gone {
			t.Errorf("after a restart it got %s", got)
		}
		s.Stop()
		s, _ = begin(t, store) // left out for one start
		s.Stop()
		begin(t, store, site.target())
		record(t, store, "a", submitted(4))
		synctest.Wait()
		if got := ids(site.got()); got != "a.5" {
			t.Errorf("switched on again it got %q", got)
		}
	})
}

func TestWebhook_NoRedirectIsFollowed(t *testing.T) {
	site, other := newSite(t), newSite(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		site.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, code) })
		synctest.Test(t, func(t *testing.T) {
			store := newDB(t)
			begin(t, store, site.target())
			record(t, store, "a", submitted(1))
			synctest.Wait()
			if here, there := len(site.got()), len(other.got()); here != 1 || there != 0 {
				t.Errorf("%d: %d requests here, %d there", code, here, there)
			}
			if progress(t, store, site.target()).Failing.IsZero() {
				t.Errorf("%d counts as taken", code)
			}
		})
	}
}
