package e2e

import (
	"fmt"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// tap puts a finger on the middle of what the selector finds, once that is in
// view and nothing lies over it. What fingers are to hit is at least 24 pixels
// high and wide (WCAG 2.2, 2.5.8).
func (b *browser) tap(selector string) {
	b.t.Helper()
	var at []float64
	eventually(b.t, selector+" under the finger", func() bool {
		var err error
		at, err = run(b, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
			const e = document.querySelector(%s);
			e?.scrollIntoViewIfNeeded();
			const r = e?.getBoundingClientRect(), x = r?.x + r?.width / 2, y = r?.y + r?.height / 2;
			return r && e.contains(document.elementFromPoint(x, y)) ? [x, y, r.width, r.height] : [] })()`, quote(selector))))
		return err == nil && len(at) == 4
	})
	if at[2] < 24 || at[3] < 24 {
		b.t.Errorf("%s is %.0f × %.0f pixels", selector, at[2], at[3])
	}
	b.touches(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at[0], Y: at[1]})
	b.touches(input.DispatchTouchEventTypeTouchEnd)
}

func (b *browser) touches(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	b.t.Helper()
	params := input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)}
	if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, params); err != nil {
		b.t.Fatal(err)
	}
}

// TestPhone_R1_AReviewWithOneFinger: reading, commenting, quoting, approving and
// answering work on a phone, where there is no keyboard and nothing hovers.
func TestPhone_R1_AReviewWithOneFinger(t *testing.T) {
	t.Parallel()
	work := workspace(t, map[string]string{"a.txt": "old\n"})
	s, _ := scripted(t, work,
		fakeopenai.Calls(call("p", "submit_plan", object{"plan": quotedPlan, "files": []string{"a.txt"}})),
		fakeopenai.Calls(call("o", "write_file", object{"path": "b.txt", "content": "beside the plan\n"})),
		fakeopenai.Text("Done."))
	id := s.task("change a", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.do("be a phone", chromedp.EmulateViewport(400, 860, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.sees("#approve-button")
	one, two := b.step(1), b.step(2)
	b.tap("#outline-fold > summary")
	b.tap(`.outline a[href="` + two + `"]`)
	b.until("step 2 in view", `document.querySelector(`+quote(two)+`).getBoundingClientRect().top < innerHeight`)

	const field, send = ` .composer:not(.inline) textarea`, ` .composer:not(.inline) button:not([type=button])`
	b.tap(two + ` [data-do=comment]`)
	b.keys(two+field, "From the train.")
	b.tap(two + send)
	b.reads(two+" .thread", "From the train.")
	b.reads(".decide .sum", "1 open comment") // the page is up to date, and stands still
	b.selects("a new word", "a new word", false)
	b.tap("#quoter")
	b.quotes(one, "a new word")
	b.keys(one+field, "Which?")
	b.tap(one + send)
	b.reads(one+" .thread .quote", "a new word")

	b.tap("#approve-button")
	b.tap(`dialog[open] footer button.primary`) // there are open comments
	b.until("what the agent does", `location.pathname.endsWith("/activity")`)
	s.status(id, "waiting")
	b.tap(`.ask .opts button.primary`)
	s.status(id, "done")
	if got := read(t, work, "b.txt"); got != "beside the plan\n" {
		t.Errorf("b.txt is %q", got)
	}
}
