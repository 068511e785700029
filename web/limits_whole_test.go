package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// TestInput_S1_APlanStaysBelow1MB: however little a person adds to it.
func TestInput_S1_APlanStaysBelow1MB(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	const start = "# T\n\n## Step 1: a\n\n"
	const last = "\n\n## Step 2: b\n\n"
	p := r.submit(id, start+strings.Repeat("y", document.MaxPlan-10_000-len(start)-len(last))+last+"z\n")
	room := document.MaxPlan - len(p.Markdown) + 1 // for its "z"
	rewrite := func(n int) answer {
		return r.api("PUT", "/sessions/"+id+"/plans/1/steps/"+stepID(p, 2), rewriteBody{Markdown: "## Step 2: b\n\n" + strings.Repeat("x", n), Base: p.SHA256})
	}
	before := r.hub.Appended()
	if said := rewrite(room+1).fails(413, fault.TooLarge, "markdown"); !strings.Contains(said, "The plan would be longer than 1 MB") {
		t.Errorf("it says %q", said)
	}
	if r.hub.Appended() != before {
		t.Error("something was written")
	}
	rewrite(room).is(200)
	if got, _ := r.state(id).Plan(); len(got.Markdown) != document.MaxPlan {
		t.Errorf("the plan has %d bytes", len(got.Markdown))
	}
}

// TestEdit_R6_AStepOf1MBCanBeEditedOnThePage: the form carries the text that was
// seen along, and a letter of three bytes takes nine there.
func TestEdit_R6_AStepOf1MBCanBeEditedOnThePage(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	p := r.submit(id, "# T\n\n## Step 1: a\n\nb\n\n## Step 2: c\n\n"+strings.Repeat("文", 340_000)+"\n")
	b := r.browse(r.owner)
	b.open("/sessions/" + id + "/edit?step=" + stepID(p, 2))
	form := b.fields(b.doc.Find("#edit-form"))
	form.Set("markdown", "## Step 2: c\n\n"+strings.Repeat("字", 80_000))
	r.form("/sessions/"+id+"/edits", form, b.cookie).is(303)
	if got, _ := r.state(id).Plan(); !strings.Contains(got.Markdown, "字") || len(form.Get("seen")) < 1_000_000 {
		t.Errorf("the step was not rewritten, or the form had only %d bytes of it", len(form.Get("seen")))
	}
}

// TestQuestion_Q1_TenLongAnswersGetThrough: each as long as it may be, from a
// form, in letters that take the most room there.
func TestQuestion_Q1_TenLongAnswersGetThrough(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	form, questions := url.Values{}, make([]planning.Question, planning.MaxQuestions)
	for i := range questions {
		questions[i] = planning.Question{ID: fmt.Sprint("q", i), Question: "?"}
		form.Set(fmt.Sprintf("t%d", i), strings.Repeat("文", planning.MaxCustom/3))
	}
	r.agent(id, planning.ModelMessage{Calls: []planning.ToolCall{{ID: "c", Name: "ask_user", Arguments: "{}"}}},
		planning.QuestionAsked{ID: "q", Call: "c", Questions: questions}, planning.RunParked{Wait: planning.WaitQuestion})
	r.form("/sessions/"+id+"/questions/q", form, header("Cookie: "+r.cookie(r.owner))).is(303)
	if q, _ := r.state(id).Inquiry("q"); q.Open() {
		t.Error("it is still open")
	}
}
