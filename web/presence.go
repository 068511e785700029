package web

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/internal/review"
)

const (
	// hereEvery is how often the watchers of a session are told at most.
	hereEvery = 250 * time.Millisecond
	// herePing is how often a page on which somebody is here is asked whether it
	// still is, and hereWait how long it may be silent: a browser answers pings
	// by itself, also behind other windows. Together with hereEvery they keep the
	// promise that who lost the connection is gone within 15 s.
	herePing = 5 * time.Second
	hereWait = 12 * time.Second
	// hereLinger is how long somebody stays after the page was closed, so that
	// nobody flickers who loads it anew.
	hereLinger = 2 * time.Second
	// typingFor is how long somebody types after the page last said so.
	typingFor = 5 * time.Second
)

// attendee is a person who is here, as everybody else sees them.
type attendee struct {
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Role   review.Role `json:"role"`
	Step   string      `json:"step,omitempty"`   // block id of what they look at
	Typing bool        `json:"typing,omitempty"` // something, at that step
}

// presence knows who looks at which session (R8). It is held in memory only:
// nothing of it is in the log, and after a restart the pages tell it anew. A
// person with several pages open is one attendee, at the step of the page that
// they used last.
type presence struct {
	// tell is called from pump, one call after the other and with no lock held.
	tell func(session string, people []attendee)
	wake chan struct{}

	mu    sync.Mutex
	rooms map[string]*room // by session
}

// room is a session on which somebody is, or was until just now.
type room struct {
	tabs  map[*tab]struct{}
	told  []attendee
	dirty bool      // something may have to be told
	next  time.Time // when something will end by itself; zero for never
}

// tab is one page, or one program that says that its person is here.
type tab struct {
	session string
	person  review.Person
	step    string
	typing  time.Time // until then
	said    time.Time // when it last said where it is
	heard   time.Time // when the other side last gave a sign of life
	closed  time.Time // zero while it is open
}

func newPresence(tell func(string, []attendee)) *presence {
	return &presence{tell: tell, wake: make(chan struct{}, 1), rooms: map[string]*room{}}
}

// say notes that a page shows a step, and whether its person types there.
func (p *presence) say(t *tab, step string, typing bool) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.step, t.said, t.heard, t.typing = step, now, now, time.Time{}
	if typing {
		t.typing = now.Add(typingFor)
	}
	r := p.rooms[t.session]
	if r == nil {
		r = &room{tabs: map[*tab]struct{}{}}
		p.rooms[t.session] = r
	}
	r.tabs[t] = struct{}{}
	p.stir(r)
}

// heard notes a sign of life. Who was taken for lost is here again.
func (p *presence) heard(t *tab) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := !t.here(now)
	t.heard = now
	if r := p.rooms[t.session]; lost && r != nil {
		p.stir(r)
	}
}

// leave notes that a page was closed.
func (p *presence) leave(t *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.closed = time.Now()
	if r := p.rooms[t.session]; r != nil {
		p.stir(r)
	}
}

// stir lets the pump look at a room; mu is held.
func (p *presence) stir(r *room) {
	r.dirty = true
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// here returns what the watchers of a session were told last.
func (p *presence) here(session string) []attendee {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.rooms[session]; r != nil {
		return r.told
	}
	return nil
}

// pump tells what changes, until ctx ends. It looks at most every hereEvery,
// however much is said in between.
func (p *presence) pump(ctx context.Context) {
	for {
		list, next := p.round(time.Now())
		for _, n := range list {
			p.tell(n.session, n.people)
		}
		select {
		case <-time.After(hereEvery):
		case <-ctx.Done():
			return
		}
		var due <-chan time.Time
		if !next.IsZero() {
			due = time.After(time.Until(next))
		}
		select {
		case <-p.wake:
		case <-due:
		case <-ctx.Done():
			return
		}
	}
}

// gathering is who is now on a session.
type gathering struct {
	session string
	people  []attendee
}

// round returns what there is to tell, and when the next thing ends by itself.
func (p *presence) round(now time.Time) (list []gathering, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for session, r := range p.rooms {
		if r.dirty || !r.next.IsZero() && !r.next.After(now) {
			r.dirty = false
			people := r.people(now)
			if !slices.Equal(people, r.told) {
				r.told = people
				list = append(list, gathering{session, people})
			}
			if len(r.tabs) == 0 {
				delete(p.rooms, session)
			}
		}
		next = sooner(next, r.next)
	}
	return list, next
}

// people forgets the pages that are gone for good, and returns who is left, by
// name.
func (r *room) people(now time.Time) []attendee {
	lead := map[string]*tab{}
	r.next = time.Time{}
	for t := range r.tabs {
		if !t.here(now) {
			if !t.closed.IsZero() {
				delete(r.tabs, t)
			}
			continue
		}
		r.next = sooner(r.next, t.ends(now))
		if old := lead[t.person.ID]; old == nil || t.before(old, now) {
			lead[t.person.ID] = t
		}
	}
	list := make([]attendee, 0, len(lead))
	for id, t := range lead {
		list = append(list, attendee{ID: id, Name: t.person.Name, Role: t.person.Role, Step: t.step, Typing: t.typing.After(now)})
	}
	slices.SortFunc(list, func(a, b attendee) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// here tells whether the page counts.
func (t *tab) here(now time.Time) bool { return now.Before(t.until()) }

// until is when it counts no more, if nothing is heard of it.
func (t *tab) until() time.Time {
	until := t.heard.Add(hereWait)
	if !t.closed.IsZero() {
		until = sooner(until, t.closed.Add(hereLinger))
	}
	return until
}

// ends is when what others see of it next changes by itself.
func (t *tab) ends(now time.Time) time.Time {
	if t.typing.After(now) {
		return sooner(t.typing, t.until())
	}
	return t.until()
}

// before tells whether t speaks for its person rather than another page of
// theirs.
func (t *tab) before(other *tab, now time.Time) bool {
	if a, b := t.typing.After(now), other.typing.After(now); a != b {
		return a
	}
	return t.said.After(other.said)
}

// sooner is the earlier of two times; zero means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
