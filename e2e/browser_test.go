package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser is one person's browser, with cookies and storage of its own.
type browser struct {
	t   *testing.T
	ctx context.Context // of its tab
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	return shared.open(t)
}

// keepPicture saves what the page looked like when the test failed, where the
// environment names a folder for it.
func (b *browser) keepPicture() {
	dir := os.Getenv("E2E_PICTURES")
	if dir == "" {
		return
	}
	if png, err := run(b, chromedp.FullScreenshot(90)); err == nil {
		name := strings.ReplaceAll(b.t.Name(), "/", "_") + ".jpg"
		_ = os.WriteFile(filepath.Join(dir, name), png, 0o644)
	}
}

// run runs an action that must be done within the test's patience.
func run[T any](b *browser, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if gone := context.Cause(b.ctx); err != nil && gone != nil {
		err = fmt.Errorf("the browser is gone: %w (%w)", gone, err)
	}
	return v, err
}

func (b *browser) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, a := range actions {
		if _, err := run(b, a); err != nil {
			where, _ := run(b, chromedp.Location())
			b.t.Fatalf("%s: %v (on %s)", what, err, where)
		}
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do("open "+url, chromedp.Navigate(url))
}

// click presses the mouse on the middle of what the selector finds, once that
// is in view and nothing lies over it. The page is asked each time anew: what
// was found before may have been replaced by something that arrived.
func (b *browser) click(selector string) {
	b.t.Helper()
	var at []float64
	b.eventually(selector+" under the pointer", func() (ok bool, err error) {
		at, err = run(b, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
			const e = document.querySelector(%s);
			e?.scrollIntoViewIfNeeded();
			const r = e?.getClientRects()[0], x = r?.x + r?.width / 2, y = r?.y + r?.height / 2;
			return r && e.contains(document.elementFromPoint(x, y)) ? [x, y] : [] })()`, quote(selector))))
		return len(at) == 2, err
	})
	b.do("click "+selector, chromedp.MouseClickXY(at[0], at[1]))
}

// sees waits until the selector is there and visible.
func (b *browser) sees(selector string) {
	b.t.Helper()
	b.do("wait for "+selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// keys types into an element as a person does.
func (b *browser) keys(selector, text string) {
	b.t.Helper()
	b.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// reads waits until an element holds the text.
func (b *browser) reads(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s to read %q", selector, text), fmt.Sprintf(
		`[...document.querySelectorAll(%s)].some(e => e.textContent.includes(%s))`, quote(selector), quote(text)))
}

// until waits for a JavaScript expression to be true, across page loads.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	b.eventually(what, func() (bool, error) {
		return run(b, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
	})
}

// eventually waits until ok says yes. Errors are lived with, because a page may
// be on its way to another one, but a browser that has gone does not come back.
func (b *browser) eventually(what string, ok func() (bool, error)) {
	b.t.Helper()
	var last error
	if poll(func() bool {
		var yes bool
		yes, last = ok()
		return last == nil && yes || b.ctx.Err() != nil
	}) && b.ctx.Err() == nil {
		return
	}
	where, _ := run(b, chromedp.Location())
	b.t.Fatalf("waited in vain for: %s (on %s; %v)", what, where, last)
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := run(b, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// withoutScripts turns JavaScript off for the pages to come.
func (b *browser) withoutScripts() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
}

func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

// step is the selector of the article of a step, by its number on the page.
func (b *browser) step(number int) string {
	b.t.Helper()
	id := eval[string](b, fmt.Sprintf(
		`[...document.querySelectorAll("article.step")].find(a => a.querySelector(".no")?.textContent.trim() === "%d").id`, number))
	return "#" + id
}
