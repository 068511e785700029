package web

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/review"
)

// deeds are the kinds of what is on the record, oldest first, with who did it
// to whom.
func (r *rig) deeds() string {
	r.t.Helper()
	var list []string
	for _, d := range read[deedsView](r.api("GET", "/people/record", nil).is(200)).Deeds {
		list = append([]string{strings.TrimSpace(d.ByName + " " + string(d.Kind) + " " + d.Name)}, list...)
	}
	return strings.Join(list, ", ")
}

func TestPeople_R7_TheRecordSaysWhoDidWhatToWhom(t *testing.T) {
	r := newRig(t)
	b := r.browse(r.owner)
	ben := r.person("Ben", review.RoleViewer, "ben")
	b.open("/people").submit("#invite", "role", "approver")
	b.open("/people").submit(`form[action$="/withdraw"]`)
	b.open("/people/"+ben.ID).submit("#role", "role", "approver")
	own := r.browse(ben)
	own.open("/people/me").submit("#token", "name", "builds", "role", "viewer")
	own.open("/people/me").submit(`form[action$="/revoke"]`)
	b.open("/people/" + ben.ID).submit(`form[action$="/link"]`)
	b.open("/people/" + ben.ID).submit(`form[action$="/remove"]`)
	want := "added Olivia, Olivia signed_in Olivia, added Ben, Ben token_made Ben, Olivia invited, Olivia invitation_ended, Olivia role_changed Ben, " +
		"Ben signed_in Ben, Ben token_made Ben, Ben token_revoked Ben, Olivia link_made Ben, Olivia removed Ben"
	if got := r.deeds(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b.open("/people/record").sees(".deeds li:first-child", "Olivia removed Ben").sees(".deeds", "Olivia made Ben approver; before: viewer").
		sees(".deeds", "Ben made the token “builds” as viewer").sees(".deeds li:last-child", "the server added Olivia as owner")
}

// Who comes back is the same person, so what they wrote is theirs.
func TestPeople_R7_ARemovedPersonComesBack(t *testing.T) {
	r := newRig(t)
	ben := r.person("Ben", review.RoleReviewer, "ben")
	id := r.begin()
	r.submit(id, samplePlan)
	read[threadView](r.do("POST", apiPrefix+"/sessions/"+id+"/plans/1/threads", strings.NewReader(`{"body":"Why?"}`), as("ben")).is(201))
	b := r.browse(r.owner)
	b.open("/people/" + ben.ID).submit(`form[action$="/remove"]`)
	b.open("/people").sees("#removed .what", "Ben")
	b.form("/people/"+ben.ID+"/readmit", values("role", "king"), b.cookie).is(http.StatusUnprocessableEntity)
	b.submit("#removed form", "role", "approver").sees("h1", "Ben").sees(".chip", "approver")
	b.open("/people").lacks("#removed")
	r.do("GET", apiPrefix+"/sessions", nil, as("ben")).is(401) // what they had is not theirs again
	back, err := r.db.Person(t.Context(), ben.ID)
	if err != nil || back.Name != "Ben" || back.Role != review.RoleApprover {
		t.Errorf("%+v, %v", back, err)
	}
	if by := r.state(id).Threads[0].Comments[0].By; by.ID != ben.ID {
		t.Errorf("the comment is %+v's", by)
	}
	r.api("POST", "/people/"+ben.ID+"/readmit", roleBody{Role: review.RoleViewer}).is(404)
	r.api("DELETE", "/people/"+ben.ID, nil).is(200)
	if list := read[peopleView](r.api("GET", "/people/removed", nil).is(200)).People; len(list) != 1 || list[0].ID != ben.ID {
		t.Errorf("removed: %+v", list)
	}
	if p := read[review.Person](r.api("POST", "/people/"+ben.ID+"/readmit", roleBody{Role: review.RoleViewer}).is(200)); p.Role != review.RoleViewer {
		t.Errorf("%+v", p)
	}
	if got := r.deeds(); !strings.Contains(got, "Olivia readmitted Ben") {
		t.Error(got)
	}
}
