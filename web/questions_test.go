package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/review"
)

// asks lets the agent of a session ask two questions and wait.
func (r *rig) asks(session string) {
	r.t.Helper()
	r.agent(session, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c1", Name: "ask_user", Arguments: "{}"}}},
		planning.QuestionAsked{ID: "q1", Call: "c1", Questions: []planning.Question{
			{ID: "which", Question: "Which <b>one</b>?", Options: []string{"Only the public one", "Both"}},
			{ID: "parts", Question: "Which parts?", Options: []string{"a", "b", "c"}, Multiple: true},
			{ID: "why", Question: "Why?"},
		}}, planning.RunParked{Wait: planning.WaitQuestion})
}

func TestQuestion_Q1_AnsweredByTheAPI(t *testing.T) {
	r := newRig(t)
	r.team()
	id := r.begin()
	r.asks(id)
	got := read[sessionView](r.api("GET", "/sessions/"+id, nil).is(200))
	if len(got.Questions) != 1 || got.Questions[0].ID != "q1" || got.Questions[0].Questions[0].Options[1] != "Both" || got.Status != planning.StatusWaiting {
		t.Fatalf("%+v, %s", got.Questions, got.Status)
	}
	path := "/sessions/" + id + "/questions/q1/answer"
	r.person("Vi", review.RoleViewer, "vi")
	body := answerBody{Answers: []planning.QuestionAnswer{{ID: "which", Selected: []string{"Both"}}, {ID: "parts", Selected: []string{"a"}, Custom: "d"}, {ID: "why", Custom: "So."}}}
	r.api("POST", path, body, as("vi")).fails(403, fault.Forbidden, "")
	r.api("POST", path, answerBody{}).fails(422, fault.Invalid, "which")
	r.api("POST", "/sessions/"+id+"/questions/q9/answer", body).fails(404, fault.NotFound, "")
	got = read[sessionView](r.api("POST", path, body, as("chen")).is(200))
	if len(got.Questions) != 0 || got.Run.Phase != planning.PhaseRunning {
		t.Errorf("after the answer: %+v, %+v", got.Questions, got.Run)
	}
	for _, late := range []answerBody{body, {Dismiss: true}} {
		a := r.api("POST", path, late, as("bo"))
		a.fails(409, fault.Conflict, "")
		now, _ := read[errorBody](a).Error.Current.(map[string]any)
		if by, _ := now["answered_by"].(map[string]any); by["name"] != "Chen" || !strings.Contains(a.body, `"custom":"So."`) {
			t.Errorf("the conflict carries %v", now)
		}
	}
	r.api("GET", "/sessions/"+id+"/events", nil).is(200).says("question.asked").says("question.answered")

	r.asks(id) // q1 again would be another record; its first is what counts
	other := r.begin()
	r.asks(other)
	st := read[sessionView](r.api("POST", "/sessions/"+other+"/questions/q1/answer", answerBody{Dismiss: true}).is(200))
	if st.Run.Wait != planning.WaitMessage || len(st.Questions) != 0 {
		t.Errorf("dismissed: %+v", st.Run)
	}
}

func TestQuestion_Q1_AnsweredOnItsPage(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.asks(id)
	b := r.browse(r.person("Bo", review.RoleReviewer, "bo"))
	b.open("/").sees("#waiting .card", "Which <b>one</b>?", "Asks a question").sees(`#waiting a[href$="/questions"]`)
	b.open("/sessions/"+id+"/plan").sees(`a[href$="/questions"]`, "Answer the agent’s question")
	b.open("/sessions/"+id).sees("#ask-q1 legend", "Which <b>one</b>?").sees("#ask-q1 fieldset:nth-of-type(2) input[type=checkbox]")
	r.browse(r.person("Vi", review.RoleViewer, "vi")).open("/sessions/"+id+"/questions").lacks("#ask-q1 form").sees("#ask-q1", "Both", "A reviewer answers this.")

	// What can't be taken comes back as it was.
	b.submit("#ask-q1 form", "c0", "1", "t2", "Because\nof it.")
	if b.status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", b.status)
	}
	b.sees("#t-q1-1-problem", "Please choose an option").sees(`#ask-q1 input[name=c0][value="1"][checked]`).sees("#t-q1-2", "Because of it.")
	b.submit("#ask-q1 form", "c1", "2", "t1", "and d").lacks("#ask-q1").sees("#ended-q1", "Bo answered", "Both", "and d", "Because of it.")
	q, _ := b.state(id).Inquiry("q1")
	if got, _ := json.Marshal(q.Answers); string(got) != `[{"id":"which","selected":["Both"]},{"id":"parts","selected":["c"],"custom":"and d"},{"id":"why","selected":[],"custom":"Because\nof it."}]` {
		t.Errorf("stored %s", got)
	}
	b.open("/sessions/"+id+"/activity").sees("#feed", "The agent asks", "Which parts?", "Bo answered", "and d")
	b.open("/sessions/"+id+"/history").sees("#log", "Agent asked", "Bo answered", "Both")
	for _, format := range []string{"md", "json"} {
		b.do(http.MethodGet, "/sessions/"+id+"/export?format="+format, nil, b.cookie).is(200).says("Which parts?").says("Only the public one").says("and d")
	}
}

func TestQuestion_Q1_TheSecondAnswerIsKept(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.asks(id)
	bo, chen := r.browse(r.person("Bo", review.RoleReviewer, "bo")), r.browse(r.person("Chen", review.RoleReviewer, "chen"))
	bo.open("/sessions/" + id + "/activity")
	chen.open("/sessions/"+id+"/questions").submit("#ask-q1 form", "c0", "0", "c1", "0", "t2", "First.")
	bo.submit("#ask-q1 form", "c0", "1", "c1", "1", "t2", "What Bo typed.")
	if bo.status != http.StatusConflict {
		t.Fatalf("status %d", bo.status)
	}
	bo.sees("#late-problem-q1", "Chen has already answered this.").sees("#ended-q1", "First.", "Only the public one").sees("#mine-q1-2", "What Bo typed.").lacks("#ask-q1")
	// Own words replace a single choice, also where no script helps.
	other := r.begin()
	r.asks(other)
	bo.open("/sessions/"+other+"/questions").submit("#ask-q1 form", "c0", "1", "t0", "Neither.", "c1", "0", "t2", "x").sees("#ended-q1 dd", "Neither.")
	if q, _ := bo.state(other).Inquiry("q1"); len(q.Answers[0].Selected) != 0 || q.Answers[0].Custom != "Neither." {
		t.Errorf("stored %+v", q.Answers[0])
	}
}

func TestQuestion_Q5_SomethingElseInstead(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.asks(id)
	b := r.browse(r.owner).open("/sessions/" + id + "/activity")
	b.submit("#ask-q1 form", "dismiss", "yes").lacks("#ask-q1").sees("#state-calm", "waits for your message").sees("#feed", "Olivia says something else instead")
	b.open("/").sees("#waiting .card", "Waits for a message")
	b.open("/sessions/"+id+"/questions").sees("#ended-q1", "no answer")

	other := r.begin()
	r.asks(other)
	b.open("/sessions/"+other+"/activity").submit("#say", "text", "Do it another way.").lacks("#ask-q1")
	if q, _ := b.state(other).Inquiry("q1"); q.Outcome != planning.InquiryDismissed || !b.state(other).Runnable() {
		t.Errorf("%+v", q)
	}
}

// What waits is told once for each question, to those who may answer it.
func TestQuestion_R8_WaitsForReviewers(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.asks(id)
	waiting := func(token string) waitingView {
		return read[waitingView](r.do(http.MethodGet, "/waiting", nil, as(token)).is(200))
	}
	r.person("Bo", review.RoleReviewer, "bo")
	r.person("Vi", review.RoleViewer, "vi")
	got := waiting("bo")
	if len(got.Items) != 1 || got.Items[0].Text != "The agent asks a question" || !strings.HasSuffix(got.Items[0].URL, "/questions") || !strings.HasSuffix(got.Items[0].Key, " question q1") {
		t.Errorf("Bo: %+v", got)
	}
	if n := len(waiting("vi").Items); n != 0 {
		t.Errorf("%d things wait for a viewer", n)
	}
}
