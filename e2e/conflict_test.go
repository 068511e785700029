package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// types puts a text into a field as if it was typed, in the place of what was
// there.
func (b *browser) types(field, text string) {
	b.t.Helper()
	b.sees(field)
	eval[bool](b, fmt.Sprintf(`(() => { const a = document.querySelector(%s); a.focus(); a.value = %s;
		a.dispatchEvent(new Event("input", {bubbles: true})); return true })()`, quote(field), quote(text)))
}

// conflicting: one has rewritten a step in the browser while somebody else has
// saved another text of it, and now saves too.
func conflicting(t *testing.T) (s *server, b *browser, id, step string) {
	t.Helper()
	s, b, id, p := drafts(t)
	step = p.Steps[1].ID
	s.must(http.StatusOK, "PUT", "/sessions/"+id+"/plans/1/steps/"+step, object{"markdown": "## Step 2: Edit a.txt\n\nTheir text.", "base": p.SHA256})
	b.reads("#"+step+" .prose", "Their text.")
	b.types(rewrite(step), "## Step 2: Edit a.txt\n\nMy text.")
	b.click("#" + step + " .body > form.composer button:not([type=button])")
	b.has("dialog[open] #conflict textarea[readonly]", "Their text.")
	b.has("dialog[open] #conflict textarea[name=markdown]", "My text.")
	return s, b, id, step
}

// TestConflict_R6_ThreeChoices: the second save gets both texts and may keep
// theirs, keep mine, or merge by hand.
func TestConflict_R6_ThreeChoices(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]struct {
		press func(b *browser)
		want  string
	}{
		"keep theirs": {func(b *browser) { b.click("#conflict [data-close]") }, "Their text."},
		"keep mine":   {func(b *browser) { b.click(`#conflict button[value=""]`) }, "My text."},
		"merge": {func(b *browser) {
			b.click("#conflict button[value=both]")
			b.has("dialog[open] textarea[name=markdown]", "Their text.")
			b.has("dialog[open] textarea[name=markdown]", "My text.")
			b.types("dialog[open] textarea[name=markdown]", "## Step 2: Edit a.txt\n\nOur text.")
			b.click("dialog[open] form button:not([type=button])")
		}, "Our text."},
	} {
		t.Run(name, func(t *testing.T) {
			s, b, id, step := conflicting(t)
			choose.press(b)
			b.until("the dialog to close", `!document.querySelector("dialog[open]")`)
			b.reads("#"+step+" .prose", choose.want)
			b.until("no form", fmt.Sprintf(`!document.querySelector(%s)`, quote(rewrite(step))))
			eventually(t, choose.want, func() bool {
				return s.plan(id, 1).Steps[1].Markdown == "## Step 2: Edit a.txt\n\n"+choose.want+"\n\n"
			})
		})
	}
}

// TestConflict_R6_SurvivesAReload: one who has not chosen yet still has their
// text, and the conflict, after a reload.
func TestConflict_R6_SurvivesAReload(t *testing.T) {
	t.Parallel()
	s, b, id, step := conflicting(t)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.reads("#"+step+" .prose", "Their text.")
	b.has(rewrite(step), "My text.")
	b.click("#" + step + " .body > form.composer button:not([type=button])")
	b.has("dialog[open] #conflict textarea[readonly]", "Their text.")
}

// TestConflict_R6_TheScope: so it is with what the plan may write and run; who
// keeps theirs gives one's own up.
func TestConflict_R6_TheScope(t *testing.T) {
	t.Parallel()
	s, b, id, p := drafts(t)
	plan := "/sessions/" + id + "/plans/1"
	b.click("#edit-scope")
	b.types("dialog[open] #scope-files", "mine.txt")
	b.kept("mine.txt")
	s.must(http.StatusOK, "PUT", plan+"/scope", object{"files": []string{"theirs.txt"}, "commands": []string{}, "base": p.SHA256})
	b.click("dialog[open] footer button")
	b.reads("dialog[open] pre.out", "theirs.txt")
	b.has("dialog[open] #scope-files", "mine.txt")
	b.click("dialog[open] [data-close]")
	b.until("the dialog to close", `!document.querySelector("dialog[open]")`)
	b.reads("#outline .files", "theirs.txt")

	b.click("#edit-scope")
	b.has("dialog[open] #scope-files", "theirs.txt")
	if eval[bool](b, `Object.values(localStorage).some(v => v.includes("mine.txt"))`) {
		t.Error("what was given up is still kept")
	}
	b.types("dialog[open] #scope-files", "theirs.txt\nmine.txt")
	b.click("dialog[open] footer button")
	b.reads("#outline .files", "mine.txt")
	if got := s.plan(id, 1).Files; len(got) != 2 {
		t.Errorf("files %v", got)
	}
}
