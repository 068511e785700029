package e2e

import (
	"net/http"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"

	"github.com/chromedp/chromedp/kb"
)

// TestLive_AMessageInReviewIsMarkedUntilTheAgentHasIt: one who writes while a
// plan waits sees that it is not there yet, and sees when it is.
func TestLive_AMessageInReviewIsMarkedUntilTheAgentHasIt(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}),
		fakeopenai.Calls(submitPlan("p1")), fakeopenai.Calls(submitPlan("p2")))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/activity")
	b.sees("#say")
	if eval[bool](b, `document.querySelector(".undelivered") !== null`) {
		t.Error("the task, which the agent has, is marked")
	}
	b.completes()
	b.keys("#say textarea", "By the way")
	b.click("#say button")
	b.reads(".feed .person", "By the way")
	b.reads(".feed .undelivered", "not delivered to the agent yet")
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"body": "Shorter."})
	if status, answer := s.decide(id, s.plan(id, 1), "request_changes", ""); status != http.StatusOK {
		t.Fatalf("request changes: %d %v", status, answer)
	}
	b.until("the mark to go", `document.querySelector(".undelivered") === null`)
	b.reads(".feed .person", "By the way")
}

// completes: a slash offers the commands, to the keyboard and to a screen
// reader, and leaves the field empty in the end.
func (b *browser) completes() {
	b.t.Helper()
	const chosen = `document.getElementById(document.querySelector("#say textarea").getAttribute("aria-activedescendant"))`
	b.keys("#say textarea", "/")
	b.until("six commands", `document.querySelectorAll("#say-commands [role=option]").length === 6 && `+chosen+`.textContent.startsWith("/plan TASK Plan a task")`)
	b.reads("#said", "6 commands")
	b.press(kb.ArrowUp)
	b.until("the last one", chosen+`.textContent.startsWith("/help") && `+chosen+`.ariaSelected === "true"`)
	b.press(kb.Escape)
	b.until("no list", `!document.getElementById("say-commands") && !document.querySelector("#say [aria-controls]")`)
	b.keys("#say textarea", "goal")
	b.until("both for goals", `document.querySelectorAll("#say-commands [role=option]").length === 2`)
	b.press(kb.ArrowDown + kb.Enter)
	b.until("the command", `document.querySelector("#say textarea").value === "/goal " && !document.getElementById("say-commands")`)
	eval[string](b, `document.querySelector("#say textarea").value = "/plan o"`)
	b.keys("#say textarea", "f")
	b.press(kb.Tab)
	b.until("the other command", `document.querySelector("#say textarea").value === "/plan off" && document.activeElement.name === "text"`)
	eval[string](b, `document.querySelector("#say textarea").value = ""`)
}
