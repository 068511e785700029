package sandbox

import (
	"maps"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// kind is what has to be known when a supervisor is started. All else is told by
// the order, so one that was started before there was an order is in the same
// state as one that is started for it.
type kind struct {
	namespaces bool
	noNetwork  bool // in a net namespace of its own
	domain     bool // in a Landlock domain of its own
}

func (o order) kind() kind {
	return kind{namespaces: o.Namespaces, noNetwork: o.Namespaces && !o.Network, domain: o.ending() == endDomain}
}

func kindOf(l layers, c Command) kind {
	return order{Namespaces: l.namespaces, Network: c.Network, Landlock: l.landlock}.kind()
}

// KeepReady makes commands start sooner, from the second one on: whenever one has
// ended, the supervisor of the next is started. It is for programs that run many
// commands; others would start one for nothing. End, which must be called, ends
// those that wait, and waits for them. Of several callers the last to end does.
func KeepReady() (end func()) {
	ready.mu.Lock()
	defer ready.mu.Unlock()
	ready.users++
	return sync.OnceFunc(ready.leave)
}

// ready are the supervisors of this program that wait for an order.
var ready = spares{waiting: map[kind]*spare{}}

// spares holds at most one supervisor of each kind. Each is given out once.
type spares struct {
	mu      sync.Mutex
	users   int
	waiting map[kind]*spare
}

// spare is a supervisor without an order. It holds nothing but its own ends of
// the pipes, and ends when ours of the control pipe is closed, as the kernel
// does for a server that is no more.
type spare struct {
	mounts  int           // tells by poll whether mounts have changed since it was started
	started chan struct{} // closed when x is set
	x       *execution    // nil if it could not be started
}

// alive tells whether it is, and what it sees is still what the server sees: a
// mount namespace is a copy that what is mounted later may not come into.
func (s *spare) alive() bool {
	if s.x == nil {
		return false
	}
	select {
	case <-s.x.ended:
		return false
	default:
	}
	changed := []unix.PollFd{{Fd: int32(s.mounts), Events: unix.POLLPRI}}
	n, err := unix.Poll(changed, 0)
	return n == 0 && err == nil
}

func (s *spare) end() {
	if s.x != nil {
		s.x.end()
	}
}

// take gives out the supervisor that waits for an order of this kind, if any.
func (p *spares) take(o order) *execution {
	if o.stdin != nil || o.stdout != nil { // which it must be started with
		return nil
	}
	p.mu.Lock()
	s := p.waiting[o.kind()]
	delete(p.waiting, o.kind())
	p.mu.Unlock()
	if s == nil {
		return nil
	}
	<-s.started
	defer unix.Close(s.mounts)
	if !s.alive() {
		s.end()
		return nil
	}
	return s.x
}

// refill starts a supervisor of this kind in the background, unless one waits.
func (p *spares) refill(k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 || p.waiting[k] != nil {
		return
	}
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	s := &spare{mounts: mounts, started: make(chan struct{})}
	p.waiting[k] = s
	go func() {
		defer close(s.started)
		if x, err := startSupervisor(k, nil, nil); err == nil {
			x.spare = true
			s.x = x
		}
	}()
}

// leave ends what waits when nobody needs it any more.
func (p *spares) leave() {
	p.mu.Lock()
	p.users--
	last := p.users == 0
	p.mu.Unlock()
	if last {
		p.forget()
	}
}

// forget ends what waits.
func (p *spares) forget() {
	p.mu.Lock()
	left := slices.Collect(maps.Values(p.waiting))
	clear(p.waiting)
	p.mu.Unlock()
	for _, s := range left {
		<-s.started
		unix.Close(s.mounts)
		s.end()
	}
}
