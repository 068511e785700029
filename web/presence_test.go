package web

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/review"
)

// hall is presence with its pump, and what it told, on the clock of a bubble.
type hall struct {
	*presence
	t    *testing.T
	mu   sync.Mutex
	told []string // "session: Name@step ..." in the order in which it was told
	at   []time.Time
}

func inHall(t *testing.T, f func(h *hall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{t: t}
		h.presence = newPresence(func(session string, people []attendee) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.told, h.at = append(h.told, session+":"+names(people)), append(h.at, time.Now())
		})
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { h.pump(ctx) })
		f(h)
		cancel()
		wg.Wait()
	})
}

func names(people []attendee) string {
	var out strings.Builder
	for _, a := range people {
		fmt.Fprintf(&out, " %s@%s", a.Name, a.Step)
		if a.Typing {
			out.WriteString("…")
		}
	}
	return out.String()
}

// after lets time pass and checks what was told in it.
func (h *hall) after(d time.Duration, want ...string) {
	h.t.Helper()
	time.Sleep(d) // in the bubble: no real time passes
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := strings.Join(h.told, " | "); got != strings.Join(want, " | ") {
		h.t.Fatalf("was told %q, want %q", got, want)
	}
	h.told, h.at = nil, nil
}

func seat(session, name string) *tab {
	return &tab{session: session, person: review.Person{ID: strings.ToLower(name), Name: name, Role: review.RoleViewer}}
}

func TestPresence_R8_GoneWithin15SecondsOfALostConnection(t *testing.T) {
	inHall(t, func(h *hall) {
		ann, ben := seat("s", "Ann"), seat("s", "Ben")
		h.say(ann, "s1", false)
		h.say(ben, "s2", false)
		h.after(time.Second, "s: Ann@s1 Ben@s2")
		for range 4 { // Ben's browser answers; nothing is heard of Ann any more
			h.heard(ben)
			time.Sleep(3 * time.Second)
		}
		h.after(15*time.Second-13*time.Second, "s: Ben@s2")
		h.heard(ben)
		h.heard(ann) // the line is there again, and the socket was never closed
		h.after(time.Second, "s: Ann@s1 Ben@s2")
		h.after(15*time.Second, "s:")
	})
}

func TestPresence_R8_AReloadDoesNotFlicker(t *testing.T) {
	inHall(t, func(h *hall) {
		old := seat("s", "Ann")
		h.say(old, "s1", false)
		h.after(time.Second, "s: Ann@s1")
		h.leave(old)
		time.Sleep(hereLinger / 2)
		h.say(seat("s", "Ann"), "s1", false)
		h.after(2 * hereLinger)
	})
}

func TestPresence_R8_LeavingIsToldSoon(t *testing.T) {
	inHall(t, func(h *hall) {
		ann := seat("s", "Ann")
		h.say(ann, "", false)
		h.after(time.Second, "s: Ann@")
		h.leave(ann)
		h.after(hereLinger+hereEvery, "s:")
		if len(h.rooms) != 0 {
			t.Error("an empty room is kept")
		}
	})
}

func TestPresence_R8_TypingEndsWithoutKeys(t *testing.T) {
	inHall(t, func(h *hall) {
		ann := seat("s", "Ann")
		h.say(ann, "s1", true)
		h.after(time.Second, "s: Ann@s1…")
		h.after(typingFor, "s: Ann@s1")
		h.say(ann, "s1", true)
		h.after(time.Second, "s: Ann@s1…")
		h.say(ann, "s1", false)
		h.after(time.Second, "s: Ann@s1")
	})
}

func TestPresence_R8_SeveralTabsAreOnePerson(t *testing.T) {
	inHall(t, func(h *hall) {
		one, two := seat("s", "Ann"), seat("s", "Ann")
		h.say(one, "s1", false)
		h.after(time.Second, "s: Ann@s1")
		h.say(two, "s2", false) // the one that was used last speaks
		h.after(time.Second, "s: Ann@s2")
		h.say(one, "s1", true)
		h.after(time.Second, "s: Ann@s1…")
		h.say(two, "s3", false) // but typing says more than looking
		h.after(time.Second)
		h.leave(one)
		h.after(5*time.Second, "s: Ann@s3")
	})
}

func TestPresence_R8_NothingOfOtherSessions(t *testing.T) {
	inHall(t, func(h *hall) {
		h.say(seat("a", "Ann"), "s1", false)
		h.after(time.Second, "a: Ann@s1")
		h.say(seat("b", "Ben"), "s1", false)
		h.after(time.Second, "b: Ben@s1")
	})
}

// Fifty people who all type and move: everybody is told at most four times a
// second.
func TestPresence_R8_FiftyPeopleStayCheap(t *testing.T) {
	inHall(t, func(h *hall) {
		people := make([]*tab, 50)
		for i := range people {
			people[i] = seat("s", fmt.Sprintf("P%02d", i))
		}
		for n := range 200 { // 10 s, 1,000 messages a second
			for i, p := range people {
				h.say(p, fmt.Sprint("s", (n+i)%9), n%2 == 0)
			}
			time.Sleep(50 * time.Millisecond)
		}
		synctest.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if n := len(h.at); n < 30 || n > 41 {
			t.Errorf("10 s with %d frames", n)
		}
		for i := 1; i < len(h.at); i++ {
			if d := h.at[i].Sub(h.at[i-1]); d < hereEvery {
				t.Fatalf("two frames within %v", d)
			}
		}
	})
}
