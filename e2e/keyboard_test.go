package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focusFault says what is wrong with where the focus is, or nothing: it must be
// somewhere, seen to be there, and not behind a bar.
const focusFault = `(() => {
	const at = document.activeElement;
	if (!at || at === document.body) return "the focus is nowhere";
	const name = at.outerHTML.slice(0, 120);
	const drawn = e => getComputedStyle(e).outlineStyle !== "none" && parseFloat(getComputedStyle(e).outlineWidth) >= 1;
	const body = at.closest(".step")?.querySelector(".body"); // a step shows it by its border
	const framed = body && at.matches(".step") && getComputedStyle(body).boxShadow !== "none";
	if (!drawn(at) && !framed && ![".compose", ".card"].some(s => at.closest(s) && drawn(at.closest(s)))) return name + " does not show that it has the focus";
	const box = at.getBoundingClientRect();
	if (box.width * box.height === 0) return name + " has the focus and no size";
	const points = [.1, .5, .9].flatMap(x => [.1, .5, .9].map(y => [box.x + x * box.width, box.y + y * box.height]));
	const seen = ([x, y]) => { const e = document.elementFromPoint(x, y); return e && (at.contains(e) || e.closest("label")?.contains(at)) };
	return points.some(seen) ? "" : name + " has the focus out of sight";
})()`

// stroke presses one key that is no command of the page's.
func (b *browser) stroke(key string, with ...chromedp.Modifier) {
	b.t.Helper()
	b.do("press "+key, chromedp.KeyEvent(key, chromedp.KeyModifiers(with...)))
}

// focused checks that the focus is somewhere within the selector, and seen.
func (b *browser) focused(selector string) {
	b.t.Helper()
	b.until("the focus in "+selector, fmt.Sprintf(`document.activeElement?.closest(%s)`, quote(selector)))
	fault := ""
	defer func() {
		if b.t.Failed() {
			b.t.Log(fault)
		}
	}()
	b.eventually("the focus in "+selector+" in view", func() (ok bool, err error) {
		fault, err = run(b, chromedp.Evaluate[string](focusFault))
		return fault == "", err
	})
}

// tabTo goes to an element by the Tab key alone. At each stop on the way the
// focus must be seen, and none must hold it.
func (b *browser) tabTo(selector string, with ...chromedp.Modifier) {
	b.t.Helper()
	const most = 150
	last := ""
	for range most {
		if eval[bool](b, fmt.Sprintf(`Boolean(document.activeElement?.matches(%s))`, quote(selector))) {
			return
		}
		b.stroke(kb.Tab, with...)
		if fault := eval[string](b, focusFault); fault != "" && !strings.HasSuffix(fault, "nowhere") { // between the end and the start
			b.t.Errorf("on the way to %s: %s", selector, fault)
		}
		at := eval[string](b, `(() => { const e = document.activeElement; window.stops ??= new Map(); if (!stops.has(e)) stops.set(e, stops.size);
			return stops.get(e) + " " + e.outerHTML.slice(0, 120) })()`)
		if at == last {
			b.t.Fatalf("the Tab key does not leave %s", at)
		}
		last = at
	}
	b.t.Fatalf("%d times Tab do not lead to %s; the last stop was %s", most, selector, last)
}

// toStep goes to a step by its number with the key for the next step.
func (b *browser) toStep(selector string) {
	b.t.Helper()
	for range 40 {
		if eval[bool](b, fmt.Sprintf(`Boolean(document.querySelector(%s)?.hasAttribute("data-here"))`, quote(selector))) {
			b.focused(selector)
			return
		}
		b.press("j")
	}
	b.t.Fatalf("j does not lead to %s", selector)
}

// TestAccess_MainJobByKeyboard does what the product is for without a mouse.
// After each action the focus is seen, near to where it was.
func TestAccess_MainJobByKeyboard(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	b.looks(1280, "light")
	b.open(s.link)
	b.sees(".compose")

	// The task.
	b.tabTo(".compose textarea")
	b.do("type the task", chromedp.KeyEvent("Rename Greeter to Welcomer"))
	b.tabTo("select[name=workspace]")
	b.stroke(kb.End) // the sample comes last
	b.tabTo(".compose button.primary")
	b.stroke(kb.Enter)
	b.sees("article.step .no")
	where := eval[string](b, `location.href`)
	base, _, _ := strings.Cut(where, "/plan")
	id := base[strings.LastIndexByte(base, '/')+1:]
	before := s.plan(id, 1)

	// A comment.
	readme := b.step(stepFor(t, before, "README.md"))
	b.toStep(readme)
	b.press("c")
	b.focused(readme + " .composer textarea")
	b.do("type a comment", chromedp.KeyEvent("skip README.md"))
	b.stroke(kb.Enter, chromedp.ModifierCtrl)
	b.reads(readme+" .thread", "skip README.md")
	b.focused(readme)

	b.rewriteByKeyboard(b.step(stepFor(t, before, "greet/greet.go")))
	b.moveByKeyboard(b.step(stepFor(t, before, "greet/greet.go")))
	b.dialogsByKeyboard()

	// Feedback.
	b.tabTo(".decide a[href$=feedback]", chromedp.ModifierShift)
	b.stroke(kb.Enter)
	b.focused("dialog[open]")
	b.reads("pre.letter", "skip README.md")
	b.tabTo("dialog footer button.primary")
	b.stroke(kb.Enter)
	b.until("version 2", `document.querySelector("main")?.dataset.version === "2"`)
	b.focused("main, .decide")

	// The approval.
	b.until("the button", `!document.querySelector("#approve-button")?.disabled`)
	b.tabTo("#approve-button")
	b.stroke(kb.Enter)
	b.until("an answer", `!document.querySelector("#approve-button") || document.querySelector("dialog[open] footer")`)
	if eval[bool](b, `Boolean(document.querySelector("dialog[open] footer"))`) {
		b.tabTo("dialog footer button.primary")
		b.stroke(kb.Enter)
	}
	b.until("the page of the activity", `document.querySelector("main")?.dataset.page === "activity"`)
	b.stroke(kb.Tab) // a page of its own, so it begins at the top
	b.focused(".skip")
	s.status(id, "done")
}

// rewriteByKeyboard adds a line to a step.
func (b *browser) rewriteByKeyboard(step string) {
	b.t.Helper()
	b.toStep(step)
	b.press("e")
	b.focused(step + " textarea[name=markdown]")
	b.stroke(kb.End, chromedp.ModifierCtrl)
	b.do("type a rewrite", chromedp.KeyEvent("\nAnd look at it twice."))
	b.stroke(kb.Enter, chromedp.ModifierCtrl)
	b.reads(step+" .prose", "look at it twice")
	b.focused(step)
}

// moveByKeyboard puts a step before all others.
func (b *browser) moveByKeyboard(step string) {
	b.t.Helper()
	b.toStep(step)
	b.press("e")
	b.focused(step + " textarea[name=markdown]")
	b.tabTo(step + ` a[href*="op=moved"]`)
	b.stroke(kb.Enter)
	b.focused(step + " select[name=after]")
	b.stroke(kb.Home)
	b.stroke(kb.Enter, chromedp.ModifierCtrl) // sends text only: nothing happens
	b.tabTo(step + " form.composer button:not([type=button])")
	b.stroke(kb.Enter)
	b.until("the step at the top", fmt.Sprintf(`document.querySelector(%s).querySelector(".no").textContent.trim() === "1"`, quote(step)))
	b.focused(step)
}

// dialogsByKeyboard opens what can be opened and leaves it with Escape, which
// leads back to where one was.
func (b *browser) dialogsByKeyboard() {
	b.t.Helper()
	for _, opener := range []string{".decide a[href$=feedback]", "#edit-scope"} {
		b.tabTo(opener)
		b.stroke(kb.Enter)
		b.focused("dialog[open]")
		for range 12 { // a dialog keeps the Tab key
			b.stroke(kb.Tab)
			if !eval[bool](b, `document.activeElement === document.body || Boolean(document.activeElement.closest("dialog[open]"))`) {
				b.t.Errorf("Tab leads out of the dialog of %s", opener)
			}
		}
		b.stroke(kb.Escape)
		b.focused(opener)
	}
	b.press("?")
	b.focused("#keys[open]")
	b.stroke(kb.Escape)
	b.focused("#edit-scope")
	b.tabTo("#me > summary")
	b.stroke(kb.Enter)
	b.tabTo("[data-open=keys]")
	b.stroke(kb.Enter)
	b.focused("#keys[open]")
	b.stroke(kb.Escape)
	b.focused("#me > summary")
	b.stroke(kb.Enter)
	b.tabTo("#me .sheetlet a")
	b.stroke(kb.Escape)
	b.focused("#me > summary")
}

// TestAccess_LiveUpdateKeepsFocus: what somebody else does while one is at a
// button that goes away leaves the focus near by.
func TestAccess_LiveUpdateKeepsFocus(t *testing.T) {
	t.Parallel()
	s := newServer(t, workspace(t, nil))
	b := newBrowser(t)
	_, id := b.sampleSession(s)
	b.comment(2, "to be resolved")
	thread := s.plan(id, 1).Threads[0].ID
	b.tabTo("#t-" + thread + ` form[action$=resolve] button`)
	s.must(200, "POST", "/threads/"+thread+"/resolve", nil)
	b.reads("#t-"+thread, "resolved by")
	b.focused("#t-" + thread)
	b.tabTo("#approve-button")
	if status, answer := s.decide(id, s.plan(id, 1), "approve", ""); status != 200 {
		t.Fatalf("approve: %d %v", status, answer)
	}
	b.until("the decision", `!document.querySelector("#approve-button")`)
	b.focused(".decide")
}

// TestAccess_NoTrap: on every page the Tab key goes through all that can have
// the focus and comes to the beginning again, and at each stop it is seen.
func TestAccess_NoTrap(t *testing.T) {
	t.Parallel()
	s, review, asking, done := wideSessions(t)
	b := newBrowser(t)
	b.looks(1280, "dark")
	b.open(s.link)
	b.sees(".compose")
	for _, path := range []string{
		"/", "/new", "/people", "/sessions/" + review + "/plan?version=2&from=1",
		"/sessions/" + asking + "/activity", "/sessions/" + done + "/changes", "/sessions/" + done + "/history",
	} {
		b.open(s.base + path)
		b.until("the page", `document.readyState === "complete"`)
		// A click into nothing: where a field had the focus at once, Tab would
		// begin behind it.
		eval[bool](b, `(() => { document.activeElement.blur(); scrollTo(0, 0); getSelection().removeAllRanges(); return true })()`)
		b.tabTo(".skip")
		// A page that follows its end scrolls by itself, and what has the focus
		// is seen all the same.
		eval[bool](b, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
		b.focused(".skip")
		b.stroke(kb.Tab)
		b.tabTo(".skip")
	}
}
