package web

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// notKept is a browser of the owner on a version in which the agent kept
// nothing of what they had done to the one before: a rewrite of step 1, a step
// behind it, a deletion of step 2, the scope.
func notKept(t *testing.T) (b *browser, id string, p planning.Plan) {
	t.Helper()
	b, id, p = inReview(t)
	one, two := stepID(p, 1), stepID(p, 2)
	b.open("/sessions/"+id+"/edit?step="+one).submit("#edit-form", "markdown", "## Step 1: Look\n\nRead a.go twice.")
	b.open("/sessions/"+id+"/edit?op=inserted&step="+one).submit("#edit-form", "markdown", "## Step 2: Ask\n\nAsk somebody who knows it.")
	b.open("/sessions/" + id + "/edit?op=deleted&step=" + two).submit("#edit-form")
	b.open("/sessions/"+id+"/scope").submit("#scope-form", "files", "b.go")
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	return b, id, b.rig.submit(id, samplePlan)
}

func TestPlanPage_P27_NotKeptIsAskedForAgain(t *testing.T) {
	b, id, p := notKept(t)
	one := stepID(p, 1)
	b.open("/sessions/"+id+"/plan").sees("#bar .chip.bad", "The model did not keep 4 things that reviewers wrote")
	b.sees("#"+one+" .unkept", "The agent did not keep what Olivia wrote", "Read a.go twice.", "It is asked for again")
	b.open("/sessions/"+id+"/feedback").sees("#letter", "Read a.go twice.", "A step that you left out was written by Olivia.", "was deleted by Olivia. Leave it out.", `"b.go"`, "It still stands; use it word for word.")
	b.submit("#verdict")
	b.rig.submit(id, samplePlan)
	b.open("/sessions/"+id+"/feedback").sees("#letter", "Read a.go twice.", "A step that you left out was written by Olivia.", "was deleted by Olivia. Leave it out.", `"b.go"`)
}

func TestPlanPage_P27_TakingTheAgentsText(t *testing.T) {
	b, id, p := notKept(t)
	one := stepID(p, 1)
	dora := b.browse(b.rig.person("Dora", review.RoleReviewer, "dora")).open("/sessions/" + id + "/plan")
	dora.sees("#"+one+" .unkept", "Put Olivia’s text back").lacks(`form[action$="/release"]`)
	b.open("/sessions/" + id + "/plan").submit("#" + one + ` form[action$="/release"]`).lacks("#" + one + " .unkept").lacks("#" + one + " .tag.bad")
	b.sees("#"+one+" .suggest", "Olivia took the agent’s text").sees("#bar", "did not keep 3 things").lacks("#bar .sum > span:contains('changes by reviewers')")
	b.open("/sessions/"+id+"/history").sees("main", "Olivia took the agent’s text")
	b.open("/sessions/"+id+"/activity").sees("main", "Olivia took the agent’s text")
	if text := b.rig.do("GET", "/sessions/"+id+"/export?format=md", nil, b.cookie).is(200).body; !strings.Contains(text, "Olivia took the agent's text of step 1 “Look”") {
		t.Error("the export does not say so")
	}
	b.open("/sessions/" + id + "/plan").submit("#" + one + ` form[action$="/undo"]`).sees("#" + one + " .unkept")
	b.open("/sessions/"+id+"/history").sees("main", "Olivia asks again for what a reviewer had made")
}

func TestPlanPage_P27_OneClickMakesItAgain(t *testing.T) {
	b, id, p := notKept(t)
	one, two := stepID(p, 1), stepID(p, 2)
	b.open("/sessions/"+id+"/plan").sees("#"+one+" .unkept button[name=again]", "Put my text back")
	b.submit("#"+one+` .unkept form[action$="/edits"]`).sees("#"+one, "Read a.go twice.").sees("#"+one+" .tag.rewrite", "rewritten by Olivia")
	b.submit(`.step.removed .unkept form[action$="/edits"]`).sees("#document", "Ask somebody who knows it.")
	b.submit("#" + two + ` .unkept form[action$="/edits"]`).lacks("#" + two).sees("#gone-" + two)
	b.submit(`.unkept form[action$="/scope"]`).sees("#outline .files", "b.go").lacks(".unkept").lacks("#bar .chip.bad")
	now, _ := b.state(id).Plan()
	var titles []string
	for _, s := range now.Steps() {
		titles = append(titles, s.Title)
	}
	if got := strings.Join(titles, ", "); got != "Look, Ask, Check" {
		t.Errorf("steps: %s", got)
	}
}

// Who approves what was not kept is asked once, with the step by name.
func TestPlanPage_P27_ApprovingAsksOnceAndNamesTheStep(t *testing.T) {
	b, id, _ := notKept(t)
	b.open("/sessions/"+id+"/plan").submit("#approve").sees("h1", "Approve what the agent did not keep?")
	b.sees("#not-kept", "Step 1, “Look”, which Olivia rewrote", "The step “Ask”, which Olivia wrote and the agent left out", "Step 2, “Change”, which Olivia deleted", "The scope that Olivia set")
	if !b.state(id).InReview() {
		t.Fatal("approved at once")
	}
	b.submit("#verdict")
	if b.state(id).InReview() {
		t.Error("not approved the second time")
	}
}

func TestAPI_P27_Release(t *testing.T) {
	b, id, p := notKept(t)
	one := stepID(p, 1)
	path := "/sessions/" + id + "/plans/2"
	v := b.rig.planNow(id, 2)
	if len(v.NotKept) != 4 || v.NotKept[0].Step != one || v.NotKept[0].By.Name != "Olivia" || !strings.Contains(v.NotKept[0].Text, "Read a.go twice.") {
		t.Errorf("not kept: %+v", v.NotKept)
	}
	b.api("POST", path+"/steps/"+one+"/release", releaseBody{Of: planning.EditMove}).is(http.StatusNotFound)
	v = read[planView](b.api("POST", path+"/steps/"+one+"/release", releaseBody{}).is(200))
	if len(v.NotKept) != 3 || v.Steps[0].Broken || v.SHA256 != p.SHA256 {
		t.Errorf("after the release: %+v", v.NotKept)
	}
	b.api("POST", path+"/steps/"+one+"/release", releaseBody{}).is(http.StatusConflict)
	v = read[planView](b.api("POST", path+"/scope/release", struct{}{}).is(200))
	if len(v.NotKept) != 2 || v.ScopeKeep != nil {
		t.Errorf("after the release of the scope: %+v", v.NotKept)
	}
	b.rig.person("Dora", review.RoleReviewer, "dora")
	b.api("POST", path+"/steps/"+v.NotKept[0].Step+"/release", releaseBody{}, as("dora")).is(http.StatusForbidden)
}
