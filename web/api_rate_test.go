package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// A script that has gone wild is told to wait; others, and pages, go on.
func TestAPI_CallsAreLimitedForEachToken(t *testing.T) {
	r := newRig(t)
	r.person("Rae", review.RoleReviewer, "reviewer-token")
	now := time.Now()
	r.web.server.callers.now = func() time.Time { return now }
	for range callsBurst {
		r.web.server.callers.allow(HashSecret("reviewer-token"))
	}
	a := r.do("GET", apiPrefix+"/sessions", nil, as("reviewer-token"))
	a.fails(429, fault.RateLimited, "")
	if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 || !strings.Contains(string(a.body), fmt.Sprint(callsBurst)) {
		t.Errorf("Retry-After is %q, the answer %s", a.Header.Get("Retry-After"), a.body)
	}
	r.do("GET", "/", nil, as("reviewer-token")).is(200)
	r.api("GET", "/sessions", nil).is(200)
	now = now.Add(time.Second)
	r.do("GET", apiPrefix+"/sessions", nil, as("reviewer-token")).is(200)
}

func TestAPI_CallersAreForgotten(t *testing.T) {
	c := newCallers(time.Now)
	for i := range mostCallers + 10 {
		c.allow(fmt.Sprint(i))
	}
	if len(c.by) > mostCallers {
		t.Errorf("%d are kept", len(c.by))
	}
}
