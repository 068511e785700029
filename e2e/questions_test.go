package e2e

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// TestQuestion_Q1_TheFirstAnswerWins: two people answer at the same time; one
// wins, and the other sees it and loses nothing of what they typed.
func TestQuestion_Q1_TheFirstAnswerWins(t *testing.T) {
	s, model := scripted(t, workspace(t, nil),
		fakeopenai.Calls(call("q", "ask_user", object{"questions": []object{
			{"id": "which", "question": "Which interface?", "options": []string{"Only the public one", "The internal one too"}},
			{"id": "more", "question": "Anything else?", "options": []string{"x", "y"}, "multiple": true},
		}})),
		fakeopenai.Text("Thanks."))
	ana := newBrowser(t)
	ana.open(s.link)
	link := ana.invite(s, "reviewer")
	bo := newBrowser(t)
	bo.join(link, "Bo")
	id := s.task("ask", object{"mode": "normal"})
	s.status(id, "waiting")
	bo.reads("#waiting .card", "Which interface?")
	ana.open(s.base + "/sessions/" + id + "/activity")
	bo.open(s.base + "/sessions/" + id + "/activity")
	for _, b := range []*browser{ana, bo} {
		b.until("the connection", `document.querySelector("#live .on")`)
		b.sees(".question fieldset")
	}
	bo.keys(".question fieldset textarea", "What Bo typed.")
	bo.until("his own words to be chosen", `document.querySelector(".question input[value=own]").checked`)

	// Numbers choose, an update leaves the choice alone, and Ana is faster.
	eval[bool](ana, `(document.querySelector(".question input[type=radio]").focus(), true)`)
	ana.press("2")
	ana.until("the second option", `document.activeElement.checked && document.activeElement.value === "1"`)
	eval[bool](ana, `(document.querySelector(".question input[type=checkbox]").focus(), true)`)
	ana.press("1")
	ana.click(".question .primary")
	ana.reads("#feed [data-answers]", "The internal one too")
	bo.reads(".question .problem", "The internal one too")
	if got := eval[string](bo, `document.querySelector(".question textarea").value`); got != "What Bo typed." {
		t.Errorf("of what Bo typed there is %q", got)
	}
	bo.open(s.base + "/sessions/" + id + "/questions")
	bo.until("his text beside the answer", `[...document.querySelectorAll(".ended textarea")].some(f => f.value === "What Bo typed." && f.checkVisibility())`)
	bo.click(".ended [data-forget]")
	bo.until("it to be gone", `![...document.querySelectorAll(".ended textarea")].some(f => f.checkVisibility())`)

	s.status(id, "done")
	results := 0
	for _, m := range model.Requests()[1].Messages() {
		if m.Role == "tool" && strings.Contains(m.Content, "Chosen: The internal one too") && strings.Contains(m.Content, "Chosen: x") {
			results++
		}
	}
	if results != 1 {
		t.Errorf("the answer reaches the model %d times", results)
	}
}
