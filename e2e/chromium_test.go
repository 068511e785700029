package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"countersign/e2e/rig"
	"countersign/internal/trial"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// chromium is a browser process that many tests share. Each person's browser
// is a browser context in it, which has cookies, storage and a cache of its
// own; what is emulated holds for one tab. It is safe for use at the same time.
type chromium struct {
	profile string // an empty folder, or the name of one that can be made

	mu   sync.Mutex
	ctx  context.Context // of the process and its first tab, which stays empty; nil before the first use
	stop func()
}

// shared is the process of all tests.
var shared chromium

// executable finds the browser, without which there is no test.
func executable(t *testing.T) string {
	t.Helper()
	if path := rig.Chromium(); path != "" {
		return path
	}
	trial.Lacks(t, "there is no Chromium on this machine: the browser tests are not run")
	return ""
}

// process returns the context of the process. It starts one where there is
// none, or none any more, which it says.
func (c *chromium) process(t *testing.T) context.Context {
	t.Helper()
	path := executable(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		if c.ctx.Err() == nil {
			return c.ctx
		}
		_, why := chromedp.Run(c.ctx, chromedp.Title())
		t.Logf("the browser process has ended by itself, so another one is started: %v", why)
		c.stop()
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), rig.Browser(path, c.profile)...)
	ctx, closeTab := chromedp.NewContext(allocated)
	c.ctx, c.stop = ctx, func() { closeTab(); stop() }
	if err := patiently(ctx, closeTab); err != nil {
		c.stop()
		c.ctx = nil
		t.Fatalf("the browser does not start: %v", err)
	}
	return ctx
}

// end ends the process, if there is one.
func (c *chromium) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		c.stop()
	}
}

// patiently opens the tab of a context that has none yet. What it opens lives
// as long as the context that it is given, so that can have no deadline.
func patiently(ctx context.Context, giveUp func()) error {
	watch := time.AfterFunc(patience, giveUp)
	err := chromedp.Do(ctx)
	if !watch.Stop() && err != nil {
		err = fmt.Errorf("not within %v: %w", patience, err)
	}
	return err
}

// open opens the browser of one more person.
func (c *chromium) open(t *testing.T) *browser {
	t.Helper()
	process := c.process(t)
	life, die := context.WithCancelCause(process)
	ctx, detach := chromedp.NewContext(life, chromedp.WithNewBrowserContext(), chromedp.WithDetachOnCancel(), crash(die))
	t.Cleanup(func() {
		detach()
		// This closes all its tabs and forgets what it kept.
		gone, cancel := context.WithTimeout(process, patience)
		defer cancel()
		own := chromedp.FromContext(ctx).BrowserContextID
		if _, err := cdp.Call(gone, chromedp.FromContext(process).Browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: own}); err != nil {
			t.Logf("the browser is not closed: %v", err)
		}
	})
	b := &browser{t: t, ctx: ctx}
	b.settle(detach)
	t.Cleanup(func() {
		if t.Failed() {
			b.keepPicture()
		}
	})
	return b
}

// crash makes the death of a page end all that is asked of it.
func crash(die context.CancelCauseFunc) chromedp.ContextOption {
	return chromedp.WithListener(func(event any) {
		if _, ok := event.(*inspector.EventTargetCrashed); ok {
			die(errors.New("the page crashed"))
		}
	})
}

// settle opens the tab of a browser, which believes that it is the one that
// people look at, as each does on a desk of its own.
func (b *browser) settle(giveUp func()) {
	b.t.Helper()
	if err := patiently(b.ctx, giveUp); err != nil {
		b.t.Fatalf("the tab does not open: %v", err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		b.t.Fatal(err)
	}
}
