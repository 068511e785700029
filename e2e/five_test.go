package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// five is a review by five people in as many browsers, who work by a script of
// chance. Who does what in which round comes from the seed; what it meets on
// the page depends on what the others did in the same moment.
type five struct {
	t       *testing.T
	s       *server
	id      string // of the session
	people  []*reviewer
	chance  *rand.Rand
	deck    []string // what is done next
	letters []letter
	counts  counts
}

// letter is a text as the page showed it when it was sent.
type letter struct{ by, text string }

// counts is how often something happened. It is safe for concurrent use.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

func (c *counts) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[what]++
}

// TestReview_R3_R6_FiveBrowsersOnOnePlan: five people comment, rewrite, move,
// reload and lose the connection on one plan. In the end each acknowledged
// action is in the log once and nothing else is, all pages show the same, no
// typed text is lost, and the agent got what the page showed.
//
// E2E_SEED repeats a script, E2E_FIVE=10m makes it longer.
func TestReview_R3_R6_FiveBrowsersOnOnePlan(t *testing.T) {
	t.Parallel()
	f := gather(t, seedOf(t))
	length := 15 * time.Second
	if v := os.Getenv("E2E_FIVE"); v != "" {
		var err error
		if length, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	every := 4
	if length > time.Minute {
		every = 12
	}
	start := time.Now()
	const least = 4 // rounds, with feedback and two who edit the same step among them
	for round := 1; (round <= least || time.Since(start) < length) && !t.Failed(); round++ {
		f.round(round, round%every == 3)
	}
	f.settle()
	f.judge()
	f.report(time.Since(start))
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano()) % 1_000_000
	if v := os.Getenv("E2E_SEED"); v != "" {
		var err error
		if seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("E2E_SEED=%d", seed)
	return seed
}

// gather starts a session with a plan of twelve steps and lets five people in.
func gather(t *testing.T, seed uint64) *five {
	t.Helper()
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("pkg%02d/file.go", i)] = fmt.Sprintf("package pkg%02d\n\n// OldName is number %d.\nfunc OldName() int { return %d }\n", i, i, i)
	}
	s := newServer(t, workspace(t, files))
	f := &five{t: t, s: s, id: s.task("Rename OldName to NewName", nil), chance: rand.New(rand.NewPCG(seed, seed)), counts: counts{of: map[string]int{}}}
	s.status(f.id, "in_review")
	plan := "/sessions/" + f.id + "/plan"
	for i, who := range []struct{ name, role string }{{"ana", "owner"}, {"bo", "approver"}, {"cai", "approver"}, {"dee", "reviewer"}, {"eva", "reviewer"}} {
		p := &reviewer{browser: newBrowser(t), five: f, name: who.name, wire: newWire(t, s), chance: rand.New(rand.NewPCG(seed, uint64(i)))}
		p.everyPage(fiveScript)
		if who.role == "owner" {
			p.open(p.wire.through(s, s.link))
			p.actor = s.people()["owner"]
		} else {
			link := s.must(http.StatusCreated, "POST", "/invitations", object{"role": who.role})["link"].(string)
			p.join(p.wire.through(s, link), who.name)
			p.actor = who.name
		}
		p.page = p.wire.base + plan
		p.open(p.page)
		p.until("a live page", `five.shows().live`)
		f.people = append(f.people, p)
	}
	return f
}

// people are the names of the people by role.
func (s *server) people() map[string]string {
	s.t.Helper()
	var list struct{ People []struct{ Name, Role string } }
	convert(s.t, s.must(http.StatusOK, "GET", "/people", nil), &list)
	names := map[string]string{}
	for _, p := range list.People {
		names[p.Role] = p.Name
	}
	return names
}

// round lets everybody do one thing at the same time: two of them edit the same
// step in every third round, and one who may decide sends feedback now and then.
func (f *five) round(n int, sendNow bool) {
	f.t.Helper()
	order := f.chance.Perm(len(f.people))
	var all sync.WaitGroup
	if sendNow {
		at := f.chance.IntN(3) // who may decide
		order = slices.DeleteFunc(order, func(i int) bool { return i == at })
		all.Go(func() { f.people[at].sendFeedback() })
	}
	if n%3 == 0 {
		a, b := f.people[order[0]], f.people[order[1]]
		order = order[2:]
		all.Go(func() { f.duel(a, b) })
	}
	for _, i := range order {
		what := f.pick()
		all.Go(func() { f.people[i].does(what) })
	}
	all.Wait()
}

// pick draws the next card.
func (f *five) pick() string {
	if len(f.deck) == 0 {
		for _, d := range deeds {
			f.deck = append(f.deck, slices.Repeat([]string{d.name}, d.cards)...)
		}
		f.chance.Shuffle(len(f.deck), func(i, j int) { f.deck[i], f.deck[j] = f.deck[j], f.deck[i] })
	}
	card := f.deck[0]
	f.deck = f.deck[1:]
	return card
}

// settle waits until every page is live and shows all that is in the log.
func (f *five) settle() {
	f.t.Helper()
	f.s.status(f.id, "in_review")
	for _, p := range f.people {
		p.wire.plug()
	}
	events := f.s.events(f.id)
	last := events[len(events)-1].Seq
	for _, p := range f.people {
		p.until(p.name+" to have seen everything", fmt.Sprintf(`five.shows().live && five.shows().seq >= %d`, last))
	}
}
