package sandbox

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// kind is what of a supervisor can't be changed once it is there: what it was
// started in, and the limits that bind it and so all that it starts.
type kind struct {
	namespaces bool
	domain     bool // in a Landlock domain of its own
	cpuSeconds uint64
	tasks      int
}

func kindOf(e expected) kind {
	ending := confinement{Namespaces: e.namespaces, Landlock: e.landlock}.ending()
	return kind{namespaces: e.namespaces, domain: ending == endDomain, cpuSeconds: e.cpuSeconds(e.Timeout), tasks: e.maxTasks()}
}

const (
	// keepAtOnce is how many supervisors of a kind wait, for as many sessions
	// that take turns. Each takes some 10 MB.
	keepAtOnce = 4
	// keepFor is how long one waits without being used. It holds a copy of the
	// mounts that there were.
	keepFor = 5 * time.Minute
	// keepUntil is how many commands one serves at most. Its own limits bind it as
	// well, so one that watches over long commands says sooner that it has done.
	keepUntil = 1000
)

// KeepReady makes commands start sooner: a supervisor that has served a command
// is kept for the next, with a confinement like the last one prepared. It is for
// programs that run many commands. End, which must be called, ends those that
// wait, and waits for them. Of several callers the last to end does.
func KeepReady() (end func()) {
	ready.mu.Lock()
	defer ready.mu.Unlock()
	ready.users++
	return sync.OnceFunc(ready.leave)
}

// ready are the supervisors of this program that wait for a command.
var ready = pool{waiting: map[kind][]*waiter{}}

type pool struct {
	mu      sync.Mutex
	users   int
	waiting map[kind][]*waiter
	chores  sync.WaitGroup // what is done between commands
}

// waiter is a supervisor that waits. Whoever takes it out of the pool owns it.
type waiter struct {
	*helper
	expected expected
	settled  chan struct{} // closed when nothing more is done with it
	tired    *time.Timer
}

// expected is the command that the next one is expected to be like.
type expected struct {
	Command
	layers
}

// like tells whether what was prepared for one may fit the other. Whether it does
// is seen when the command is there.
func (e expected) like(f expected) bool {
	return e.Dir == f.Dir && e.Access == f.Access && e.Network == f.Network && e.layers == f.layers
}

// prepared is what a supervisor has made ready for a command that is expected.
type prepared struct {
	scratch scratch
	as      []byte // the confinement, encoded; nil if there is none
}

// take gives out a supervisor that waits, if there is one of the kind that this
// command needs.
func (p *pool) take(e expected) *helper {
	for {
		w := p.pick(e)
		if w == nil {
			return nil
		}
		<-w.settled
		w.tired.Stop()
		if w.usable() {
			w.wake()
			return w.helper
		}
		p.later(w.retire)
	}
}

// pick takes out one that expects a command like this, or else the one that has
// waited longest. Another one is then started for what that one expected, so that
// sessions which take turns come to have one each.
func (p *pool) pick(e expected) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := kindOf(e)
	list := p.waiting[k]
	if len(list) == 0 {
		return nil
	}
	at := slices.IndexFunc(list, func(w *waiter) bool { return w.expected.like(e) })
	if at < 0 {
		at = 0
		p.startFor(list[0].expected)
	}
	w := list[at]
	p.waiting[k] = slices.Delete(list, at, at+1)
	return w
}

// startFor starts a supervisor for a command that is expected.
func (p *pool) startFor(e expected) {
	p.chores.Go(func() {
		if h, err := startHelper(kindOf(e)); err == nil {
			p.put(h, e)
		}
	})
}

// put keeps a supervisor for the next command, which is expected to be like the
// one that it has served.
func (p *pool) put(h *helper, e expected) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 || len(p.waiting[h.kind]) >= keepAtOnce || h.served >= keepUntil {
		p.chores.Go(h.retire)
		return
	}
	w := &waiter{helper: h, expected: e, settled: make(chan struct{})}
	w.tired = time.AfterFunc(keepFor, func() { p.drop(w) })
	p.waiting[h.kind] = append(p.waiting[h.kind], w)
	p.chores.Go(func() {
		defer close(w.settled)
		h.expect(e)
	})
}

// drop ends a supervisor if it still waits.
func (p *pool) drop(w *waiter) {
	p.mu.Lock()
	at := slices.Index(p.waiting[w.kind], w)
	if at >= 0 {
		p.waiting[w.kind] = slices.Delete(p.waiting[w.kind], at, at+1)
	}
	p.mu.Unlock()
	if at >= 0 {
		<-w.settled
		w.retire()
	}
}

// later does something between commands, if there will be others.
func (p *pool) later(f func()) {
	p.mu.Lock()
	more := p.users > 0
	if more {
		p.chores.Go(f)
	}
	p.mu.Unlock()
	if !more {
		f()
	}
}

// leave ends what waits when nobody needs it any more.
func (p *pool) leave() {
	p.mu.Lock()
	p.users--
	last := p.users == 0
	p.mu.Unlock()
	if last {
		p.forget()
		p.chores.Wait()
	}
}

// forget ends what waits.
func (p *pool) forget() {
	p.mu.Lock()
	var left []*waiter
	for _, of := range p.waiting {
		left = append(left, of...)
	}
	p.mu.Unlock()
	for _, w := range left {
		p.drop(w)
	}
}

// expect makes ready what a command like this will be confined to. Where it would
// write in the workspace itself, what it may is found out when it comes.
func (h *helper) expect(e expected) {
	if !e.overlay && (e.Access == Approved || e.Access == Workspace) {
		return
	}
	s, err := makeScratch(e.Dir)
	if err != nil {
		return
	}
	o, err := newOrder(e.Command, e.layers, s)
	if err != nil {
		s.remove()
		return
	}
	h.ahead = prepared{scratch: s, as: o.encode()}
	h.prepare(&o.confinement)
}

// fits tells whether a command of this order is confined to what was prepared.
func (a prepared) fits(o order) bool { return bytes.Equal(a.as, o.encode()) }

func (c confinement) encode() []byte {
	data, _ := json.Marshal(c) // numbers and texts: it can't fail
	return data
}

// retire ends a supervisor for good, with what it has prepared.
func (h *helper) retire() {
	h.end()
	if h.ahead.as != nil {
		h.ahead.scratch.remove()
	}
}
