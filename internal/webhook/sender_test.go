package webhook_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
		if got := ids(site.got()); got != "a.3 b.2 a.4" {
			t.Errorf("after the restart it got %s", got)
		}
		if p := progress(t, store, site.target()); !p.Failing.IsZero() || p.GivenUp != 0 {
			t.Errorf("progress: %+v", p)
		}
	})
}

// What a target has got, but not acknowledged when the server was killed, it
// gets again under the same id; what it acknowledged, it does not.
func TestWebhook_S4_KilledInTheMiddle(t *testing.T) {
	site := newSite(t)
	arrived := make(chan bool, 1)
	site.answers(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Countersign-Delivery") == "a.3" {
			arrived <- true
			<-r.Context().Done()
		}
	})
	path := filepath.Join(t.TempDir(), "countersign.db")
	store := openAt(t, path)
	s, _ := begin(t, store, site.target())
	record(t, store, "a", submitted(1), submitted(2), submitted(3))
	<-arrived
	left := onDisk(t, path)
	s.Stop()
	before := site.got()
	site.answers(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Countersign-Delivery") == "a.4" {
			arrived <- true
		}
	})
	begin(t, openAt(t, left), site.target())
	<-arrived
	after := site.got()
	if ids(before) != "a.2 a.3" || ids(after) != "a.3 a.4" || string(before[1].body) != string(after[0].body) {
		t.Errorf("before %s, after %s", ids(before), ids(after))
	}
}

// onDisk is a copy of the database as a killed server would leave it.
func onDisk(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
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
		if p := progress(t, store, dead.target()); p.Failing.IsZero() || p.Trouble != webhook.Refused {
			t.Errorf("the dead one: %+v", p)
		}
		if waits, err := dead.target().Waiting(t.Context(), store, progress(t, store, dead.target())); err != nil || waits != 20 {
			t.Errorf("%d wait for it, %v", waits, err)
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
