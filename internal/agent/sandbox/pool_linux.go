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

func kindOf(l layers, c Command) kind {
	ending := confinement{Namespaces: l.namespaces, Landlock: l.landlock}.ending()
	return kind{namespaces: l.namespaces, domain: ending == endDomain, cpuSeconds: cpuSeconds(c.Timeout), tasks: l.maxTasks()}
}

const (
	// keepAtOnce is how many supervisors of a kind wait, for as many sessions
	// that take turns. Each takes some 10 MB.
	keepAtOnce = 4
	// keepFor is how long one waits without being used. It holds a copy of the
	// mounts that there were.
	keepFor = 5 * time.Minute
	// keepUntil is how many commands one serves. Its own limits bind it as well.
	keepUntil = 200
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
	guess   guess
	settled chan struct{} // closed when nothing more is done with it
	tired   *time.Timer
}

// guess is what has to be the same for what was prepared to fit. Whether it does
// is seen when the command is there.
type guess struct {
	dir              string
	access           Access
	overlay, network bool
}

func guessOf(c Command, l layers) guess {
	return guess{dir: c.Dir, access: c.Access, overlay: l.overlay, network: c.Network}
}

// prepared is what a supervisor has made ready for a command that is expected.
type prepared struct {
	scratch scratch
	as      []byte // the confinement, encoded; nil if there is none
}

// take gives out a supervisor that waits, if there is one of the kind that this
// command needs.
func (p *pool) take(c Command, l layers) *helper {
	for {
		w := p.pick(kindOf(l, c), guessOf(c, l))
		if w == nil {
			return nil
		}
		<-w.settled
		w.tired.Stop()
		if w.usable() {
			return w.helper
		}
		w.retire()
	}
}

// pick takes out the one that is likely to have prepared the right thing, or else
// the one that has waited longest.
func (p *pool) pick(k kind, g guess) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.waiting[k]
	if len(list) == 0 {
		return nil
	}
	at := max(0, slices.IndexFunc(list, func(w *waiter) bool { return w.guess == g }))
	w := list[at]
	p.waiting[k] = slices.Delete(list, at, at+1)
	return w
}

// put keeps a supervisor that has served a command for the next one, which is
// expected to be like it.
func (p *pool) put(h *helper, c Command, l layers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 || len(p.waiting[h.kind]) >= keepAtOnce || h.served >= keepUntil {
		p.chores.Go(h.retire)
		return
	}
	w := &waiter{helper: h, guess: guessOf(c, l), settled: make(chan struct{})}
	w.tired = time.AfterFunc(keepFor, func() { p.drop(w) })
	p.waiting[h.kind] = append(p.waiting[h.kind], w)
	p.chores.Go(func() {
		defer close(w.settled)
		h.expect(c, l)
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

// expect makes ready what a command like c will be confined to. Where it would
// write in the workspace itself, what it may is found out when it comes.
func (h *helper) expect(c Command, l layers) {
	if !l.overlay && (c.Access == Approved || c.Access == Workspace) {
		return
	}
	s, err := makeScratch(c.Dir)
	if err != nil {
		return
	}
	o, err := newOrder(c, l, s)
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
