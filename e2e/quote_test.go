package e2e

import (
	"fmt"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const quotedPlan = `# Change the file

Some words before the first step.

## Step 1: Edit a.txt

The first line gets a new word.

## Step 2: Look at the result

Compare it with the old one.
`

// selects selects the text from one phrase to the end of another; backwards,
// as when one drags from the end to the beginning.
func (b *browser) selects(from, to string, backwards bool) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => {
		const find = (words) => {
			const all = document.createTreeWalker(document.getElementById("document"), NodeFilter.SHOW_TEXT);
			while (all.nextNode()) { const at = all.currentNode.data.indexOf(words); if (at >= 0) return [all.currentNode, at] }
			throw new Error("there is no " + words);
		};
		const [a, start] = find(%[1]s), [b, last] = find(%[2]s), end = last + %[2]s.length;
		if (%[3]v) getSelection().setBaseAndExtent(b, end, a, start); else getSelection().setBaseAndExtent(a, start, b, end);
		return true })()`, quote(from), quote(to), backwards))
}

// press presses keys that are commands. Unlike a person's, a key that the driver
// sends types its character also if the page has taken the key, so that is
// left out.
func (b *browser) press(keys string) {
	b.t.Helper()
	for _, r := range keys {
		for _, k := range kb.Encode(r) {
			if k.Type == kb.KeyChar {
				continue
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, *k); err != nil {
				b.t.Fatalf("press %q: %v", r, err)
			}
		}
	}
}

// quotes checks that the one open comment is in this step and has the quote.
func (b *browser) quotes(step, want string) {
	b.t.Helper()
	b.sees(step + ` .composer:not(.inline) textarea`)
	if n := eval[int](b, `document.querySelectorAll(".margin > form.composer").length`); n != 1 {
		b.t.Errorf("%d comments are open, want 1", n)
	}
	if got := eval[string](b, `document.querySelector(`+quote(step+` .margin > form [name=quote]`)+`).value`); got != want {
		b.t.Errorf("the quote is %q, want %q", got, want)
	}
}

// TestQuote_R1_TheSelectionSaysWhichStep: whatever step one was in before, a
// comment belongs to the selected words and quotes them, and the agent gets
// the quote (R3).
func TestQuote_R1_TheSelectionSaysWhichStep(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, workspace(t, nil), fakeopenai.Calls(call("p", "submit_plan", object{"plan": quotedPlan})))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	page := s.base + "/sessions/" + id + "/plan"
	b.open(page)
	b.sees("#approve-button")
	one, two := b.step(1), b.step(2)
	intro := "#" + eval[string](b, `[...document.querySelectorAll(".step.text")].find(s => s.textContent.includes("Some words")).id`)
	press := func() { b.press("c") }
	click := func(step string) func() { return func() { b.click(step + ` [data-do=comment]`) } }
	for _, c := range []struct {
		name, from, to string
		backwards      bool
		open           func()
		step, want     string
	}{
		{"key", "a new word", "a new word", false, press, one, "a new word"},
		{"key, backwards", "with the old", "with the old", true, press, two, "with the old"},
		{"key, before the steps", "before the first", "before the first", false, press, intro, "before the first"},
		{"key, over two steps", "a new word", "Look at", false, press, one, "a new word."},
		{"key, over two steps backwards", "a new word", "Look at", true, press, one, "a new word."},
		{"mouse", "with the old", "with the old", false, click(two), two, "with the old"},
		{"mouse, over two steps", "a new word", "Look at", false, click(one), one, "a new word."},
		{"mouse, the other step", "a new word", "Look at", false, click(two), two, "Look at"},
		{"offer", "with the old", "with the old", false, func() { b.click("#quoter") }, two, "with the old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{t: t, ctx: b.ctx}
			b.open(page)
			b.sees("#approve-button")
			b.press("jj") // here is step 1, whatever is selected
			b.selects(c.from, c.to, c.backwards)
			b.sees("#quoter")
			c.open()
			b.quotes(c.step, c.want)
		})
	}

	b.open(page)
	b.sees("#approve-button")
	b.selects("a new word", "a new word", false)
	press()
	b.keys(one+` .composer:not(.inline) textarea`, "Which?")
	b.click(one + ` .composer:not(.inline) button:not([type=button])`)
	b.reads(one+" .thread .quote", "a new word")
	b.click(`.decide a[href$=feedback]`)
	b.reads("pre.letter", "a new word")
}

// TestQuote_R1_MovingOnForgetsTheSelection: after j the comment is about the
// step that one moved to.
func TestQuote_R1_MovingOnForgetsTheSelection(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, workspace(t, nil), fakeopenai.Calls(call("p", "submit_plan", object{"plan": quotedPlan})))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.sees("#approve-button")
	b.selects("before the first", "before the first", false)
	b.press("kc")
	b.quotes(b.step(2), "")
}
