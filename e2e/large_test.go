package e2e

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/agent/llm/fakeopenai"
)

// largePlan has 200 steps and 100 KB.
func largePlan() string {
	var b strings.Builder
	b.WriteString("# A large plan\n\nIt touches everything.\n\n")
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&b, "## Step %d: Change package number %d\n\n%s\n\n- `pkg%d/file.go` gets the new name\n- its tests follow\n\n```go\nfunc F%d() error { return nil }\n```\n\n",
			i, i, strings.Repeat("Some words on what changes here, and why. ", 8), i, i)
	}
	return b.String()
}

// TestPlan_LargePlanIsUsable opens a plan of 200 steps, types into a comment
// and sends it, while the decision bar stays in view. How long it took is
// reported, not judged: machines are shared.
func TestPlan_LargePlanIsUsable(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, workspace(t, nil), fakeopenai.Calls(call("p", "submit_plan", object{"plan": largePlan()})))
	id := s.task("change everything", nil)
	s.status(id, "in_review")
	b := newBrowser(t)
	b.open(s.link)
	b.open(s.base + "/sessions/" + id + "/plan")
	b.sees("#approve-button")
	if n := eval[int](b, `document.querySelectorAll("article.step .no").length`); n != 200 {
		t.Errorf("%d steps, want 200", n)
	}
	const text = "Typed."
	at := b.step(100)
	b.click(at + ` [data-do=comment]`)
	eval[bool](b, `(() => { window.lag = []; addEventListener("keydown", () => {
		const t = performance.now(); requestAnimationFrame(() => lag.push(performance.now() - t)) }, true); return true })()`)
	b.keys(at+` .composer:not(.inline) textarea`, text)
	if got := eval[string](b, `document.querySelector(`+quote(at+` .composer:not(.inline) textarea`)+`).value`); got != text {
		t.Errorf("typed %q, the page has %q", text, got)
	}
	b.click(at + ` .composer:not(.inline) button:not([type=button])`)
	b.reads(at+" .thread", text)
	if !eval[bool](b, `(() => { const r = document.querySelector("#approve-button").getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight })()`) {
		t.Error("the decision bar is out of view")
	}
	t.Logf("page: %d KB of HTML; from the request: first byte %.0f ms, content there %.0f ms; from key to frame: median %.1f ms, longest %.1f ms",
		eval[int](b, `Math.round(performance.getEntriesByType("navigation")[0].decodedBodySize / 1024)`),
		eval[float64](b, `performance.getEntriesByType("navigation")[0].responseStart`),
		eval[float64](b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`),
		eval[float64](b, `lag.sort((a, b) => a - b)[lag.length >> 1]`), eval[float64](b, `lag.at(-1)`))
}
