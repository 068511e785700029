package web

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"
)

// How many calls to the API one sign-in or token may make: many at once, and
// then so many a second. It is there for a script that has gone wild.
const (
	callsBurst  = 5000
	callsSecond = 200
	mostCallers = 10_000 // bounds the memory for them
)

// callers counts calls by the hash of what somebody is let in with.
type callers struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]*rate.Limiter
}

func newCallers(now func() time.Time) *callers {
	return &callers{now: now, by: map[string]*rate.Limiter{}}
}

// allow counts a call and tells whether it may be made.
func (c *callers) allow(hash string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.by[hash]
	if l == nil {
		if len(c.by) >= mostCallers {
			clear(c.by)
		}
		l = rate.NewLimiter(callsSecond, callsBurst)
		c.by[hash] = l
	}
	return l.AllowN(c.now(), 1)
}

// retryAfter is in how many seconds somebody who is refused for the number of
// their requests may try again.
func retryAfter(r *http.Request) string {
	if r.Header.Get(echo.HeaderAuthorization) != "" || wantsJSON(r) {
		return "1"
	}
	return strconv.Itoa(int(failEvery.Seconds()))
}

// limited refuses calls of those who make too many.
func (s *server) limited(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.callers.allow(granted(c).holder().hash) {
			return fault.New(fault.RateLimited, "Too many calls with this sign-in or token: at most %d at once, and then %d a second.", callsBurst, callsSecond)
		}
		return next(c)
	}
}
