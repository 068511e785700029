package e2e

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"

	"github.com/chromedp/chromedp/kb"
)

const firstPlan = `# Change the file

## Step 1: Edit a.txt

The first line gets a new word.

## Step 2: Look at the result

Compare it with the old one.

## Step 3: Tell everybody

Write to the list.
`

// TestVersions_R5_R11_CompareThenCommentOnALine goes from a plan that was sent
// back to what changed in the next version, and from what the agent did to a
// comment on one line, by keyboard.
func TestVersions_R5_R11_CompareThenCommentOnALine(t *testing.T) {
	t.Parallel()
	next := strings.Replace(firstPlan, "a new word", "two new words", 1)
	next = strings.Replace(next, "\n## Step 3: Tell everybody\n\nWrite to the list.\n", "", 1)
	s, model := scripted(t, workspace(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}),
		fakeopenai.Calls(call("p1", "submit_plan", object{"plan": firstPlan, "files": []string{"a.txt"}})),
		fakeopenai.Calls(call("p2", "submit_plan", object{"plan": next, "files": []string{"a.txt", "b.txt"}})),
		fakeopenai.Calls(call("w", "write_file", object{"path": "a.txt", "content": "one\ntwo words\nthree\n"})),
		fakeopenai.Text("Done."))
	id := s.task("change the file", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.sees("#approve-button")
	s.decide(id, s.plan(id, 1), "request_changes", "Fewer steps.")
	s.status(id, "in_review")
	b.sees(`main[data-version="2"]`)

	b.click("#versions > summary")
	b.click("#compare")
	b.reads("#difference", "1 step changed")
	b.reads("#difference", "1 step deleted")
	b.reads(".cmp-step.changed ins.now", "two")
	b.reads("#scope-difference ins.now", "b.txt")
	b.click(".switch a:last-child")
	b.reads(".cmp.side .cmp-step.changed .old del.was", "a")
	b.click(".cmp-same > summary")
	b.sees(".cmp-same .cmp-step.same")

	s.decide(id, s.plan(id, 2), "approve", "")
	s.status(id, "done")
	b.open(s.base + "/sessions/" + id + "/changes")
	b.reads("tr.a ins.now", "words")
	b.press("jj") // to the removed line, then to the one in its place
	b.until("the added line has the focus", `document.activeElement.dataset.note?.includes("-new-2")`)
	b.press("c")
	b.sees("tr.a + tr.note textarea:focus")
	b.keys("tr.note textarea", "Half a thought")
	b.press(kb.Escape)
	b.until("the line has the focus again", `!document.querySelector("tr.note") && document.activeElement.dataset.note`)
	b.open(s.base + "/sessions/" + id + "/changes")
	b.click(`tr.a a[data-note]`)
	b.until("the draft is back", `document.querySelector("tr.note textarea")?.value === "Half a thought"`)
	b.keys("tr.note textarea", ", now")
	b.open(s.base + "/sessions/" + id + "/changes")
	b.until("what was being written opens by itself", `document.querySelector("tr.note textarea")?.value === "Half a thought, now"`)

	model.Add(fakeopenai.Text("I see."))
	b.keys("tr.note textarea", " whole.")
	b.click("tr.note button:not([type=button])")
	b.reads("tr.a + tr.noted .said", "Half a thought, now whole.")
	b.until("it stands there once", `!document.querySelector("tr.note")`)
	s.status(id, "done", "waiting", "executing")
	found := false
	for _, e := range s.events(id) {
		found = found || e.Kind == "user.message" && strings.Contains(string(e.Data), "On line 2 of `a.txt`:\\n```\\ntwo words\\n```\\n\\nHalf a thought, now whole.")
	}
	if !found {
		t.Error("the agent has not got the comment with its line")
	}
}
