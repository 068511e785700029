package wire

import (
	"context"
	"io"
	"time"
)

// Watch ends a request whose server says nothing for too long. The time runs
// from the start of the request, and again from each byte.
type Watch struct {
	idle   time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
	outer  context.Context
	ctx    context.Context
	heard  bool // the server has said something
}

// newWatch starts watching; stop must be called.
func newWatch(outer context.Context, idle time.Duration) (*Watch, context.Context) {
	ctx, cancel := context.WithCancelCause(outer)
	w := &Watch{idle: idle, cancel: cancel, outer: outer, ctx: ctx}
	w.timer = time.AfterFunc(idle, func() { cancel(errIdle) })
	return w, ctx
}

func (w *Watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// touch starts the time anew.
func (w *Watch) touch() {
	w.heard = true
	w.timer.Reset(w.idle)
}

// stalled tells whether it was the watch that ended the request.
func (w *Watch) stalled() bool {
	return w.outer.Err() == nil && context.Cause(w.ctx) == errIdle
}

// reader returns r as a reader that touches the watch with each byte read.
func (w *Watch) reader(r io.Reader) io.Reader { return watched{r, w} }

type watched struct {
	r io.Reader
	w *Watch
}

func (r watched) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if n > 0 {
		r.w.touch()
	}
	return n, err
}
