package web

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"countersign/internal/planning"

	"github.com/labstack/echo/v4"
)

// requestCounts counts answered requests by method and status.
type requestCounts struct {
	mu sync.Mutex
	n  map[requestClass]int64
}

type requestClass struct {
	method string
	status int
}

func newRequestCounts() *requestCounts { return &requestCounts{n: map[requestClass]int64{}} }

// methods are those that are counted by name, so that nobody can fill the
// memory with methods of their own.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

func (r *requestCounts) add(method string, status int) {
	if !slices.Contains(methods, method) {
		method = "other"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n[requestClass{method, status}]++
}

func (r *requestCounts) snapshot() map[requestClass]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.n)
}

// metrics are a handful of numbers in the text format of Prometheus, which is
// plain enough to be written without its client library.
func (s *server) metrics(c echo.Context) error {
	sessions, err := s.store.Sessions(c.Request().Context(), "")
	if err != nil {
		return err
	}
	byStatus := map[planning.Status]int{}
	for _, sum := range sessions {
		byStatus[sum.Status]++
	}
	var out strings.Builder
	family(&out, "countersign_build_info", "gauge", "The version that runs.")
	fmt.Fprintf(&out, "countersign_build_info{version=%q} 1\n", s.cfg.Version)
	family(&out, "countersign_http_requests_total", "counter", "Answered requests by method and status.")
	counts := s.requests.snapshot()
	for _, class := range slices.SortedFunc(maps.Keys(counts), compareClass) {
		fmt.Fprintf(&out, "countersign_http_requests_total{method=%q,status=\"%d\"} %d\n", class.method, class.status, counts[class])
	}
	family(&out, "countersign_sessions", "gauge", "Sessions by status.")
	for _, status := range sessionStatuses {
		fmt.Fprintf(&out, "countersign_sessions{status=%q} %d\n", status, byStatus[status])
	}
	family(&out, "countersign_watchers", "gauge", "Open live sockets.")
	fmt.Fprintf(&out, "countersign_watchers %d\n", s.hub.Watchers())
	family(&out, "countersign_events_appended_total", "counter", "Events committed to logs since the start.")
	fmt.Fprintf(&out, "countersign_events_appended_total %d\n", s.hub.Appended())
	return c.Blob(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(out.String()))
}

func family(out *strings.Builder, name, kind, help string) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func compareClass(a, b requestClass) int {
	if c := strings.Compare(a.method, b.method); c != 0 {
		return c
	}
	return a.status - b.status
}

// sessionStatuses are all statuses, in the order of a session's life.
var sessionStatuses = []planning.Status{
	planning.StatusPlanning, planning.StatusInReview, planning.StatusExecuting, planning.StatusWaiting,
	planning.StatusPaused, planning.StatusDone, planning.StatusFailed,
}
