package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
)

// story is a session with every event that is told of, and what is said.
var story = []struct {
	event planning.Event
	want  string // event, status, plan, verdict, actor, text
}{
	{by(agent, planning.PermissionAsked{ID: "p", Tool: "shell", Reason: private, Command: private, Detail: private}), "question_asked waiting - - agent/Agent “Rename <A & B>” waits for an answer."},
	{by(ada, planning.PermissionAnswered{ID: "p", Answer: planning.AnswerOnce}), ""},
	{submitted(1), "plan_submitted in_review 1/submitted1 - agent/Agent Version 1 of the plan for “Rename <A & B>” waits for review."},
	{decided(1, planning.VerdictRequestChanges), "decided planning 1/decided1 request_changes person/Ada Ada asked for changes to version 1 of the plan for “Rename <A & B>”."},
	{submitted(2), "plan_submitted in_review 2/submitted2 - agent/Agent Version 2 of the plan for “Rename <A & B>” waits for review."},
	{by(ada, planning.ReviewApproved{Version: 2, SHA256: "decided2"}), ""},
	{decided(2, planning.VerdictApprove), "decided executing 2/decided2 approve person/Ada Ada approved version 2 of the plan for “Rename <A & B>”."},
	{by(planning.System, planning.ModeChanged{From: planning.ModePlan, To: planning.ModeExecuting}), ""},
	{by(planning.System, planning.RunFailed{Message: private, Detail: private}), "failed failed 2/decided2 - system/Countersign “Rename <A & B>” failed."},
	{by(ada, planning.RunResumed{}), ""},
	{by(planning.System, planning.RunFinished{}), "done done 2/decided2 - system/Countersign “Rename <A & B>” is done."},
	{submitted(3), "plan_submitted in_review 3/submitted3 - agent/Agent Version 3 of the plan for “Rename <A & B>” waits for review."},
	{decided(3, planning.VerdictAbandon), "decided done 3/decided3 abandon person/Ada Ada stopped the work on version 3 of the plan for “Rename <A & B>”."},
}

func TestWebhook_R10_SaysWhoDidWhatToWhichHash(t *testing.T) {
	site, chat := newSite(t), newSite(t)
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		slack := chat.target()
		slack.Format, slack.Secret = "slack", ""
		begin(t, store, site.target(), slack)
		state, err := store.Append(t.Context(), "a", 0, created("Rename <A\n& B>"))
		if err != nil {
			t.Fatal(err)
		}
		var want, texts []string
		for _, s := range story {
			if state, err = store.Append(t.Context(), "a", state.Seq, s.event); err != nil {
				t.Fatal(err)
			}
			if s.want == "" {
				continue
			}
			want = append(want, s.want)
			_, text, _ := strings.Cut(s.want, "“")
			texts = append(texts, text)
			// The decision takes effect with the next request to the model.
			if status := strings.Fields(s.want)[1]; status != string(state.Status()) && status != "executing" {
				t.Errorf("%s says %s, the session is %s", s.want, status, state.Status())
			}
		}
		synctest.Wait()
		var got []string
		for _, l := range site.got() {
			got = append(got, line(l))
			if strings.Contains(string(l.body), private) {
				t.Errorf("the message says too much: %s", l.body)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		checkSlack(t, chat.got(), texts)
	})
}

func line(l letter) string {
	m, plan, verdict := l.message, "-", "-"
	if m.Plan != nil {
		plan = string(rune('0'+m.Plan.Version)) + "/" + m.Plan.SHA256
	}
	if m.Verdict != "" {
		verdict = string(m.Verdict)
	}
	if m.Session.ID != "a" || m.Session.Title != "Rename <A & B>" || m.Session.URL != "https://plans.example/sessions/a" || m.At.IsZero() {
		return "a session that is not the one"
	}
	return strings.Join([]string{string(m.Event), string(m.Session.Status), plan, verdict, string(m.Actor.Kind) + "/" + m.Actor.Name, m.Text}, " ")
}

func checkSlack(t *testing.T, letters []letter, texts []string) {
	t.Helper()
	if len(letters) != len(texts) {
		t.Fatalf("%d messages, want %d", len(letters), len(texts))
	}
	for i, l := range letters {
		var body map[string]string
		if err := json.Unmarshal(l.body, &body); err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(texts[i]) + "\nhttps://plans.example/sessions/a"
		if len(body) != 1 || !strings.HasSuffix(body["text"], "“"+want) {
			t.Errorf("Slack gets %v, want … “%s", body, want)
		}
		if l.Get("Countersign-Signature") != "" || l.Get("Countersign-Delivery") == "" {
			t.Errorf("headers: %v", l.Header)
		}
	}
}

func TestWebhook_TheSignatureIsOfTimeAndBody(t *testing.T) {
	site := newSite(t)
	synctest.Test(t, func(t *testing.T) {
		store := newDB(t)
		begin(t, store, site.target())
		record(t, store, "a", submitted(1))
		synctest.Wait()
		l := site.got()[0]
		at, signature, found := strings.Cut(strings.TrimPrefix(l.Get("Countersign-Signature"), "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + "." + string(l.body)))
		if !found || signature != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signature %q of %s", l.Get("Countersign-Signature"), l.body)
		}
		if at != "946684800" { // the clock of the test
			t.Errorf("signed at %s", at)
		}
		if l.Get("Countersign-Delivery") != l.message.ID || l.Get("Countersign-Event") != "plan_submitted" || l.Get("Content-Type") != "application/json" {
			t.Errorf("headers: %v", l.Header)
		}
	})
}
