package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

const draftPlan = "# Change it\n\nWhy.\n\n## Step 1: Look at a.txt\n\nRead it to the end.\n\n## Step 2: Edit a.txt\n\nWrite the new line.\n\n## Step 3: Announce it\n\nTell everybody on the list.\n"

// draftNext has step 2 in front and step 3 left out.
const draftNext = "# Change it\n\nWhy.\n\n## Step 1: Edit a.txt\n\nWrite the new line.\n\n## Step 2: Look at a.txt\n\nRead it to the end.\n"

// has waits until a field holds a text.
func (b *browser) has(field, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s to hold %q", field, text), fmt.Sprintf(`document.querySelector(%s)?.value.includes(%s)`, quote(field), quote(text)))
}

// kept waits until the browser has put a draft away.
func (b *browser) kept(text string) {
	b.t.Helper()
	b.until("the draft to be kept", fmt.Sprintf(`Object.values(localStorage).some(v => v.includes(%s))`, quote(text)))
}

func comment(step string) string { return "#" + step + " .margin > form.composer textarea" }
func rewrite(step string) string {
	return "#" + step + " .body > form.composer textarea[name=markdown]"
}

// drafts types a comment on step 1, a rewrite of step 2 and a comment on step 3
// of a plan whose next version moves 2 and leaves 3 out.
func drafts(t *testing.T) (s *server, b *browser, id string, p planJSON) {
	t.Helper()
	s, _ = scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}),
		fakeopenai.Calls(call("p1", "submit_plan", object{"plan": draftPlan, "files": []string{"a.txt"}})),
		fakeopenai.Calls(call("p2", "submit_plan", object{"plan": draftNext, "files": []string{"a.txt"}})),
	)
	id = s.task("change a", nil)
	s.status(id, "in_review")
	p = s.plan(id, 1)
	b = newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	one, two, three := p.Steps[0].ID, p.Steps[1].ID, p.Steps[2].ID
	b.click("#" + one + " [data-do=comment]")
	b.keys(comment(one), "half a thought")
	b.click("#" + two + " [data-do=rewrite]")
	b.keys(rewrite(two), "And twice.")
	b.click("#" + three + " [data-do=comment]")
	b.keys(comment(three), "which list?")
	for _, text := range []string{"half a thought", "And twice.", "which list?"} {
		b.kept(text)
	}
	return s, b, id, p
}

// TestDrafts_R6_SurviveAReloadAndSigningOut: what was typed and not sent is in
// its place again.
func TestDrafts_R6_SurviveAReloadAndSigningOut(t *testing.T) {
	t.Parallel()
	s, b, id, p := drafts(t)
	there := func(when string) {
		t.Helper()
		t.Log(when)
		b.has(comment(p.Steps[0].ID), "half a thought")
		b.has(rewrite(p.Steps[1].ID), "And twice.")
		b.has(comment(p.Steps[2].ID), "which list?")
	}
	b.open(s.base + "/sessions/" + id + "/plan")
	there("after a reload")

	var people struct{ People []struct{ ID string } }
	convert(t, s.must(http.StatusOK, "GET", "/people", nil), &people)
	back := s.must(http.StatusCreated, "POST", "/people/"+people.People[0].ID+"/link", object{})["link"].(string)
	eval[bool](b, `(() => { document.querySelector("form[action='/sign-out']").requestSubmit(); return true })()`)
	b.until("the sign-in page", `location.pathname === "/sign-in"`)
	b.open(back)
	b.until("being signed in", `document.body.dataset.user`)
	b.open(s.base + "/sessions/" + id + "/plan")
	there("after signing in again")
}

// TestDrafts_R6_ANewVersion: drafts turn up at the step that they were for, by
// its identity, wherever it stands now; one whose step is gone is Detached, and
// can still be sent.
func TestDrafts_R6_ANewVersion(t *testing.T) {
	t.Parallel()
	s, b, id, p := drafts(t)
	one, two, three := p.Steps[0].ID, p.Steps[1].ID, p.Steps[2].ID
	if status, answer := s.decide(id, p, "request_changes", "Shorter."); status != http.StatusOK {
		t.Fatalf("request changes: %d %v", status, answer)
	}
	// Live, under the fingers: nothing that is typed goes away.
	b.until("version 2", `document.querySelector("main").dataset.version === "2"`)
	b.has(comment(three), "which list?")

	b.open(s.base + "/sessions/" + id + "/plan")
	next := s.plan(id, 2)
	if next.Steps[0].ID != two || next.Steps[1].ID != one {
		t.Fatalf("the steps are %+v", next.Steps)
	}
	b.has(comment(one), "half a thought")
	b.has(rewrite(two), "And twice.")
	b.reads("#lost .lost-step", "Announce it")
	b.has("#lost textarea", "which list?")
	b.click("#lost form button:not([type=button])")
	b.reads(".step.lead .thread", "which list?")
	b.until("no lost draft", `!document.getElementById("lost")`)

	// It is sent, and does not come again.
	b.open(s.base + "/sessions/" + id + "/plan")
	b.has(comment(one), "half a thought")
	if eval[bool](b, `document.getElementById("lost") !== null`) {
		t.Error("a draft that was sent is there again")
	}
	if threads := s.plan(id, 2).Threads; len(threads) != 1 || threads[0].Step != "" {
		t.Errorf("threads: %+v", threads)
	}
}

// TestDrafts_R6_DiscardALostOne: the field that one types in stays when its step
// goes, also if what others said beside it lives on in Detached. After a reload
// the text can be discarded, for good.
func TestDrafts_R6_DiscardALostOne(t *testing.T) {
	t.Parallel()
	s, b, id, p := drafts(t)
	three := p.Steps[2].ID
	s.must(http.StatusCreated, "POST", "/sessions/"+id+"/plans/1/threads", object{"step": three, "body": "Is it needed?"})
	b.reads("#"+three+" .thread", "Is it needed?")
	s.must(http.StatusOK, "DELETE", "/sessions/"+id+"/plans/1/steps/"+three, object{"base": p.SHA256})
	b.reads("#detached .thread", "Is it needed?")
	b.has(comment(three), "which list?")
	b.open(s.base + "/sessions/" + id + "/plan")
	b.has("#lost textarea", "which list?")
	eval[bool](b, `(() => { document.querySelector("#lost [data-discard]").scrollIntoView({block: "center"}); return true })()`)
	b.click("#lost [data-discard]")
	b.until("no lost draft", `!document.getElementById("lost")`)
	if eval[bool](b, `Object.values(localStorage).some(v => v.includes("which list?"))`) {
		t.Error("it is still kept")
	}
}

// TestDrafts_R6_ARewriteOfAStepThatChangedOrWent: a rewrite stays beside its
// step with both texts; one whose step is gone can be put in as a step.
func TestDrafts_R6_ARewriteOfAStepThatChangedOrWent(t *testing.T) {
	next := strings.Replace(draftNext, "Write the new line.", "Write the new line, then a second one.", 1)
	s, _ := scripted(t, workspace(t, map[string]string{"a.txt": "old\n"}),
		fakeopenai.Calls(call("p1", "submit_plan", object{"plan": draftPlan, "files": []string{"a.txt"}})),
		fakeopenai.Calls(call("p2", "submit_plan", object{"plan": next, "files": []string{"a.txt"}})),
	)
	id := s.task("change a", nil)
	s.status(id, "in_review")
	p := s.plan(id, 1)
	two, three := p.Steps[1].ID, p.Steps[2].ID
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	for step, text := range map[string]string{two: "And twice.", three: "And the second list."} {
		b.click("#" + step + " [data-do=rewrite]")
		b.keys(rewrite(step), text)
		b.kept(text)
	}
	s.decide(id, p, "request_changes", "Shorter.")
	b.until("version 2", `document.querySelector("main").dataset.version === "2"`)
	both := func() {
		t.Helper()
		b.reads("#"+two+" [data-was]", "Write the new line.")
		b.reads("#"+two+" [data-now]", "then a second one.")
		b.has(rewrite(two), "And twice.")
	}
	both()
	b.open(s.base + "/sessions/" + id + "/plan")
	both()
	b.has("#lost textarea", "And the second list.")
	eval[bool](b, `(() => { document.querySelector("#lost [data-place]").value = `+quote(two)+`; return true })()`)
	b.click("#lost [data-put=inserted]")
	b.until("no lost draft", `!document.getElementById("lost")`)
	b.has(rewrite(two), "And the second list.")
	b.click("#" + two + " .body > form.composer .foot button")
	b.until("the step to be there", `document.querySelectorAll(".step[data-v] .no").length === 3`)
	if steps := s.plan(id, 2).Steps; len(steps) != 3 || !strings.Contains(steps[1].Markdown, "Tell everybody on the list.") {
		t.Errorf("steps: %+v", steps)
	}
}
