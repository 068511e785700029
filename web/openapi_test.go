package web

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"testing"
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
	// Goals and questions come with a later version.
	for _, later := range []string{"/goal", "/questions/{qid}/answer"} {
		if doc.Paths["/sessions/{id}"+later] != nil {
			t.Errorf("%s is described", later)
		}
		r.api("POST", "/sessions/x"+strings.ReplaceAll(later, "{qid}", "q"), nil).is(404)
	}
}
