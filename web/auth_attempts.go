package web

import (
	"net/netip"
	"sync"
	"time"

	"countersign/internal/fault"

	"golang.org/x/time/rate"
)

// How often signing in may fail: a few times at once and then slowly, from one
// address and from all of them together.
const (
	failBurst    = 10
	failEvery    = 6 * time.Second
	failBurstAll = 200
	failEveryAll = 200 * time.Millisecond
	// mostAddresses bounds the memory for addresses; past it, those that have
	// waited long enough are forgotten, and then all of them.
	mostAddresses = 10_000
)

// attempts counts failed sign-ins. Who has used up theirs is refused before
// anything is looked up, so that a right guess would not be told either.
type attempts struct {
	now  func() time.Time
	mu   sync.Mutex
	all  *rate.Limiter
	from map[netip.Addr]*rate.Limiter
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{
		now: now, all: rate.NewLimiter(rate.Every(failEveryAll), failBurstAll),
		from: map[netip.Addr]*rate.Limiter{},
	}
}

// check fails with fault.RateLimited if this address has to wait.
func (a *attempts) check(remote string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	one := a.from[source(remote)]
	if a.all.TokensAt(now) < 1 || one != nil && one.TokensAt(now) < 1 {
		return fault.New(fault.RateLimited, "Too many failed attempts to sign in. Please wait a minute and try again.")
	}
	return nil
}

// failed counts a failed attempt.
func (a *attempts) failed(remote string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	addr := source(remote)
	one := a.from[addr]
	if one == nil {
		a.forget(now)
		one = rate.NewLimiter(rate.Every(failEvery), failBurst)
		a.from[addr] = one
	}
	one.AllowN(now, 1)
	a.all.AllowN(now, 1)
}

// forget makes room for one more address.
func (a *attempts) forget(now time.Time) {
	if len(a.from) < mostAddresses {
		return
	}
	for addr, l := range a.from {
		if l.TokensAt(now) >= failBurst {
			delete(a.from, addr)
		}
	}
	if len(a.from) >= mostAddresses {
		clear(a.from)
	}
}

// source is what counts as one address: with IPv6 a whole /64, because that is
// what one machine gets.
func source(remote string) netip.Addr {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	addr := ap.Addr().Unmap()
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return addr
}
