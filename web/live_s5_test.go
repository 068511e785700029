package web

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/planning"

	"github.com/gorilla/websocket"
)

// cutConn breaks off after some bytes, wherever in a frame that is.
type cutConn struct {
	net.Conn
	left int
	cuts *atomic.Int64
}

func (c *cutConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.cuts.Add(1)
		_ = c.Conn.Close()
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Watchers whose line breaks off at any byte, again and again, while events of
// all sizes and streamed text come in.
func TestLive_S5_NothingMissingNothingTwice(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	const rounds = 150
	var wg sync.WaitGroup
	last := int64(2 + 2*rounds)
	for n := range 6 {
		wg.Go(func() {
			f := []string{"json", "html"}[n%2]
			cuts := new(atomic.Int64)
			if got := r.followCut(rand.New(rand.NewPCG(uint64(n), 7)), id, f, func() int64 { return last }, cuts); got != last {
				t.Errorf("watcher %d got as far as %d of %d", n, got, last)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		size := rnd.IntN(3000)
		if rnd.IntN(20) == 0 {
			size = feedLarge + rnd.IntN(feedLarge)
		}
		r.hub.Frame(id, agent.Frame{Type: "delta", Text: strings.Repeat("d", rnd.IntN(2000))})
		r.agent(id, planning.RunFailed{Message: "x", Detail: strings.Repeat("e", size)}, planning.RunResumed{})
	}
	wg.Wait()
}

// followCut watches a session over lines that break, and returns the seq up to
// which everything came once and in order. It ends at until, and counts how often
// a line broke.
func (r *rig) followCut(rnd *rand.Rand, id, f string, until func() int64, cuts *atomic.Int64) int64 {
	var seen int64
	for seen < until() {
		d := &websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
			conn, err := net.Dial(network, addr)
			return &cutConn{conn, 500 + rnd.IntN(60_000), cuts}, err
		}}
		if rnd.IntN(8) == 0 {
			d = websocket.DefaultDialer // or one that is too large would never get through
		}
		conn, _, err := r.dialWith(d, fmt.Sprintf("session=%s&format=%s&after=%d", id, f, seen), r.bearer())
		if err != nil {
			continue // cut off in the handshake
		}
		for n := 0; seen < until() && (d != websocket.DefaultDialer || n < 40); n++ {
			frame, err := nextFrame(conn)
			if err != nil {
				break
			}
			if frame.Type != "event" {
				continue
			}
			if frame.Seq != seen+1 {
				r.t.Errorf("%d came after %d", frame.Seq, seen)
				conn.Close()
				return seen
			}
			seen = frame.Seq
		}
		conn.Close()
	}
	return seen
}

// One who does not read holds up nobody, is dropped, and comes back for the
// rest.
func TestLive_StalledWatcherIsDropped(t *testing.T) {
	r := newRig(t)
	r.hub.patience = time.Hour // so that it is not a slow write that ends it
	id := r.begin()
	stalled := r.watch("format=json&session=" + id)
	readFrame(t, stalled)
	w := r.only()
	good := r.watch("format=json&after=2&session=" + id)
	readFrame(t, good)
	big := strings.Repeat("e", 30_000)
	const n = 400 // 12 MB, more than any socket buffer
	for want := int64(3); want < 3+n; want++ {
		r.agent(id, planning.RunFailed{Message: "x", Detail: big})
		if f := readFrame(t, good); f.Seq != want {
			t.Fatalf("the good one got %+v, want %d", f, want)
		}
	}
	if cause := context.Cause(w.ctx); cause != tooSlow {
		t.Fatalf("the stalled one is still there: %v", cause)
	}
	good.Close()
	r.noWatchers() // though it has still read nothing
	var seen int64
	for {
		f, err := nextFrame(stalled)
		if err != nil {
			break
		}
		seen = f.Seq
	}
	if seen >= 2+n {
		t.Fatal("the stalled one was not cut off")
	}
	back := r.watch(fmt.Sprintf("format=json&session=%s&after=%d", id, seen))
	readFrame(t, back)
	for want := seen + 1; want <= 2+n; want++ {
		if f := readFrame(t, back); f.Seq != want {
			t.Fatalf("after coming back: %d, want %d", f.Seq, want)
		}
	}
}

// What the hub hears of commits only wakes it: order and completeness come
// from the log.
func TestLive_S5_PublishedOutOfOrder(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	var mu sync.Mutex
	var held [][]planning.Record
	r.db.SetOnCommit(func(_ planning.State, records []planning.Record) {
		mu.Lock()
		defer mu.Unlock()
		held = append(held, records)
	})
	conn := r.watch("format=json&after=2&session=" + id)
	readFrame(t, conn)
	for range 20 {
		r.agent(id, planning.RunResumed{})
	}
	order := rand.New(rand.NewPCG(3, 3)).Perm(len(held))
	for _, i := range order[:len(order)/2] { // and half of them never
		r.hub.Publish(planning.State{}, held[i])
	}
	r.hub.Publish(planning.State{}, held[len(held)-1])
	for want := int64(3); want <= 22; want++ {
		if f := readFrame(t, conn); f.Seq != want {
			t.Fatalf("%d, want %d", f.Seq, want)
		}
	}
}

// An announcement that the log does not bear out must not make a watcher spin.
func TestLive_AnnouncedButNotThere(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	conn := r.watch("format=json&after=2&session=" + id)
	readFrame(t, conn)
	r.hub.Publish(planning.State{}, []planning.Record{{Session: id, Seq: 9, Kind: planning.KindRunResumed, Data: []byte("{}")}})
	if code := closeCode(t, conn); code != websocket.CloseTryAgainLater {
		t.Errorf("closed with %d", code)
	}
}
