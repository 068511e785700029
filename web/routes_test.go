package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/review"
)

// every calls f with each route that is not open to everybody, its parameters
// filled in with what there is.
func (r *rig) every(f func(method, path string)) {
	r.t.Helper()
	id := r.begin()
	p := r.submit(id, samplePlan)
	thread := read[threadView](r.api("POST", "/sessions/"+id+"/plans/1/threads", threadBody{Body: "Why?"}).is(201)).ID
	fill := strings.NewReplacer(":id", id, ":version", "1", ":step", p.Steps()[0].ID, ":thread", thread, ":pid", "p1", ":comment", "1", ":edit", "1")
	n := 0
	for _, route := range r.web.echo.Routes() {
		if open[route.Path] || strings.HasPrefix(route.Method, "echo_") {
			continue
		}
		n++
		f(route.Method, fill.Replace(route.Path))
	}
	if n < 40 {
		r.t.Fatalf("only %d routes", n)
	}
}

func TestGate_EveryRouteNeedsSignIn(t *testing.T) {
	r := newRig(t)
	r.every(func(method, path string) {
		a := r.do(method, path, nil, header("Origin: "+r.srv.URL))
		if a.StatusCode != 401 && !(a.StatusCode == 303 && strings.HasPrefix(a.Header.Get("Location"), "/sign-in")) {
			t.Errorf("%s %s: %d without a sign-in", method, path, a.StatusCode)
		}
	})
}

func TestGate_EveryChangeFromElsewhereIsRefused(t *testing.T) {
	r := newRig(t)
	cookie := header("Cookie: " + r.cookie(r.owner))
	r.every(func(method, path string) {
		if safe(method) {
			return
		}
		for _, from := range []header{"Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "X-Nothing: 1"} {
			r.do(method, path, nil, cookie, from).is(403)
		}
	})
}

// Somebody who may only look changes nothing, by no form and no call.
func TestGate_R7_ViewersChangeNothing(t *testing.T) {
	r := newRig(t)
	cookie := header("Cookie: " + r.cookie(r.person("Vic", review.RoleViewer, "viewer")))
	values := url.Values{
		"task": {"x"}, "text": {"x"}, "body": {"x"}, "name": {"x"}, "role": {"owner"}, "version": {"1"},
		"verdict": {"approve"}, "answer": {"once"}, "op": {"deleted"}, "markdown": {"x"}, "mode": {"plan"},
	}
	r.every(func(method, path string) {
		if safe(method) || path == "/sign-out" || path == "/people/me/tokens" { // their own affairs
			return
		}
		before := r.hub.Appended()
		if strings.HasPrefix(path, apiPrefix) {
			r.do(method, path, strings.NewReader("{}"), as("viewer")).is(403)
		} else if a := r.form(path, values, cookie); a.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
		if r.hub.Appended() != before {
			t.Errorf("%s %s changed something", method, path)
		}
	})
}
