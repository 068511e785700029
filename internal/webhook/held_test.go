package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/webhook"
)

// refuses answers 500 to the messages of one session.
func refuses(session string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Countersign-Delivery"), session+".") {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

func view(t *testing.T, s *webhook.Sender) webhook.View {
	t.Helper()
	all, err := s.Views(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestWebhook_AMessageHoldsUpItsOwnSessionOnly(t *testing.T) {
	site := newSite(t)
	site.answers(refuses("a"))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1), submitted(2))
		record(t, store, "b", submitted(1), submitted(2))
		synctest.Wait() // the clock stands still
		if got := ids(site.got()); got != "a.2 b.2 b.3" {
			t.Errorf("at once it got %s", got)
		}
		v := view(t, s)
		if len(v.Held) != 2 || v.Waiting != 2 || v.Held[0].Tries != 1 || v.Held[1].Tries != 0 || v.Held[0].Event() != webhook.PlanSubmitted || v.Progress.Delivered.IsZero() {
			t.Errorf("%+v", v)
		}
		if code, is := v.Held[0].Trouble.Status(); code != 500 || !is {
			t.Errorf("the trouble is %q", v.Held[0].Trouble)
		}
		time.Sleep(time.Hour)
		record(t, store, "b", submitted(3))
		record(t, store, "a", submitted(3))
		synctest.Wait()
		got := ids(site.got())
		if !strings.HasSuffix(got, "b.4") || strings.Contains(got, "a.3") || strings.Contains(got, "a.4") {
			t.Errorf("an hour later it got %s", got)
		}
		site.answers(nil)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := ids(site.got()); got != "a.2 a.3 a.4" {
			t.Errorf("once it works it got %s", got)
		}
		if v := view(t, s); v.Waiting != 0 || len(v.Held) != 0 || v.Progress.GivenUp != 0 {
			t.Errorf("%+v", v)
		}
	})
}

func TestWebhook_WhatIsGivenUpIsOnRecord(t *testing.T) {
	site := newSite(t)
	site.answers(refuses("a"))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1), submitted(2), submitted(3))
		synctest.Wait()
		id, first := site.target().ID(), view(t, s).Held[0]
		if err := s.GiveUp(t.Context(), id, first.Place, "Olivia"); err != nil {
			t.Fatal(err)
		}
		if err := s.GiveUp(t.Context(), id, first.Place, "Otto"); !fault.Is(err, fault.NotFound) {
			t.Errorf("twice: %v", err)
		}
		synctest.Wait()
		if got := ids(site.got()); got != "a.2 a.3" {
			t.Errorf("it got %s", got)
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		v := view(t, s)
		if len(v.Held) != 0 || v.Progress.GivenUp != 3 || len(v.Lost) != 3 {
			t.Fatalf("%+v", v)
		}
		if l := v.Lost[2]; l.By != "Olivia" || l.Seq != 2 || v.Lost[1].By != "" || v.Lost[1].Seq != 3 || v.Lost[1].Tries < 20 || v.Lost[0].Tries != 1 {
			t.Errorf("%+v", v.Lost)
		}
		s.Stop()
		if s, _ = begin(t, store, site.target()); len(view(t, s).Lost) != 3 {
			t.Error("a restart forgets it")
		}
	})
}

func TestWebhook_TriedAgainAtOnceWhenTheOwnerSays(t *testing.T) {
	site := newSite(t)
	site.answers(status(http.StatusInternalServerError))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		time.Sleep(10 * time.Hour)
		site.answers(nil)
		site.got()
		if err := s.Retry(t.Context(), site.target().ID()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := ids(site.got()); got != "a.2" {
			t.Errorf("it got %q", got)
		}
		site.answers(status(http.StatusGone))
		record(t, store, "a", submitted(2))
		synctest.Wait()
		site.got()
		site.answers(nil)
		if err := s.Retry(t.Context(), site.target().ID()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := ids(site.got()); got != "a.3" || view(t, s).Progress.Gone {
			t.Errorf("switched on again it got %q", got)
		}
		if err := s.Retry(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}

func TestWebhook_ATestMessageGoesPastTheOthers(t *testing.T) {
	site := newSite(t)
	site.answers(refuses("a"))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		synctest.Wait()
		site.got()
		if trouble, err := s.Test(t.Context(), site.target().ID()); trouble != "" || err != nil {
			t.Errorf("%q, %v", trouble, err)
		}
		if l := site.got(); len(l) != 1 || l[0].message.Event != webhook.Test || l[0].Get("Countersign-Signature") == "" || l[0].message.Session.ID != "" {
			t.Errorf("%+v", l)
		}
		site.answers(status(http.StatusTeapot))
		if trouble, err := s.Test(t.Context(), site.target().ID()); trouble != "status 418" || err != nil {
			t.Errorf("%q, %v", trouble, err)
		}
		if v := view(t, s); v.Waiting != 1 {
			t.Errorf("%d wait", v.Waiting)
		}
	})
}

// Done is the end of a piece of work, not of each answer.
func TestWebhook_DoneIsTheEndOfAPieceOfWork(t *testing.T) {
	ends, ask := by(planning.System, planning.RunFinished{}), by(ada, planning.UserMessage{Text: "why?"})
	site := newSite(t)
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		target := site.target()
		target.Events = []webhook.Event{webhook.Done}
		beginWith(t, store, io.Discard, target)
		for _, step := range []struct {
			events []planning.Event
			told   bool
		}{
			{[]planning.Event{by(ada, planning.RunFinished{})}, false}, // planning was left
			{[]planning.Event{ask, ends}, false},
			{[]planning.Event{submitted(1), decided(1, planning.VerdictApprove), ends}, true},
			{[]planning.Event{ask, ends}, false},
			{[]planning.Event{ask, by(agent, planning.FileChanged{Path: "a"}), ends}, true},
			{[]planning.Event{ask, by(agent, planning.PermissionAsked{ID: "p"}), by(ada, planning.PermissionAnswered{ID: "p", Answer: planning.AnswerOnce}), ends}, true},
			{[]planning.Event{ask, ends, ask, ends}, false},
		} {
			record(t, store, "a", step.events...)
			synctest.Wait()
			if got := site.got(); (len(got) == 1) != step.told || len(got) > 1 {
				t.Errorf("%d messages of %+v", len(got), step)
			}
		}
		record(t, store, "b", ends) // the task itself, also when it was a question
		synctest.Wait()
		if got := ids(site.got()); got != "b.2" {
			t.Errorf("of a task that was done at once it got %q", got)
		}
	})
}

// What tells nothing does not stand among the messages that wait either.
func TestWebhook_OnlyMessagesWait(t *testing.T) {
	ends := by(planning.System, planning.RunFinished{})
	site := newSite(t)
	site.answers(refuses("a"))
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		s, _ := begin(t, store, site.target())
		record(t, store, "a", submitted(1), ends, by(ada, planning.UserMessage{Text: "why?"}), ends)
		synctest.Wait()
		if v := view(t, s); len(v.Held) != 2 || v.Held[1].Event() != webhook.Done || v.Held[1].Seq != 3 {
			t.Errorf("%+v", v.Held)
		}
	})
}
