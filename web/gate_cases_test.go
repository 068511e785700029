package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"

	"github.com/PuerkitoBio/goquery"
)

// Where other tools of this kind went wrong between a plan and its approval.

// An approval is of the text that was shown, in the session in which it was.
func TestGate_P16_TheHashOfAnotherSessionApprovesNothing(t *testing.T) {
	b, id, _ := inReview(t)
	other := b.rig.begin()
	p := b.rig.submit(other, strings.Replace(samplePlan, "Read a.go.", "Read all.", 1))
	b.api("POST", "/sessions/"+id+"/plans/1/decision", decisionBody{Verdict: planning.VerdictApprove, SHA256: p.SHA256}).is(http.StatusConflict)
	if !b.state(id).InReview() || !b.state(other).InReview() {
		t.Error("one of the two is approved")
	}
}

// Versions belong to the session, whatever the plan is called.
func TestGate_R5_AnotherTitleIsTheNextVersion(t *testing.T) {
	b, id, _ := inReview(t)
	b.says(id, "", "Shorter, please.")
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	p := b.rig.submit(id, "# Something else\n\n## Step 1: Look\n\nRead a.go.\n")
	if p.Version != 2 || len(b.state(id).Plans) != 2 {
		t.Errorf("version %d of %d", p.Version, len(b.state(id).Plans))
	}
	b.open("/sessions/"+id+"/plan").sees("#document", "Shorter, please.")
}

func TestGate_R9_CommentsGoAlongWithTheApproval(t *testing.T) {
	b, id, p := inReview(t)
	b.says(id, stepID(p, 1), "Mind the tests.")
	b.open("/sessions/"+id+"/plan").submit("#approve").sees("#letter", "Mind the tests.").submit("#verdict")
	now, _ := b.state(id).Plan()
	if now.Status != planning.PlanApproved || !strings.Contains(now.Decision.Result, "Mind the tests.") {
		t.Errorf("%s: the agent gets %q", now.Status, now.Decision.Result)
	}
}

// Who comments on what was decided meanwhile is told so, with the text kept.
func TestGate_R6_ALateCommentKeepsItsText(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/" + id + "/plan?comment=" + stepID(p, 1))
	chen := b.browse(b.person).open("/sessions/" + id + "/plan")
	chen.submit("#approve")
	b.submit(`form[action$="/threads"]`, "body", "Wait, not yet!")
	if b.status != http.StatusConflict || len(b.state(id).Threads) != 0 {
		t.Errorf("status %d, %d threads", b.status, len(b.state(id).Threads))
	}
	b.sees(`textarea[name=body]`, "Wait, not yet!").sees(".problem, #alert", "has approved this version")
}

// No field of a comment or a note belongs to the form that approves, so that
// no key in one of them can send it.
func TestGate_P15_NothingButItsButtonApproves(t *testing.T) {
	b, id, p := inReview(t)
	for n := range 50 {
		b.says(id, stepID(p, 1+n%3), fmt.Sprintf("Comment %d.", n))
	}
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 1)).sees("#bar #approve-button").sees("#bar", "50 open comments")
	form := b.doc.Find("#approve")
	if n := form.Find("input:not([type=hidden]), textarea, select").Length(); n > 0 {
		t.Errorf("%d fields in the form that approves", n)
	}
	b.doc.Find("[form=approve]").Each(func(_ int, s *goquery.Selection) {
		if !s.Is("textarea") {
			t.Errorf("a field outside sends it with Enter: %s", s.AttrOr("name", ""))
		}
	})
	if n := b.doc.Find("form form").Length(); n > 0 {
		t.Errorf("%d forms inside others", n)
	}
}
