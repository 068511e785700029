package web

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"countersign/internal/review"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

const (
	pingEvery = 25 * time.Second
	pongWait  = 60 * time.Second // from one pong to the next
	writeWait = 10 * time.Second // for one write
	byeWait   = time.Second      // for the last frame, and for the answer to it
	readLimit = 64 << 10         // bytes of one message that comes in, in however many fragments; above: 1009
	// page is how many records are read from the log at once, and farBehind how
	// many events a page may have missed before it is better loaded anew.
	page      = 100
	farBehind = 2000
)

// watcher is one socket. Frames are written to the bare connection, because
// they are ready; gorilla's part is the handshake and the reading.
type watcher struct {
	hub    *Hub
	feed   *feed
	conn   *websocket.Conn
	net    net.Conn
	key    feedKey
	after  int64 // where it wants to go on
	person review.Person
	signIn string      // hash of the sign-in it hangs on
	ends   *time.Timer // of that sign-in, if it has an end; guarded by the hub's lock
	ctx    context.Context
	cancel context.CancelCauseFunc
	wake   chan struct{}
	ping   *time.Ticker
	said   *rate.Limiter // of what comes in
	tab    *tab          // once somebody is here; only readPump looks at it

	writes sync.Mutex // held for whole frames
	shut   bool       // guarded by writes: nothing may be written any more

	busy    sync.Mutex
	writing bool // guarded by busy

	// Guarded by the feed's lock.
	next      int64 // number of the next frame to look at
	last      int64 // seq of the last event that was handed out
	following bool  // past the log, in the feed
	idle      bool  // in the feed's list of those who wait
	hereNo    int64 // of what it was told about who is here
	nudged    bool  // it is to look again at what waits for its person
	warned    bool  // it was told that the record is damaged
}

// end makes both pumps stop. A goodbye is told to the other side, if it still
// listens.
func (w *watcher) end(cause error) {
	w.cancel(cause)
	w.busy.Lock()
	defer w.busy.Unlock()
	if w.writing {
		_ = w.net.SetWriteDeadline(time.Now())
	}
}

// writePump says hello, brings the watcher up to date from the log and then
// follows the feed.
func (w *watcher) writePump() {
	defer w.ping.Stop()
	err := w.run()
	var bye goodbye
	if !errors.As(err, &bye) || w.control(websocket.CloseMessage, websocket.FormatCloseMessage(bye.code, bye.reason)) != nil {
		_ = w.net.Close()
	}
	// The reader waits a moment for the answer and then hangs up.
	_ = w.net.SetReadDeadline(time.Now().Add(byeWait))
	w.end(err)
}

func (w *watcher) run() error {
	if err := w.greet(); err != nil {
		return err
	}
	for again := false; ; again = true {
		read, err := w.catchUp()
		if err != nil {
			return err
		}
		if again && read == 0 {
			return tooSlow // the log doesn't have what was announced; never spin on that
		}
		if err := w.follow(); err != nil {
			return err
		}
	}
}

// greet tells where the log stands, and a page that is too far behind to load
// itself anew.
func (w *watcher) greet() error {
	if w.key.session == "" {
		return w.write(mark(frameHello, 0))
	}
	state, err := w.hub.log.State(w.ctx, w.key.session)
	if err != nil {
		return w.lost(err)
	}
	out := mark(frameHello, state.Seq)
	missed := state.Seq - w.after
	if missed < 0 || missed > farBehind && w.key.format != formatJSON {
		if w.key.format != formatJSON {
			out = append(out, mark(frameReset, state.Seq)...)
		}
		w.after = state.Seq
	}
	w.feed.seen(w, w.after)
	if state.Damage != nil {
		w.feed.setDamage(*state.Damage)
	}
	return w.write(out)
}

// catchUp sends what the log has after the last event that was sent, and
// returns how many records that were.
func (w *watcher) catchUp() (int, error) {
	if w.key.session == "" {
		return 0, nil
	}
	total := 0
	for {
		records, err := w.hub.log.Records(w.ctx, w.key.session, w.last, page)
		if err != nil {
			return total, w.lost(err)
		}
		total += len(records)
		var out []byte
		for i, r := range records {
			out = append(out, w.hub.encode(w.key.format, r)...)
			if len(out) < chunk && i < len(records)-1 {
				continue
			}
			if err := w.send(out); err != nil {
				return total, err
			}
			w.feed.seen(w, r.Seq)
			out = out[:0]
		}
		if len(records) < page {
			return total, nil
		}
	}
}

// follow sends what comes into the feed. It returns nil when something is
// missing there that the log has.
func (w *watcher) follow() error {
	for {
		data, found := w.feed.take(w)
		switch found {
		case some:
			if err := w.send(data); err != nil {
				return err
			}
			continue
		case gap:
			return nil
		case behind:
			return tooSlow
		}
		select {
		case <-w.wake:
		case <-w.ping.C:
			if err := w.control(websocket.PingMessage, nil); err != nil {
				return err
			}
		case <-w.ctx.Done():
			return context.Cause(w.ctx)
		}
	}
}

// lost is what a watcher is told when the log can't be read.
func (w *watcher) lost(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	w.hub.logger.Error("read the log for a watcher", "session", w.key.session, "err", err)
	return goodbye{websocket.CloseInternalServerErr, "the log can't be read just now; come again"}
}
