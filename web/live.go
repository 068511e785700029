package web

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/agent"
	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/web/lang"

	"github.com/gorilla/websocket"
)

// Reader is what the hub needs of the log.
type Reader interface {
	State(ctx context.Context, session string) (planning.State, error)
	Records(ctx context.Context, session string, after int64, limit int) ([]planning.Record, error)
}

// Renderer makes the HTML of one line of the activity in a language. Empty means
// that the record is not shown.
type Renderer func(*lang.Language, planning.Record) (string, error)

// Hub tells those who watch what has been committed. Its promises:
//
//   - A watcher gets every event after the seq that it names, once and in
//     order, however often it comes again (S5). What the hub hears of a commit
//     only wakes it up and saves it a look into the log; the log is the truth.
//   - A watcher that falls more than about feedKeep bytes of events behind is
//     closed with code 1013; nobody else waits for it.
//   - What is live only (Frame) may be left out for whoever is slow.
//   - Publish and Frame never wait for a watcher or for the log.
type Hub struct {
	log      Reader
	render   Renderer
	logger   *slog.Logger
	ctx      context.Context // ends with Shutdown
	stop     context.CancelFunc
	patience time.Duration // how long one write may take
	pong     time.Duration // how long a watcher may be silent
	queue    queue
	presence *presence
	waits    *waitlist
	encoder  sync.WaitGroup // the goroutines that encode and that tell who is here
	wg       sync.WaitGroup // both pumps of every watcher

	mu       sync.RWMutex
	closed   bool
	feeds    map[feedKey]*feed
	watchers map[*watcher]struct{}
	appended atomic.Int64
}

// feedKey names a feed. The board has no session.
type feedKey struct {
	session string
	format  format
}

// format is how a watcher wants its events: for programs the event itself, as
// JSON, and for pages a line of the activity, in the language of the page.
type format struct{ language *lang.Language }

var formatJSON = format{}

// formats are all there are.
var formats = func() []format {
	list := []format{formatJSON}
	for _, l := range lang.All() {
		list = append(list, format{l})
	}
	return list
}()

// NewHub makes a hub that reads from log. render may be nil: then the HTML of
// every event is empty, and pages only learn that there is one.
func NewHub(log Reader, render Renderer, logger *slog.Logger) *Hub {
	ctx, stop := context.WithCancel(context.Background())
	h := &Hub{
		log: log, render: render, logger: logger, ctx: ctx, stop: stop, patience: writeWait, pong: pongWait,
		feeds: map[feedKey]*feed{}, watchers: map[*watcher]struct{}{},
		queue: newQueue(), waits: newWaitlist(),
	}
	h.presence = newPresence(h.tellHere)
	return h
}

// Publish says that records have been committed and what the state is after
// them. It does not block. Records of a session that come out of order, or not
// at all, cost a look into the log and nothing else.
func (h *Hub) Publish(s planning.State, records []planning.Record) {
	h.appended.Add(int64(len(records)))
	h.noteWaiting(s)
	if len(records) > 0 {
		h.queue.put(happening{session: records[0].Session, records: records})
	}
}

// Frame shows a piece of live activity to those who watch the session now. It
// comes between the same events as it was sent between.
func (h *Hub) Frame(session string, frame agent.Frame) {
	h.queue.put(happening{session: session, live: &frame})
}

// encodePump turns what happens into frames. It is apart from Publish, because
// rendering takes its time and a commit must not wait for it.
func (h *Hub) encodePump() {
	for {
		batch, err := h.queue.take(h.ctx)
		if err != nil {
			return
		}
		for _, x := range batch {
			h.spread(x)
		}
	}
}

// spread puts something that happened into the feeds of those who watch it.
func (h *Hub) spread(x happening) {
	if x.nudge {
		h.nudge("")
		return
	}
	for _, f := range formats {
		if feed := h.feed(feedKey{x.session, f}); feed != nil {
			for _, r := range x.records {
				if r.Data == nil {
					feed.announce(r.Seq)
				} else {
					feed.event(r.Seq, h.encode(f, r))
				}
			}
			if x.live != nil {
				feed.live(*x.live)
			}
			if x.damage != nil {
				feed.setDamage(*x.damage)
			}
			feed.wakeAll()
		}
		if feed := h.feed(feedKey{"", f}); feed != nil && x.live == nil {
			feed.note(boardFrame(x.session, x.seq()))
			feed.wakeAll()
		}
	}
}

// Live is the hub as the agent knows it.
func (h *Hub) Live() agent.Live { return live{h} }

type live struct{ hub *Hub }

func (l live) Publish(session string, frame agent.Frame) { l.hub.Frame(session, frame) }

// Watchers counts the open sockets.
func (h *Hub) Watchers() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.watchers)
}

// Appended counts the events that were committed since the start.
func (h *Hub) Appended() int64 { return h.appended.Load() }

func (h *Hub) feed(key feedKey) *feed {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.feeds[key]
}

// mostWatchers bounds the sockets of one server.
const mostWatchers = 10_000

// watch takes a fresh connection over. From now on both its pumps belong to
// the hub.
func (h *Hub) watch(conn *websocket.Conn, key feedKey, after int64, by holder) error {
	w := &watcher{
		hub: h, conn: conn, net: conn.NetConn(), key: key, after: after,
		person: by.person, signIn: by.hash, wake: make(chan struct{}, 1), said: newSayLimit(),
	}
	w.ctx, w.cancel = context.WithCancelCause(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.watchers) >= mostWatchers {
		w.cancel(nil)
		return fault.New(fault.Unavailable, "The server takes no more live connections just now.")
	}
	w.feed = h.feeds[key]
	if w.feed == nil {
		w.feed = newFeed(time.Now)
		if people := h.presence.here(key.session); len(people) > 0 {
			w.feed.setHere(encodeHere(key.format, people))
		}
		h.feeds[key] = w.feed
	}
	w.ping = time.NewTicker(pingEvery)
	w.feed.join(w)
	h.watchers[w] = struct{}{}
	if !by.until.IsZero() {
		w.ends = time.AfterFunc(time.Until(by.until), func() { w.end(lookAgain) })
	}
	if h.queue.open() {
		h.encoder.Go(h.encodePump)
		h.encoder.Go(func() { h.presence.pump(h.ctx) })
	}
	h.wg.Go(w.readPump)
	h.wg.Go(w.writePump)
	return nil
}

func (h *Hub) forget(w *watcher) {
	if w.tab != nil {
		h.presence.leave(w.tab)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	if w.ends != nil {
		w.ends.Stop()
	}
	if w.feed.quit(w) == 0 {
		delete(h.feeds, w.key)
	}
}

// Shutdown closes all sockets with a code that says "come again", and returns
// when their goroutines have ended. When ctx ends first, what is still open is
// cut off.
func (h *Hub) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.queue.close()
	for w := range h.watchers {
		w.end(goodbye{websocket.CloseServiceRestart, "the server is stopping; come again"})
	}
	h.mu.Unlock()
	h.stop() // everybody has a cause of their own by now
	cut := context.AfterFunc(ctx, h.cutOff)
	h.wg.Wait()
	h.encoder.Wait()
	if cut() {
		return nil
	}
	return context.Cause(ctx)
}

// cutOff closes what is still open.
func (h *Hub) cutOff() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for w := range h.watchers {
		_ = w.net.Close()
	}
}
