package web

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/fault"
)

// bodies says how many bytes a route takes, where it is not 64 KB: written out
// here, so that a change of one is seen.
var bodies = map[string]int{
	"/sessions": 512 << 10, "/sessions/:id/messages": 512 << 10, "/sessions/:id/changes/comments": 512 << 10,
	"/sessions/:id/decision": 512 << 10, "/sessions/:id/threads": 512 << 10, "/sessions/:id/threads/:thread/replies": 512 << 10,
	"/sessions/:id/questions/:qid": 512 << 10, "/sessions/:id/threads/:thread/comments/:comment": 512 << 10,
	"/sessions/:id/goal": 512 << 10, "/sessions/:id/permissions/:pid": 512 << 10,
	"/sessions/:id/edits": 4 << 20, "/sessions/:id/scope": 4 << 20,

	"/api/v1/sessions": 512 << 10, "/api/v1/sessions/:id/messages": 512 << 10, "/api/v1/sessions/:id/goal": 512 << 10,
	"/api/v1/sessions/:id/questions/:qid/answer": 512 << 10, "/api/v1/sessions/:id/plans/:version/decision": 512 << 10,
	"/api/v1/sessions/:id/plans/:version/threads": 512 << 10, "/api/v1/threads/:thread/replies": 512 << 10,
	"/api/v1/threads/:thread/comments/:comment": 512 << 10, "/api/v1/sessions/:id/permissions/:pid": 4 << 20,
	"/api/v1/sessions/:id/plans/:version/steps": 4 << 20, "/api/v1/sessions/:id/plans/:version/steps/:step": 4 << 20,
	"/api/v1/sessions/:id/plans/:version/scope": 4 << 20,
}

// padded is a body of exactly n bytes that says nothing: an object of blanks, or
// a form with a field that nobody reads.
func padded(path string, n int) (body string, kind header) {
	if strings.HasPrefix(path, apiPrefix) || slices.Contains([]string{socketPath, "/metrics", "/healthz"}, path) {
		return "{" + strings.Repeat(" ", n-2) + "}", "Content-Type: application/json"
	}
	return "x=" + strings.Repeat("x", n-2), "Content-Type: application/x-www-form-urlencoded"
}

// TestInput_S1_EveryBodyHasItsLimit: whatever the route, one byte over its limit
// is refused with a sentence and changes nothing, whether or not the length was
// said in advance; the limit itself is read.
func TestInput_S1_EveryBodyHasItsLimit(t *testing.T) {
	r := newRig(t)
	own, seen := header("Origin: "+r.srv.URL), map[string]bool{}
	r.tableRoutes(func(route, method, path string) {
		_, at, _ := strings.Cut(route, " ")
		seen[at] = true
		limit := or(bodies[at], 64<<10)
		send := func(n int, wrap func(io.Reader) io.Reader) answer {
			body, kind := padded(path, n)
			return r.do(method, path, wrap(strings.NewReader(body)), r.bearer(), own, kind)
		}
		before := r.hub.Appended()
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"with its length": func(b io.Reader) io.Reader { return b },
			"in chunks":       func(b io.Reader) io.Reader { return io.MultiReader(b) },
		} {
			if a := send(limit+1, wrap); a.StatusCode != http.StatusRequestEntityTooLarge || method != http.MethodHead && !tellsLimit(a, limit) {
				t.Errorf("%s, one byte over %d, %s: %d %.300s", route, limit, name, a.StatusCode, a.body)
			}
		}
		if r.hub.Appended() != before {
			t.Errorf("%s: something was written", route)
		}
		if safe(method) {
			return // a body says nothing there
		}
		if a := send(limit, func(b io.Reader) io.Reader { return io.MultiReader(b) }); a.StatusCode == http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d bytes are refused", route, limit)
		}
	})
	for at := range bodies {
		if !seen[at] {
			t.Errorf("%s has a limit, but is not there", at)
		}
	}
}

// tellsLimit: in words, and for programs with the code.
func tellsLimit(a answer, limit int) bool {
	most := fmt.Sprintf("%d KB", limit>>10)
	if limit >= 1<<20 {
		most = fmt.Sprintf("%d MB", limit>>20)
	}
	code := !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") || strings.Contains(a.body, fmt.Sprintf("%q", fault.TooLarge))
	return code && strings.Contains(a.body, "What was sent is too long: at most "+most)
}
