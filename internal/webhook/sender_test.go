package webhook_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/planning"
	"countersign/internal/webhook"
)

func TestWebhook_S1_EachSessionInTheOrderOfItsLog(t *testing.T) {
	all, some := newSite(t), newSite(t)
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		record(t, store, "old", submitted(1)) // before anybody listened
		few := some.target()
		few.Events = []webhook.Event{webhook.Done, webhook.Failed}
		begin(t, store, all.target(), few)
		var want, wantSome []string
		for i := range 60 {
			session := fmt.Sprint("s", i%3)
			record(t, store, session, by(ada, planning.UserMessage{Text: "hello"}), submitted(i/3+1), by(planning.System, planning.RunFailed{Message: private}))
			seq := 3*(i/3) + 3
			want = append(want, fmt.Sprintf("%s.%d", session, seq), fmt.Sprintf("%s.%d", session, seq+1))
			wantSome = append(wantSome, fmt.Sprintf("%s.%d", session, seq+1))
		}
		synctest.Wait()
		if got := ids(all.got()); got != strings.Join(want, " ") {
			t.Errorf("got  %s\nwant %s", got, strings.Join(want, " "))
		}
		if got := ids(some.got()); got != strings.Join(wantSome, " ") {
			t.Errorf("of two events got  %s\nwant %s", got, strings.Join(wantSome, " "))
		}
	})
}

func TestWebhook_S4_RestartInBetween(t *testing.T) {
	site := newSite(t)
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "countersign.db")
		store := openAt(t, path)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		synctest.Wait()
		site.answers(status(http.StatusInternalServerError))
		record(t, store, "a", submitted(2), submitted(3))
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := site.got(); len(got) < 5 || got[0].message.ID != "a.2" || got[4].message.ID != "a.3" {
			t.Fatalf("before the restart it got %s", ids(got))
		}
		failing := progress(t, store, site.target()).Failing
		s.Stop()
		record(t, store, "b", submitted(1)) // nobody was there to tell of it
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		site.answers(nil)
		store = openAt(t, path)
		if got := progress(t, store, site.target()).Failing; got.IsZero() || !got.Equal(failing) {
			t.Errorf("it fails since %v, after the restart since %v", failing, got)
		}
		begin(t, store, site.target())
		synctest.Wait()
		if got := ids(site.got()); got != "a.3 a.4 b.2" {
			t.Errorf("after the restart it got %s", got)
		}
		if p := progress(t, store, site.target()); !p.Failing.IsZero() || p.GivenUp != 0 {
			t.Errorf("progress: %+v", p)
		}
	})
}

// What a target has got, but not acknowledged when the server went down, it
// gets again under the same id.
func TestWebhook_S4_CutOffIsSentAgain(t *testing.T) {
	site := newSite(t)
	arrived := make(chan bool, 1)
	site.answers(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
	})
	path := filepath.Join(t.TempDir(), "countersign.db")
	store := openAt(t, path)
	target := site.target()
	s, _ := begin(t, store, target)
	record(t, store, "a", submitted(1))
	<-arrived
	s.Stop()
	before := site.got()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	site.answers(func(w http.ResponseWriter, _ *http.Request) { arrived <- true })
	begin(t, openAt(t, path), target)
	<-arrived
	after := site.got()
	if ids(before) != "a.2" || ids(after) != "a.2" || string(before[0].body) != string(after[0].body) ||
		after[0].Get("Countersign-Delivery") != "a.2" {
		t.Errorf("before %s, after %s", ids(before), ids(after))
	}
}

func TestWebhook_ADeadTargetHoldsNobodyUp(t *testing.T) {
	live, dead := newSite(t), newSite(t)
	dead.Close()
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		begin(t, store, dead.target(), live.target())
		for i := range 20 {
			record(t, store, "a", submitted(i+1))
		}
		synctest.Wait() // the clock stands still
		if got := live.got(); len(got) != 20 {
			t.Errorf("the live one got %d of 20", len(got))
		}
		if p := progress(t, store, dead.target()); p.Failing.IsZero() || p.Place != 0 {
			t.Errorf("the dead one: %+v", p)
		}
		if waits, err := dead.target().Waiting(t.Context(), store, progress(t, store, dead.target())); err != nil || waits != "20" {
			t.Errorf("%s wait for it, %v", waits, err)
		}
	})
}

// The time limit is real here: nothing but it ends the slow one's attempt.
func TestWebhook_ASlowTargetHoldsNobodyUp(t *testing.T) {
	live, slow := newSite(t), newSite(t)
	hangs, cut, came := make(chan bool, 9), make(chan bool, 9), make(chan bool, 9)
	slow.answers(func(_ http.ResponseWriter, r *http.Request) {
		hangs <- true
		<-r.Context().Done()
		cut <- true
	})
	live.answers(func(http.ResponseWriter, *http.Request) { came <- true })
	store := newDB(t)
	begin(t, store, slow.target(), live.target())
	record(t, store, "a", submitted(1))
	<-hangs
	<-came
	record(t, store, "a", submitted(2))
	<-came
	<-cut
	if got := ids(slow.got()); got != "a.2" {
		t.Errorf("the slow one got %s", got)
	}
}

func TestWebhook_AnAnswerWithoutEndIsNotRead(t *testing.T) {
	site := newSite(t)
	site.answers(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush() // 200, and then nothing more
		<-r.Context().Done()
	})
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		begin(t, store, site.target())
		record(t, store, "a", submitted(1), submitted(2))
		synctest.Wait()
		if got := ids(site.got()); got != "a.2 a.3" {
			t.Errorf("got %s", got)
		}
	})
}

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
	for _, code := range []int{301, 302, 303, 307, 308} {
		site, other := newSite(t), newSite(t)
		for _, to := range []string{other.URL, site.URL + "/elsewhere"} {
			site.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) })
			synctest.Test(t, func(t *testing.T) {
				store := newDB(t)
				begin(t, store, site.target())
				record(t, store, "a", submitted(1))
				synctest.Wait()
				if here, there := len(site.got()), len(other.got()); here != 1 || there != 0 {
					t.Errorf("%s: %d requests here, %d there", strconv.Itoa(code), here, there)
				}
				if progress(t, store, site.target()).Failing.IsZero() {
					t.Errorf("%d counts as taken", code)
				}
			})
		}
	}
}
