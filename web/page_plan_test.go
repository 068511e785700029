package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// inReview is a browser on a plan that waits for its review.
func inReview(t *testing.T) (*browser, string, planning.Plan) {
	t.Helper()
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, samplePlan)
	return r.browse(r.owner).open("/sessions/" + id + "/plan"), id, p
}

func (r *rig) state(id string) planning.State {
	r.t.Helper()
	st, err := r.db.State(context.Background(), id)
	r.must(err)
	return st
}

func stepID(p planning.Plan, number int) string { return p.Steps()[number-1].ID }

func TestPlanPage_R1_ShowsEveryBlockWithItsTools(t *testing.T) {
	b, _, p := inReview(t)
	if n := b.doc.Find("article.step[data-v]").Length(); n != len(p.Blocks) {
		t.Errorf("%d blocks on the page, %d in the plan", n, len(p.Blocks))
	}
	for _, block := range p.Blocks {
		b.sees("#" + block.ID + ` [data-do="comment"]`).sees("#" + block.ID + ` [data-do="rewrite"]`)
	}
	b.sees("#"+stepID(p, 2)+" h2", "Change").sees("#"+stepID(p, 2)+" .no", "2")
	if got := b.text("#" + stepID(p, 2) + " h2"); got != "Change" {
		t.Errorf("the title is %q; its number stands in the gutter", got)
	}
	b.sees("#outline .files", "a.go", "go test ./...").sees("#bar", p.SHA256[:8])
	b.sees(`time[title][datetime]`).sees(`.hash[title="` + p.SHA256 + `"]`)
}

func TestPlanPage_R1_CommentReplyResolveByPlainForms(t *testing.T) {
	b, id, p := inReview(t)
	step := stepID(p, 2)
	b.open("/sessions/"+id+"/plan?comment="+step).submit(`form[action$="/threads"]`, "body", "Why <b>this</b>?\nSay more.")
	if b.at != "/sessions/"+id+"/plan" {
		t.Errorf("after a comment one is at %s", b.at)
	}
	b.sees("#"+step+" .thread .said", "Why <b>this</b>?").sees("#bar", "1 open comment").sees("#outline .badge", "1")
	thread := b.state(id).Threads[0]
	if thread.Step != step || thread.Comments[0].Body != "Why <b>this</b>?\nSay more." {
		t.Errorf("stored %+v", thread)
	}
	b.submit("#reply-"+thread.ID+" form", "body", "Because.").sees("#"+step+" .thread", "Because.")
	b.submit(`form[action$="/resolve"]`).sees("#"+step+" .thread.done", "resolved by Olivia").sees("#bar", "No open comments")
	b.submit(`form[action$="/reopen"]`).lacks("#" + step + " .thread.done")
}

func TestPlanPage_R1_CommentOnTheWholePlan(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+p.Blocks[0].ID).submit(`form[action$="/threads"]`, "body", "In general?")
	b.sees("#"+p.Blocks[0].ID+" .thread", "In general?")
	if step := b.state(id).Threads[0].Step; step != "" {
		t.Errorf("the comment is on %q, not on the plan", step)
	}
}

func TestPlanPage_EmptyCommentComesBackWithItsQuote(t *testing.T) {
	b, id, p := inReview(t)
	step := stepID(p, 1)
	b.open("/sessions/"+id+"/plan?comment="+step).submit(`form[action$="/threads"]`, "body", " ", "quote", "Read a.go.")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#"+step+" .composer .problem", "The comment is empty.").sees("#"+step+" .composer .quote", "Read a.go.")
	// The page that came back works like the one before.
	b.submit("#"+step+" .composer", "body", "Now with words").sees("#"+step+" .thread .quote", "Read a.go.")
}

func TestPlanPage_ReplyToNothingKeepsWhatWasTyped(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 1)).submit(`form[action$="/threads"]`, "body", "Hm")
	thread := b.state(id).Threads[0].ID
	long := strings.Repeat("long ", review.MaxComment/5+2)
	b.submit("#reply-"+thread+" form", "body", long)
	if b.status != http.StatusRequestEntityTooLarge {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#reply-"+thread+"[open] .problem", "too long")
	if b.doc.Find("#reply-"+thread+" textarea").Text() != long {
		t.Error("the reply is lost")
	}
}

func TestPlanPage_R1_EditsByPlainForms(t *testing.T) {
	b, id, p := inReview(t)
	one, two, three := stepID(p, 1), stepID(p, 2), stepID(p, 3)
	edit := func(step, op string) *browser { return b.open("/sessions/" + id + "/edit?step=" + step + "&op=" + op) }

	edit(two, "rewritten")
	if got := b.doc.Find(`#edit-form textarea[name="markdown"]`).Text(); got != "## Step 2: Change\n\nEdit a.go." {
		t.Errorf("the field has %q", got)
	}
	b.submit("#edit-form", "markdown", "## Step 2: Change\n\nEdit b.go.").sees("#"+two+" .tag.rewrite", "rewritten by Olivia").sees("#"+two+" .suggest", "Olivia rewrote")
	edit(three, "inserted").submit("#edit-form", "markdown", "## Step 4: Tell\n\nSay so.").sees("#outline", "Tell")
	edit(three, "moved").submit("#edit-form", "after", one)
	edit(two, "deleted").sees("#edit-form .letter", "Edit b.go.").submit("#edit-form").lacks("#" + two)

	st := b.state(id)
	plan, _ := st.Plan()
	var order []string
	for _, s := range plan.Steps() {
		order = append(order, s.Title)
	}
	if got := strings.Join(order, ","); got != "Look,Check,Tell" {
		t.Errorf("the steps are %s", got)
	}
	b.sees("#bar", "4 changes by reviewers", plan.SHA256[:8])
}

func TestPlanPage_R6_BothTextsAndTheChoice(t *testing.T) {
	b, id, p := inReview(t)
	two := stepID(p, 2)
	b.open("/sessions/" + id + "/edit?step=" + two)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open("/sessions/"+id+"/edit?step="+two).submit("#edit-form", "markdown", "## Step 2: Change\n\nBo's text.")

	b.submit("#edit-form", "markdown", "## Step 2: Change\n\nMy text.")
	if b.status != http.StatusConflict {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#conflict header", "Bo changed this step while you were writing").sees("#conflict textarea[readonly]", "Bo's text.")
	b.sees(`#conflict textarea[name="markdown"]`, "My text.").sees("#conflict [data-discard]", "Keep Bo’s")

	// Both into one: nothing is saved yet, and both are there.
	b.submit("#conflict", "merge", "both").sees(`#edit-form textarea[name="markdown"]`, "Bo's text.", "My text.")
	b.submit("#edit-form", "markdown", "## Step 2: Change\n\nOur text.")
	plan, _ := b.state(id).Plan()
	block, _ := plan.Block(two)
	if got := plan.Text(block); !strings.Contains(got, "Our text.") {
		t.Errorf("the step is %q", got)
	}
}

func TestPlanPage_R6_MineInItsPlace(t *testing.T) {
	b, id, p := inReview(t)
	two := stepID(p, 2)
	b.open("/sessions/" + id + "/edit?step=" + two)
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open("/sessions/"+id+"/edit?step="+two).submit("#edit-form", "markdown", "## Step 2: Change\n\nBo's text.")
	b.submit("#edit-form", "markdown", "## Step 2: Change\n\nMy text.").submit("#conflict", "merge", "")
	b.sees("#"+two+" .prose", "My text.")
}

func TestPlanPage_R6_AnotherStepIsNoConflict(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/" + id + "/edit?step=" + stepID(p, 2))
	bo := b.browse(b.rig.person("Bo", review.RoleReviewer, "bo"))
	bo.open("/sessions/"+id+"/edit?step="+stepID(p, 3)).submit("#edit-form", "markdown", "## Step 3: Check\n\nTwice.")
	b.submit("#edit-form", "markdown", "## Step 2: Change\n\nMine.").sees("#"+stepID(p, 2)+" .prose", "Mine.").sees("#"+stepID(p, 3)+" .prose", "Twice.")
}

func TestPlanPage_R4_R5_MarksWhatChangedSinceOneLooked(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 3)).submit(`form[action$="/threads"]`, "body", "Which tests?")
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	next := strings.Replace(samplePlan, "Read a.go.", "Read b.go.", 1)
	next = strings.Replace(next, "## Step 3: Check\n\nRun the tests.\n", "## Step 3: Finish\n\nTell everybody about all of it.\n", 1)
	v2 := b.submit2(id, next)

	b.open("/sessions/" + id + "/plan").sees(`main[data-version="2"][data-from="1"]`)
	b.sees("#"+stepID(v2, 1)+" del.was", "a").sees("#"+stepID(v2, 1)+" ins.now", "b").sees("#"+stepID(v2, 1)+" .tag.delta", "changed")
	b.lacks("#" + stepID(v2, 2) + " .mark")
	b.sees(".step.removed", "Check").sees("#"+stepID(v2, 3)+" .tag.new", "new in v2")
	b.sees("#detached .thread", "Which tests?").sees("#detached .old", "Run the tests.")

	b.open("/sessions/"+id+"/plan?version=1").lacks(".tools").lacks("#approve").sees("#bar", "version 1").sees("#detached, .thread", "Which tests?")
	if b.load("/sessions/" + id + "/plan?version=9"); b.status != http.StatusNotFound {
		t.Errorf("version 9: %d", b.status)
	}
}

// submit2 is a further version of the agent's.
func (b *browser) submit2(id, markdown string) planning.Plan {
	b.t.Helper()
	return b.rig.submit(id, markdown)
}

func TestPlanPage_ALiveUpdateComparesWithWhatWasShown(t *testing.T) {
	b, id, _ := inReview(t)
	for range 2 {
		b.open("/sessions/" + id + "/feedback").submit("#verdict")
		b.rig.submit(id, strings.Replace(samplePlan, "Read a.go.", "Read b.go.", 1))
	}
	b.open("/sessions/" + id + "/plan?from=1&shown=2").sees(`main[data-version="3"][data-from="2"]`)
	b.open("/sessions/" + id + "/plan?from=1&shown=3").sees(`main[data-version="3"][data-from="1"]`)
	b.open("/sessions/" + id + "/plan?from=7").sees(`main[data-from="2"]`)
}

func TestPlanPage_R7_AViewerOnlyLooks(t *testing.T) {
	b, id, p := inReview(t)
	v := b.browse(b.rig.person("Vera", review.RoleViewer, "vera"))
	v.open("/sessions/"+id+"/plan").lacks(".tools").lacks("#approve").lacks(`main form`).sees("#bar", "An approver decides")
	for path, fields := range map[string][]string{
		"/threads":  {"version", "1", "body", "x"},
		"/edits":    {"version", "1", "op", "deleted", "step", stepID(p, 1), "base", p.SHA256},
		"/decision": {"version", "1", "verdict", "approve", "sha256", p.SHA256},
		"/messages": {"text", "x"},
		"/pause":    {}, "/resume": {},
	} {
		a := v.form("/sessions/"+id+path, values(fields...), v.cookie)
		if a.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	if st := b.state(id); st.Seq != 5 {
		t.Errorf("the log has moved to %d", st.Seq)
	}
}

// What one types about a step that somebody deletes meanwhile comes back.
func TestPlanPage_R6_AVanishedStepKeepsWhatWasTyped(t *testing.T) {
	for form, field := range map[string]string{`form[action$="/threads"]`: "body", "#edit-form": "markdown"} {
		b, id, p := inReview(t)
		two := stepID(p, 2)
		path := "/sessions/" + id + "/plan?comment=" + two
		if field == "markdown" {
			path = "/sessions/" + id + "/edit?step=" + two
		}
		b.open(path)
		bo := b.rig.person("Bo", review.RoleReviewer, "bo")
		plan, _ := b.state(id).Plan()
		b.rig.record(id, func(s planning.State) ([]planning.Event, error) {
			return review.EditPlan(s, bo, review.NewEdit{Op: planning.EditDelete, Version: 1, Step: two, Base: plan.SHA256})
		})
		b.submit(form, field, "typed with care")
		if b.status != http.StatusConflict {
			t.Errorf("%s: status %d", form, b.status)
		}
		b.sees("main", "Bo has deleted this step").sees(`main textarea`, "typed with care")
	}
}

// record appends what an action of somebody else's answers.
func (r *rig) record(id string, decide func(planning.State) ([]planning.Event, error)) {
	r.t.Helper()
	_, err := planning.Decide(context.Background(), r.db, id, decide)
	r.must(err)
}
