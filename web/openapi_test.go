package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"

	"github.com/google/jsonschema-go/jsonschema"
)

// The description names each route of the API, and no other.
func TestOpenAPI_MatchesTheRoutes(t *testing.T) {
	r := newRig(t)
	a := r.api("GET", "/openapi.json", nil).is(200)
	doc := read[struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Summary    string
			Parameters []struct{ Name, In string }
			Responses  map[string]json.RawMessage
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}](a)
	var described, routed []string
	for path, operations := range doc.Paths {
		for method, op := range operations {
			described = append(described, strings.ToUpper(method)+" "+apiPrefix+path)
			if op.Summary == "" || len(op.Responses) < 2 {
				t.Errorf("%s %s is not described", method, path)
			}
			for _, p := range op.Parameters {
				if p.In == "path" && !strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s has no parameter %s", path, p.Name)
				}
			}
		}
	}
	for _, route := range r.web.echo.Routes() {
		if strings.HasPrefix(route.Path, apiPrefix+"/") && !strings.HasSuffix(route.Path, "*") && !strings.HasPrefix(route.Method, "echo_") {
			routed = append(routed, route.Method+" "+bracePath(route.Path))
		}
	}
	sort.Strings(described)
	sort.Strings(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described\n%s\n\nrouted\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
	if len(routed) < 20 {
		t.Errorf("only %d routes", len(routed))
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %s", doc.OpenAPI)
	}
	for _, part := range strings.Split(a.body, `"$ref":"`)[1:] {
		ref, _, _ := strings.Cut(part, `"`)
		name, isSchema := strings.CutPrefix(ref, "#/components/schemas/")
		if _, there := doc.Components.Schemas[name]; isSchema && !there {
			t.Errorf("%s leads nowhere", ref)
		}
	}
}

// What the API answers is what its description says.
func TestOpenAPI_AnswersAreAsDescribed(t *testing.T) {
	r := newRig(t)
	doc := read[struct {
		Components struct {
			Schemas map[string]*jsonschema.Schema
		}
	}](r.api("GET", "/openapi.json", nil))
	matches := func(a answer, value any) {
		t.Helper()
		schema, err := doc.Components.Schemas[schemaName(value)].Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(read[any](a)); err != nil {
			t.Errorf("%s: %v", a.what, err)
		}
	}
	id := r.begin()
	plan := "/sessions/" + id + "/plans/1"
	p := r.submit(id, samplePlan)
	step := p.Steps()[0].ID
	thread := r.api("POST", plan+"/threads", threadBody{Step: step, Quote: "Read a.go.", Body: "Why?"}).is(201)
	matches(thread, threadView{})
	r.person("Bo", review.RoleApprover, "bo-token")
	said := fmt.Sprint("/threads/", read[threadView](thread).ID, "/comments/", read[threadView](thread).Comments[0].Seq)
	matches(r.api("PUT", said+"/agreement", nil, as("bo-token")).is(200), threadView{})
	matches(r.api("PUT", said, editCommentBody{Body: "Why so?"}).is(200), threadView{})
	scoped := r.api("PUT", plan+"/scope", scopeBody{Files: []string{"b.go"}, Base: p.SHA256}).is(200)
	matches(scoped, planView{})
	p.SHA256 = read[planView](scoped).SHA256
	r.agent(id, planning.ReviewApproved{Version: 1, SHA256: p.SHA256})
	matches(r.api("PUT", plan+"/steps/"+step, rewriteBody{Markdown: "## Step 1: Look\n\nTwice.\n", Base: p.SHA256}).is(200), planView{})
	r.agent(id, planning.FileChanged{Path: "a.go", Exists: true, After: "x\n", Todo: step}, planning.TodoWritten{Items: []planning.Todo{{ID: step, Text: "Look"}}},
		planning.PermissionAsked{ID: "p1", Tool: "shell", Command: "make"})
	for path, view := range map[string]any{
		"/sessions": sessionsView{}, "/sessions/" + id: sessionView{}, "/sessions/" + id + "/events": eventsView{},
		"/sessions/" + id + "/changes": changesView{}, "/sessions/" + id + "/plans": plansView{},
		plan: planView{}, plan + "/diff": diffView{}, plan + "/feedback": feedbackView{},
	} {
		matches(r.api("GET", path, nil).is(200), view)
	}
	matches(r.api("GET", "/sessions/nothing", nil).is(404), errorBody{})
	st, err := r.db.State(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	now, _ := st.Plan()
	matches(r.api("POST", plan+"/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: now.SHA256}).is(200), planView{})
}
