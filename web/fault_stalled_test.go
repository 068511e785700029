package web

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/trial"

	"github.com/gorilla/websocket"
)

// crowd is a hub with many watchers of one session over real sockets, of which
// some read and some don't.
type crowd struct {
	t        *testing.T
	hub      *Hub
	srv      *httptest.Server
	accepted chan *websocket.Conn
	payload  json.RawMessage
	seq      int64
	good     []net.Conn
	bad      []net.Conn
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	raiseDescriptors(t)
	payload, err := json.Marshal(planning.RunFailed{Message: strings.Repeat("x", fanBytes-160)})
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{t: t, payload: payload, accepted: make(chan *websocket.Conn)}
	c.hub = NewHub(crowdLog{crowd: c}, nil, slog.New(slog.DiscardHandler))
	c.hub.patience = time.Hour // so that it is not a slow write that ends somebody
	c.hub.pong = time.Hour     // these clients answer no pings, and get none
	up := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 512}
	c.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		c.accepted <- conn
	}))
	t.Cleanup(func() {
		for _, conn := range append(c.good, c.bad...) {
			_ = conn.Close()
		}
		c.srv.Close()
		if err := c.hub.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// crowdLog is a log in which nobody has anything to catch up on.
type crowdLog struct {
	emptyLog
	crowd *crowd
}

func (l crowdLog) State(context.Context, string) (planning.State, error) {
	return planning.State{Seq: 10_000_000 + l.crowd.seq}, nil
}

// small has small buffers of the system, so that one who does not read stalls
// soon.
var small = websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
	conn, err := net.Dial(network, addr)
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetReadBuffer(16 << 10)
	}
	return conn, err
}}

// join lets one more watch and returns both its ends.
func (c *crowd) join() (net.Conn, *watcher) {
	c.t.Helper()
	joined := make(chan *websocket.Conn, 1)
	go func() {
		conn, _, err := small.Dial("ws"+strings.TrimPrefix(c.srv.URL, "http"), nil)
		if err != nil {
			c.t.Error(err)
		}
		joined <- conn
	}()
	server := <-c.accepted
	if tcp, ok := server.NetConn().(*net.TCPConn); ok {
		if err := tcp.SetWriteBuffer(16 << 10); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := c.hub.watch(server, feedKey{"s", formatJSON}, 10_000_000+c.seq, holder{}); err != nil {
		c.t.Fatal(err)
	}
	client := <-joined
	if client == nil {
		c.t.FailNow()
	}
	if _, _, err := client.ReadMessage(); err != nil { // hello, which gorilla's buffer may hold
		c.t.Fatal(err)
	}
	c.hub.mu.RLock()
	defer c.hub.mu.RUnlock()
	for w := range c.hub.watchers {
		if w.conn == server {
			w.ping.Stop()
			return client.NetConn(), w
		}
	}
	c.t.Fatal("the watcher is not there")
	return nil, nil
}

// publish sends messages one after the other, each when all that read have the
// one before, and returns how long each took to each of them, and how many
// bytes at most were kept for w, if it is not nil.
func (c *crowd) publish(n int, w *watcher) (took []time.Duration, kept int64) {
	c.t.Helper()
	size := len(c.hub.encode(formatJSON, c.record(c.seq+1)))
	begun := make([]time.Time, n)
	all := make([][]time.Duration, len(c.good))
	var round, ended sync.WaitGroup
	start := make([]chan int, len(c.good))
	for i, conn := range c.good {
		start[i] = make(chan int, 1)
		ended.Go(func() {
			buf := make([]byte, size)
			for m := range start[i] {
				if _, err := io.ReadFull(conn, buf); err != nil {
					c.t.Error(err)
				}
				all[i] = append(all[i], time.Since(begun[m]))
				round.Done()
			}
		})
	}
	for m := range n {
		c.seq++
		round.Add(len(start))
		for _, s := range start {
			s <- m
		}
		begun[m] = time.Now()
		c.hub.Publish(planning.State{}, []planning.Record{c.record(c.seq)})
		round.Wait()
		if w != nil && w.ctx.Err() == nil {
			kept = max(kept, w.feed.behind(w))
		}
	}
	for _, s := range start {
		close(s)
	}
	ended.Wait()
	if c.t.Failed() {
		c.t.FailNow()
	}
	return slices.Concat(all...), kept
}

// record is a message whose frame has always the same length.
func (c *crowd) record(seq int64) planning.Record {
	return planning.Record{Session: "s", Seq: 10_000_000 + seq, Kind: planning.KindRunFailed, At: time.Unix(0, 0), Data: c.payload}
}

// behind is how many bytes the feed keeps that a watcher has not taken.
func (f *feed) behind(w *watcher) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := f.base
	if i := w.next - f.first - 1; i >= 0 && int(i) < len(f.frames) {
		from = f.frames[i].end
	}
	return f.base + int64(len(f.buf)) - from
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}

// TestFault_11_OneStalledWatcher: one who does not read costs the others
// nothing, and is dropped before much is kept for it.
func TestFault_11_OneStalledWatcher(t *testing.T) {
	watchers, messages := trial.Often(20, 1000), 350
	var with, without []time.Duration
	var kept int64
	for range trial.Often(1, 7) {
		t.Run("crowd", func(t *testing.T) {
			c := newCrowd(t)
			for range watchers {
				conn, _ := c.join()
				c.good = append(c.good, conn)
			}
			c.publish(50, nil) // which find every buffer empty
			took, _ := c.publish(messages, nil)
			without = append(without, p99(took))
			conn, w := c.join()
			c.bad = append(c.bad, conn)
			took, most := c.publish(messages, w)
			with, kept = append(with, p99(took)), max(kept, most)
			if cause := context.Cause(w.ctx); cause != tooSlow {
				t.Fatalf("the stalled one: %v", cause)
			}
		})
	}
	if t.Failed() {
		return
	}
	slices.Sort(with)
	slices.Sort(without)
	stalled, alone := with[len(with)/2], without[len(without)/2]
	ratio := float64(stalled) / float64(alone)
	if trial.Long() && ratio > 1.10 {
		t.Errorf("p99 of the others is %s beside a stalled one, %s without", stalled, alone)
	}
	if kept > 256<<10 {
		t.Errorf("%d KB were kept for it", kept>>10)
	}
	trial.Figures(t, "1 of %d stalled: p99 of the others %s beside it, %s without (%.2f); at most %d KB kept for it, dropped",
		watchers+1, stalled.Round(time.Microsecond), alone.Round(time.Microsecond), ratio, kept>>10)
}

// TestFault_12_ManyStalledWatchers: what is kept for those who do not read
// stays small, however many they are, until they are dropped.
func TestFault_12_ManyStalledWatchers(t *testing.T) {
	c := newCrowd(t)
	n := trial.Often(100, 1000)
	var watchers []*watcher
	for range n {
		conn, w := c.join()
		c.bad = append(c.bad, conn)
		watchers = append(watchers, w)
	}
	conn, _ := c.join()
	c.good = append(c.good, conn)
	before, most := inUse(), uint64(0)
	for range 150 {
		c.publish(20, nil)
		most = max(most, inUse())
		if !slices.ContainsFunc(watchers, func(w *watcher) bool { return w.ctx.Err() == nil }) {
			break
		}
	}
	for i, w := range watchers {
		if cause := context.Cause(w.ctx); cause != tooSlow {
			t.Fatalf("stalled watcher %d: %v", i, cause)
		}
	}
	grown := int64(most) - int64(before)
	if grown > 300<<20*int64(n)/1000 {
		t.Errorf("%d MB more for %d", grown>>20, n)
	}
	trial.Figures(t, "%d stalled: %.1f MB more at most, all dropped", n, float64(max(grown, 0))/(1<<20))
}

// inUse is how many bytes of memory are in use, without what can be collected.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
