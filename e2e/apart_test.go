package e2e

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowsers_AreApart: what one person's browser keeps, and what it is made
// to believe, is not in another one, though both run in one process.
func TestBrowsers_AreApart(t *testing.T) {
	t.Parallel()
	blank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>x</title><input autofocus><script>document.title = "run"</script>`))
	}))
	t.Cleanup(blank.Close)
	one, other := newBrowser(t), newBrowser(t)
	for _, b := range []*browser{one, other} {
		b.open(blank.URL)
		b.until("the browser in front of its person", `document.hasFocus() && document.visibilityState === "visible" && document.querySelector("input:focus")`)
	}
	eval[string](one, `(localStorage.setItem("a", "b"), document.cookie = "a=b; max-age=1000")`)
	one.looks(400, "dark")
	one.prefers("prefers-reduced-motion", "reduce")
	one.withoutScripts()
	for _, b := range []*browser{one, other} {
		b.open(blank.URL)
	}
	const state = `[document.title, document.cookie, localStorage.getItem("a"), innerWidth, matchMedia("(prefers-reduced-motion: reduce)").matches].join()`
	if got, want := eval[string](one, state), "x,a=b,b,400,true"; got != want {
		t.Errorf("one is %q, want %q", got, want)
	}
	if got, want := eval[string](other, state), "run,,,1400,false"; got != want {
		t.Errorf("the other is %q, want %q", got, want)
	}
	tab := one.tab(blank.URL)
	if got, want := eval[string](tab, state), "run,a=b,b,1400,false"; got != want {
		t.Errorf("a second tab of one is %q, want %q", got, want)
	}
}

// TestBrowsers_OneThatHasGoneIsSaid at once, and the next test has one again.
func TestBrowsers_OneThatHasGoneIsSaid(t *testing.T) {
	t.Parallel()
	own := chromium{profile: filepath.Join(filepath.Dir(shared.profile), "another")}
	t.Cleanup(own.end)
	b := own.open(t)
	_, _ = run(b, chromedp.Navigate("chrome://crash"))
	gone(t, b)
	if _, err := run(b, chromedp.Title()); err == nil || !strings.Contains(err.Error(), "the page crashed") {
		t.Errorf("after the crash of a page: %v", err)
	}
	b = own.open(t)
	if err := chromedp.FromContext(b.ctx).Browser.Process().Kill(); err != nil {
		t.Fatal(err)
	}
	gone(t, b)
	if _, err := run(b, chromedp.Title()); err == nil || !strings.Contains(err.Error(), "the browser is gone") {
		t.Errorf("after the end of the process: %v", err)
	}
	b = own.open(t)
	b.open("data:text/html,<title>again</title>")
	b.until("a page", `document.title === "again"`)
}

func gone(t *testing.T, b *browser) {
	t.Helper()
	select {
	case <-b.ctx.Done():
	case <-time.After(patience):
		t.Fatal("nobody notices that the browser is gone")
	}
}
