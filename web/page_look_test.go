package web

import (
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// rewrite lets a person rewrite a step of the newest version.
func (r *rig) rewrite(by review.Person, id, step, markdown string) planning.Plan {
	r.t.Helper()
	r.record(id, func(s planning.State) ([]planning.Event, error) {
		now, _ := s.Plan()
		return review.EditPlan(s, by, review.NewEdit{Op: planning.EditRewrite, Version: now.Version, Step: step, Base: now.SHA256, Markdown: markdown})
	})
	now, _ := r.state(id).Plan()
	return now
}

// What changed since somebody looked is theirs alone, and within a version too.
func TestPlanPage_R5_ChangedSinceOneLastLooked(t *testing.T) {
	b, id, p := inReview(t)
	page := "/sessions/" + id + "/plan"
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo")).open(page).lacks("#since").lacks("#versions")
	one, two := stepID(p, 1), stepID(p, 2)
	b.rewrite(b.person, id, one, "## Step 1: Look\n\nRead c.go.")

	bo.open(page).sees("#"+one+" ins.now", "c").lacks("#"+two+" .mark").sees("#since", "Changed since you last looked")
	link, _ := bo.doc.Find("#since").Attr("href")
	bo.open(link).sees("#c-"+one+".changed ins.now", "c").lacks("#c-" + two + ".changed")
	// Somebody else has another base, and what comes while one is here adds up.
	b.browse(b.rig.person("Cy", review.RoleReviewer, "cy")).open(page).lacks("#since")
	b.rewrite(b.person, id, two, "## Step 2: Change\n\nEdit c.go.")
	bo.open(page).sees("#" + one + " .mark").sees("#" + two + " .mark")
	// An update of the page keeps what it is compared with.
	from, _ := bo.doc.Find("main").Attr("data-from")
	bo.open(page + "?shown=1&from=" + from).sees(`main[data-from="` + from + `"]`).sees("#" + two + " .mark")
}

// Neither a script nor a page that nobody sees counts as a look.
func TestPlanPage_R5_WhatIsNoLook(t *testing.T) {
	b, id, p := inReview(t)
	page := "/sessions/" + id + "/plan"
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open(page + "?away=yes")
	b.rig.do("GET", apiPrefix+"/sessions/"+id+"/plans/1", nil, as("bo")).is(200)
	b.rewrite(b.person, id, stepID(p, 1), "## Step 1: Look\n\nRead c.go.")
	bo.open(page).lacks("#since").lacks(".tag.delta")
}
