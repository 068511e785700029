package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/web/templates"
)

func TestPrint_R10_TheApprovedPlanWithItsApprovals(t *testing.T) {
	b, id, p := inReview(t)
	b.open("/sessions/"+id+"/print").sees(".not-approved", "has not been approved")
	b.open("/sessions/"+id+"/plan?comment="+stepID(p, 2)).submit(`form[action$="/threads"]`, "body", "Why <b>so</b>?")
	b.submit(`form[action$="/resolve"]`)
	now := b.rewrite(b.person, id, stepID(p, 1), "## Step 1: Look\n\nRead c.go.")
	b.open("/sessions/"+id+"/plan").submit("#approve", "note", "Go on.")

	b.open("/sessions/"+id+"/print").lacks(".not-approved").lacks("nav, .top, .decide, form").sees("#approvals", "Olivia", "UTC", now.SHA256, "Go on.")
	b.sees(".particulars .whole-hash", now.SHA256).sees(".paper-plan .paper-step .no", "2").sees(".paper-plan", "Some words before.", "Read c.go.").lacks(".paper-plan ins")
	b.sees("#scope", "a.go", "go test ./...").sees("#edits", "Olivia", "Look")
	b.sees("#comments", "On step 2, Change, v1", "Why <b>so</b>?", "resolved by Olivia")
	b.rig.submit(id, samplePlan)
	b.open("/sessions/"+id+"/print").sees(".particulars .whole-hash", now.SHA256).open("/sessions/"+id+"/print?version=2").sees(".not-approved").sees("#approvals", "None.")
	for _, path := range []string{"/sessions/" + id + "/print?version=9", "/sessions/" + b.begin() + "/print"} {
		if b.load(path); b.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, b.status)
		}
	}
}

func TestHistory_R10_EachEditLeadsToWhatItChanged(t *testing.T) {
	b, id, p := inReview(t)
	one, two := stepID(p, 1), stepID(p, 2)
	b.rewrite(b.person, id, one, "## Step 1: Look\n\nRead c.go.")
	b.rewrite(b.person, id, two, "## Step 2: Change\n\nEdit c.go.")
	b.open("/sessions/" + id + "/history").sees(`a[href="print"]`).sees(`a[href="compare"]`)
	link, _ := b.doc.Find("#log a.link").First().Attr("href") // the newest comes first
	b.open("/sessions/" + id + "/" + link).sees("#c-" + two + ".changed").lacks("#c-" + one + ".changed")
	link, _ = b.open("/sessions/" + id + "/history").doc.Find("#log a.link").Last().Attr("href")
	b.open("/sessions/" + id + "/" + link).sees("#c-" + one + ".changed").lacks("#c-" + two + ".changed")
}

// Whatever a person did is in the history, in words of its own and, where it is
// about a text of the plan, under its hash.
func TestHistory_R10_EverythingThatPeopleDo(t *testing.T) {
	bo := planning.Actor{Kind: planning.ActorPerson, ID: "bo", Name: "Bo"}
	said := map[string]planning.Kind{}
	for _, payload := range []planning.Payload{
		planning.SessionCreated{Title: "T"}, planning.UserMessage{Text: "x"}, planning.ModeChanged{To: planning.ModePlan},
		planning.StepEdited{Op: planning.EditRewrite, SHA256: "h"}, planning.StepEdited{Op: planning.EditInsert, SHA256: "h"},
		planning.StepEdited{Op: planning.EditDelete, SHA256: "h"}, planning.StepEdited{Op: planning.EditMove, SHA256: "h"},
		planning.ScopeEdited{SHA256: "h"}, planning.EditUndone{Op: planning.EditRewrite, SHA256: "h"},
		planning.ThreadOpened{Version: 1, Body: "x"}, planning.ThreadReplied{Body: "x"}, planning.ThreadResolved{}, planning.ThreadReopened{},
		planning.CommentEdited{Body: "x"}, planning.CommentDeleted{}, planning.CommentAgreed{}, planning.AgreementWithdrawn{},
		planning.ReviewApproved{Version: 1, SHA256: "h"}, planning.ApprovalWithdrawn{Version: 1, SHA256: "h"},
		planning.ReviewDecided{Version: 1, Verdict: planning.VerdictAbandon, SHA256: "h"},
		planning.PermissionAnswered{Answer: planning.AnswerOnce}, planning.RunPaused{Reason: "Paused by Bo."}, planning.RunResumed{},
	} {
		r, err := planning.NewRecord("s", 1, time.Now(), planning.Event{Actor: bo, Payload: payload})
		if err != nil {
			t.Fatal(err)
		}
		if !templates.HistoryKinds[r.Kind] {
			t.Errorf("%s is not in the history", r.Kind)
		}
		words, _, sha := templates.HistoryLine(context.Background(), r)
		if other, twice := said[words]; words == "" || twice {
			t.Errorf("%s says %q, as does %s", r.Kind, words, other)
		}
		said[words] = r.Kind
		if strings.Contains(string(r.Data), `"sha256":"h"`) && sha != "h" {
			t.Errorf("%s has no hash", r.Kind)
		}
	}
}
