package web

import (
	"testing"

	"countersign/internal/review"

	"github.com/google/jsonschema-go/jsonschema"
)

// What the API answers about people is what its description says.
func TestOpenAPI_PeopleAreAsDescribed(t *testing.T) {
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
	bo := r.person("Bo", review.RoleViewer, "bo")
	r.browserOf(r.owner, firefox)
	matches(r.api("POST", "/people/me/tokens", tokenBody{Name: "x", Role: review.RoleViewer, Hours: 1}).is(201), tokenView{})
	matches(r.api("POST", "/people/me/tokens", tokenBody{Name: "y", Role: review.RoleViewer}).is(201), tokenView{})
	matches(r.api("GET", "/people/me/tokens", nil).is(200), tokensView{})
	matches(r.api("GET", "/people/"+r.owner.ID+"/sign-ins", nil).is(200), signInsView{})
	matches(r.api("POST", "/people/"+bo.ID+"/link", nil).is(201), wayInView{})
	matches(r.api("POST", "/invitations", inviteBody{Role: review.RoleViewer}).is(201), invitationView{})
	matches(r.api("GET", "/invitations", nil).is(200), invitationsView{})
	matches(r.api("PUT", "/people/"+bo.ID, roleBody{Role: review.RoleApprover}).is(200), review.Person{})
	matches(r.api("DELETE", "/people/"+bo.ID, nil).is(200), peopleView{})
	matches(r.api("GET", "/people", nil).is(200), peopleView{})
}
