package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeRun makes a list of what axe finds: one line for each element, with the
// rule and what is wrong. Nothing is fetched, and frames there are none.
const axeRun = `axe.run(document, {
	runOnly: RULES, resultTypes: ["violations"], preload: false, iframes: false,
}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + " (" + n.impact + ") " + n.target.join(" ") + ": " +
	n.failureSummary.split("\n").slice(1).join(";") + " " + n.html.slice(0, 160))))`

// allRules is what axe is asked: all that WCAG 2.2 wants at A and AA, and good
// practice besides.
var allRules = axeRules("tag", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

func axeRules(kind string, values ...string) string {
	data, _ := json.Marshal(object{"type": kind, "values": values})
	return strings.Replace(axeRun, "RULES", string(data), 1)
}

// axe is the tool for pages of one test.
type axe struct {
	b      *browser
	source string
}

func newAxe(b *browser) axe {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "axe", "axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	return axe{b, string(source)}
}

// inspect fails the test for each thing on the page that somebody could not
// see, reach or understand. The page is looked at as it is now.
func (a axe) inspect(what, rules string) {
	a.b.t.Helper()
	if !eval[bool](a.b, `"axe" in window`) {
		// The protocol's Evaluate is not subject to the page's content policy.
		if _, err := run(a.b, chromedp.Evaluate[chromedp.Void](a.source)); err != nil {
			a.b.t.Fatalf("axe on %s: %v", what, err)
		}
	}
	found, err := run(a.b, chromedp.Evaluate[[]string](rules, chromedp.EvalAwaitPromise))
	if err != nil {
		a.b.t.Fatalf("axe on %s: %v", what, err)
	}
	for _, f := range found {
		a.b.t.Errorf("%s: %s", what, f)
	}
}

// inspectedLooks are the widths and colours in which each page is inspected:
// both of each. Colours don't depend on the width, so the other two pairs would
// say the same again.
var inspectedLooks = []struct {
	width  int64
	scheme string
}{{1280, "light"}, {400, "dark"}}

// page inspects the page that is open in every look.
func (a axe) page(what string) {
	a.b.t.Helper()
	for _, look := range inspectedLooks {
		a.b.looks(look.width, look.scheme)
		// Where the page is scrolled to, the bar at its top hides a part of what
		// it can be scrolled away from; to axe that is a small target.
		eval[bool](a.b, `(scrollTo({ top: 0, behavior: "instant" }), true)`)
		a.inspect(what+" ("+look.scheme+", "+map[bool]string{true: "narrow", false: "wide"}[look.width == 400]+")", allRules)
	}
}

// TestAxe_FindsWhatIsWrong: the tool is loaded, and a fault does fail a test.
func TestAxe_FindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	b.open("data:text/html,<html lang=en><title>x</title><main><h1>x</h1><textarea></textarea><p style='color:%23999'>faint</p></main>")
	a := newAxe(b)
	if _, err := run(b, chromedp.Evaluate[chromedp.Void](a.source)); err != nil {
		t.Fatal(err)
	}
	found, err := run(b, chromedp.Evaluate[[]string](allRules, chromedp.EvalAwaitPromise))
	if got := strings.Join(found, "\n"); err != nil || !strings.Contains(got, "label (critical) textarea") || !strings.Contains(got, "color-contrast (serious) p") {
		t.Errorf("%v; it finds\n%s", err, got)
	}
}
