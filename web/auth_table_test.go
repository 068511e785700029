package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/review"
)

// nobody: an address that is there for people who have not signed in.
const nobody = review.Role("")

// needed says, for each address, the least role that it takes (R7). A route
// that is not in it fails the test, so that nobody forgets to think about it.
var needed = map[string]review.Role{
	"GET /healthz": nobody, "HEAD /healthz": nobody, "GET /static/*": nobody, "HEAD /static/*": nobody,
	"GET /sign-in": nobody, "HEAD /sign-in": nobody, "POST /sign-in": nobody, "GET /join": nobody, "POST /join": nobody,
	"GET /oidc/start": nobody, "GET /oidc/callback": nobody, "POST /language": nobody,

	"GET /": review.RoleViewer, "GET /ws": review.RoleViewer, "GET /metrics": review.RoleViewer, "GET /models": review.RoleViewer, "GET /waiting": review.RoleViewer,
	"POST /sign-out": review.RoleViewer,
	"GET /new":       review.RoleReviewer, "POST /sessions": review.RoleReviewer,
	"GET /sessions/:id": review.RoleViewer, "GET /sessions/:id/plan": review.RoleViewer,
	"GET /sessions/:id/activity": review.RoleViewer, "GET /sessions/:id/changes": review.RoleViewer,
	"GET /sessions/:id/results/:seq": review.RoleViewer,
	"GET /sessions/:id/history":      review.RoleViewer, "GET /sessions/:id/compare": review.RoleViewer, "GET /sessions/:id/export": review.RoleViewer,
	"GET /sessions/:id/print": review.RoleViewer, "POST /sessions/:id/changes/comments": review.RoleReviewer,
	"GET /sessions/:id/feedback": review.RoleApprover, // the form in which they send it
	"GET /sessions/:id/edit":     review.RoleReviewer, "POST /sessions/:id/edits": review.RoleReviewer,
	"POST /sessions/:id/messages": review.RoleReviewer, "POST /sessions/:id/pause": review.RoleReviewer,
	"POST /sessions/:id/resume": review.RoleReviewer, "POST /sessions/:id/threads": review.RoleReviewer,
	"POST /sessions/:id/threads/:thread/replies": review.RoleReviewer, "POST /sessions/:id/threads/:thread/resolve": review.RoleReviewer,
	"POST /sessions/:id/threads/:thread/reopen": review.RoleReviewer,
	"GET /sessions/:id/questions":               review.RoleViewer, "POST /sessions/:id/questions/:qid": review.RoleReviewer,
	"POST /api/v1/sessions/:id/questions/:qid/answer": review.RoleReviewer,
	"POST /sessions/:id/permissions/:pid/withdraw":    review.RoleApprover, "DELETE /api/v1/sessions/:id/permissions/:pid": review.RoleApprover,
	"POST /sessions/:id/permissions/:pid": review.RoleApprover, "POST /sessions/:id/decision": review.RoleApprover,

	"POST /sessions/:id/goal": review.RoleReviewer, "POST /api/v1/sessions/:id/goal": review.RoleReviewer,
	"GET /sessions/:id/scope": review.RoleReviewer, "POST /sessions/:id/scope": review.RoleReviewer,
	"POST /sessions/:id/edits/:edit/undo": review.RoleReviewer, "POST /sessions/:id/release": review.RoleReviewer,
	"POST /sessions/:id/threads/:thread/comments/:comment":       review.RoleReviewer,
	"POST /sessions/:id/threads/:thread/comments/:comment/agree": review.RoleReviewer,
	"POST /sessions/:id/approval/withdraw":                       review.RoleApprover,

	// :person is somebody else here. Their affairs are the owner's.
	"GET /webhooks": review.RoleOwner, "POST /webhooks/:target/test": review.RoleOwner, "POST /webhooks/:target/retry": review.RoleOwner,
	"POST /webhooks/:target/messages/:place/give-up": review.RoleOwner,

	"GET /people": review.RoleOwner, "POST /people/invite": review.RoleOwner, "POST /people/invitations/:invitation/withdraw": review.RoleOwner,
	"GET /people/:person": review.RoleOwner, "POST /people/:person/role": review.RoleOwner, "POST /people/:person/remove": review.RoleOwner,
	"POST /people/:person/readmit": review.RoleOwner, "GET /people/record": review.RoleOwner,
	"POST /people/:person/link": review.RoleOwner, "POST /people/:person/sign-ins/end": review.RoleOwner,
	"POST /people/:person/sign-ins/:signin/end": review.RoleOwner, "POST /people/:person/tokens/:token/revoke": review.RoleOwner,
	"POST /people/me/tokens": review.RoleViewer,

	"GET /api/v1/openapi.json": review.RoleViewer,
	"GET /api/v1/sessions":     review.RoleViewer, "POST /api/v1/sessions": review.RoleReviewer,
	"GET /api/v1/sessions/:id": review.RoleViewer, "GET /api/v1/sessions/:id/events": review.RoleViewer,
	"GET /api/v1/sessions/:id/changes": review.RoleViewer, "GET /api/v1/sessions/:id/plans": review.RoleViewer,
	"GET /api/v1/sessions/:id/plans/:version": review.RoleViewer, "GET /api/v1/sessions/:id/plans/:version/diff": review.RoleViewer,
	"GET /api/v1/sessions/:id/plans/:version/feedback": review.RoleViewer,
	"POST /api/v1/sessions/:id/messages":               review.RoleReviewer, "POST /api/v1/sessions/:id/pause": review.RoleReviewer,
	"POST /api/v1/sessions/:id/resume":                    review.RoleReviewer,
	"PUT /api/v1/sessions/:id/plans/:version/scope":       review.RoleReviewer,
	"POST /api/v1/sessions/:id/plans/:version/steps":      review.RoleReviewer,
	"PUT /api/v1/sessions/:id/plans/:version/steps/:step": review.RoleReviewer, "DELETE /api/v1/sessions/:id/plans/:version/steps/:step": review.RoleReviewer,
	"POST /api/v1/sessions/:id/plans/:version/steps/:step/move":    review.RoleReviewer,
	"POST /api/v1/sessions/:id/plans/:version/edits/:edit/undo":    review.RoleReviewer,
	"POST /api/v1/sessions/:id/plans/:version/steps/:step/release": review.RoleReviewer, "POST /api/v1/sessions/:id/plans/:version/scope/release": review.RoleReviewer,
	"POST /api/v1/sessions/:id/plans/:version/threads": review.RoleReviewer,
	"POST /api/v1/threads/:thread/replies":             review.RoleReviewer, "POST /api/v1/threads/:thread/resolve": review.RoleReviewer,
	"POST /api/v1/threads/:thread/reopen":           review.RoleReviewer,
	"PUT /api/v1/threads/:thread/comments/:comment": review.RoleReviewer, "DELETE /api/v1/threads/:thread/comments/:comment": review.RoleReviewer,
	"PUT /api/v1/threads/:thread/comments/:comment/agreement":    review.RoleReviewer,
	"DELETE /api/v1/threads/:thread/comments/:comment/agreement": review.RoleReviewer,
	"POST /api/v1/sessions/:id/permissions/:pid":                 review.RoleApprover,
	"POST /api/v1/sessions/:id/plans/:version/decision":          review.RoleApprover, "DELETE /api/v1/sessions/:id/plans/:version/approval": review.RoleApprover,

	"GET /api/v1/people":        review.RoleViewer,
	"GET /api/v1/people/record": review.RoleOwner, "GET /api/v1/people/removed": review.RoleOwner, "POST /api/v1/people/:person/readmit": review.RoleOwner,
	"PUT /api/v1/people/:person": review.RoleOwner, "DELETE /api/v1/people/:person": review.RoleOwner,
	"POST /api/v1/people/:person/link":    review.RoleOwner,
	"GET /api/v1/people/:person/sign-ins": review.RoleOwner, "DELETE /api/v1/people/:person/sign-ins": review.RoleOwner,
	"DELETE /api/v1/people/:person/sign-ins/:signin": review.RoleOwner,
	"GET /api/v1/people/:person/tokens":              review.RoleOwner, "DELETE /api/v1/people/:person/tokens/:token": review.RoleOwner,
	"POST /api/v1/people/me/tokens": review.RoleViewer,
	"GET /api/v1/invitations":       review.RoleOwner, "POST /api/v1/invitations": review.RoleOwner, "DELETE /api/v1/invitations/:invitation": review.RoleOwner,
}

// tableForm fills every field that a form looks at before it acts.
var tableForm = url.Values{
	"task": {"x"}, "text": {"x"}, "body": {"x"}, "name": {"x"}, "role": {"viewer"}, "version": {"1"}, "lasts": {"1"},
	"verdict": {"approve"}, "answer": {"once"}, "op": {"deleted"}, "markdown": {"x"}, "mode": {"plan"},
}

// tableRoutes calls f with each route of the server and the address that stands
// for it.
func (r *rig) tableRoutes(f func(route, method, path string)) {
	r.t.Helper()
	id := r.begin()
	p := r.submit(id, samplePlan)
	thread := read[threadView](r.api("POST", "/sessions/"+id+"/plans/1/threads", threadBody{Body: "Why?"}).is(201)).ID
	target := r.person("Target", review.RoleViewer, "target")
	fill := strings.NewReplacer(":id", id, ":version", "1", ":step", p.Steps()[0].ID, ":thread", thread, ":pid", "p1", ":qid", "q1", ":comment", "1", ":edit", "1", ":seq", "1", ":person", target.ID)
	for _, route := range r.web.echo.Routes() {
		if !strings.HasPrefix(route.Method, "echo_") {
			f(route.Method+" "+route.Path, route.Method, fill.Replace(route.Path))
		}
	}
}

// ask sends a request that says nothing in particular, as a browser or, with a
// token, as a program does.
func (r *rig) ask(method, path string, who header) answer {
	if safe(method) {
		return r.do(method, path, nil, who, header("Origin: "+r.srv.URL))
	}
	if strings.HasPrefix(path, apiPrefix) {
		return r.do(method, path, strings.NewReader("{}"), who, header("Origin: "+r.srv.URL))
	}
	return r.do(method, path, strings.NewReader(tableForm.Encode()), who,
		"Content-Type: application/x-www-form-urlencoded", header("Origin: "+r.srv.URL))
}

func TestRoles_R7_EveryAddressForEveryRole(t *testing.T) {
	r := newRig(t)
	people := map[review.Role]review.Person{}
	for _, role := range review.Roles() {
		people[role] = r.person("The "+string(role), role, string(role))
	}
	seen := map[string]bool{}
	r.tableRoutes(func(route, method, path string) {
		seen[route] = true
		least, known := needed[route]
		if !known {
			t.Errorf("%s is not in the table: who may use it?", route)
			return
		}
		if open[strings.TrimPrefix(route, method+" ")] != (least == nobody) {
			t.Errorf("%s: open to everybody, or not?", route)
		}
		if least == nobody {
			return
		}
		for i, role := range review.Roles() { // the least first, so that what an owner ends is there for the others
			a := r.ask(method, path, header("Cookie: "+r.cookie(people[role])))
			may := i >= slices.Index(review.Roles(), least)
			if (a.StatusCode != http.StatusForbidden) != may || a.StatusCode == http.StatusUnauthorized {
				t.Errorf("%s as %s: %d; it takes %s", route, role, a.StatusCode, least)
			}
		}
	})
	for route := range needed {
		if !seen[route] {
			t.Errorf("%s is in the table, but not there", route)
		}
	}
}

// A person's own token can do nothing about who may sign in, whatever its role;
// the server's own can.
func TestRoles_TokensAreKeptFromSignIns(t *testing.T) {
	r := newRig(t)
	r.person("Otto", review.RoleOwner, "otto")
	n := 0
	r.tableRoutes(func(route, method, path string) {
		kept := !safe(method) && (strings.Contains(route, "/people") || strings.Contains(route, "/invitations"))
		if open[strings.TrimPrefix(route, method+" ")] || !kept && safe(method) {
			return
		}
		if kept {
			n++
			if a := r.ask(method, path, r.bearer()); a.StatusCode == http.StatusForbidden {
				t.Errorf("%s with the server's token: %d", route, a.StatusCode)
			}
		}
		if a := r.ask(method, path, as("otto")); (a.StatusCode == http.StatusForbidden) != kept {
			t.Errorf("%s with a person's token: %d", route, a.StatusCode)
		}
	})
	if n < 15 {
		t.Errorf("only %d routes", n)
	}
}
