package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/trial"

	"github.com/gorilla/websocket"
)

// The tests here are rows of what must hold when something breaks; see also
// internal/db. Each says its figures as an attribute.

// TestFault_09_CutsOfTheSocket: whatever the byte at which a line breaks, who
// comes back gets everything, once and in order.
func TestFault_09_CutsOfTheSocket(t *testing.T) {
	want := int64(trial.Often(60, 1000))
	r := newRig(t)
	id := r.begin()
	var cuts, last atomic.Int64
	last.Store(math.MaxInt64)
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(n), 9))
			if got := r.followCut(rnd, id, []string{"json", "html"}[n%2], last.Load, &cuts); got != last.Load() {
				t.Errorf("watcher %d got as far as %d of %d", n, got, last.Load())
			}
		})
	}
	rnd := rand.New(rand.NewPCG(9, 9))
	head := int64(2)
	for ; cuts.Load() < want; head++ {
		r.hub.Frame(id, agent.Frame{Type: "delta", Text: strings.Repeat("d", rnd.IntN(2000))})
		r.agent(id, planning.RunFailed{Message: "x", Detail: strings.Repeat("e", rnd.IntN(20_000))})
	}
	last.Store(head + 1)
	r.agent(id, planning.RunResumed{})
	all.Wait()
	trial.Figures(t, "%d cuts over %d events to 6 watchers: nothing missing, nothing twice", cuts.Load(), head+1)
}

// restart ends the server and starts another on the same database.
func (r *rig) restart(meanwhile func()) {
	r.t.Helper()
	r.must(r.web.Shutdown(context.Background()))
	r.srv.Close()
	r.must(r.db.Close())
	var err error
	r.db, err = db.Open(context.Background(), db.Options{Path: r.path, Log: r.web.server.log})
	r.must(err)
	meanwhile()
	r.hub = NewHub(r.db, nil, r.web.server.log)
	r.db.SetOnCommit(r.hub.Publish)
	r.web = New(r.config, r.db, r.hub, r.web.server.log)
	r.srv = httptest.NewUnstartedServer(nil)
	r.srv.Config = r.web.HTTP()
	r.srv.Start()
}

// TestFault_10_RestartWithManyWatchers: all come back at once and have what
// happened meanwhile.
func TestFault_10_RestartWithManyWatchers(t *testing.T) {
	raiseDescriptors(t)
	n := trial.Often(150, 2000)
	r := newRig(t)
	id := r.begin()
	conns := make([]*websocket.Conn, n)
	each(n, func(i int) {
		conns[i] = r.watch("format=json&after=2&session=" + id)
		readFrame(t, conns[i]) // hello: it is known
	})
	told := make(chan int, n)
	for _, conn := range conns {
		go func() { told <- closeCode(t, conn) }()
	}
	const missed = 20
	r.restart(func() {
		for range missed {
			r.agent(id, planning.RunFailed{Message: "x", Detail: strings.Repeat("e", 500)})
		}
	})
	for range n {
		if code := <-told; code != websocket.CloseServiceRestart {
			t.Fatalf("closed with %d", code)
		}
	}
	begun := time.Now()
	each(n, func(i int) {
		conn := r.watch("format=json&after=2&session=" + id)
		readFrame(t, conn) // hello
		for want := int64(3); want <= 2+missed; want++ {
			_, data, err := conn.ReadMessage()
			if err != nil || !bytes.Contains(data, fmt.Appendf(nil, `"seq":%d,`, want)) {
				t.Errorf("watcher %d got %s, want %d: %v", i, data, want, err)
				return
			}
		}
	})
	took := time.Since(begun)
	if trial.Long() && took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	trial.Figures(t, "%d watchers had the %d events they had missed %.1f s after the restart", n, missed, took.Seconds())
}

// each does something for every number below n, many at a time.
func each(n int, do func(int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range 100 {
		all.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// TestFault_13_AnEndlessMessage: a message that comes in fragments and never
// ends is not collected, and its sender is told why it is cut off.
func TestFault_13_AnEndlessMessage(t *testing.T) {
	r := newRig(t)
	fragment := func(op byte, n int) []byte {
		return append([]byte{op, 0x80 | 126, byte(n >> 8), byte(n), 0, 0, 0, 0}, bytes.Repeat([]byte("x"), n)...)
	}
	told := r.watch("")
	readFrame(t, told)
	for i := range readLimit/1024 + 1 {
		op := byte(0)
		if i == 0 {
			op = websocket.TextMessage
		}
		if _, err := told.NetConn().Write(fragment(op, 1024)); err != nil {
			t.Fatal(err)
		}
	}
	if code := closeCode(t, told); code != websocket.CloseMessageTooBig {
		t.Errorf("closed with %d", code)
	}
	endless := r.watch("")
	readFrame(t, endless)
	first, more := fragment(websocket.TextMessage, 1024), fragment(0, 1024)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sent := 0
	_, err := endless.NetConn().Write(first)
	for ; err == nil && sent < 1<<20; sent++ {
		_, err = endless.NetConn().Write(more)
	}
	runtime.ReadMemStats(&after)
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after %d fragments: %v", sent, err)
	}
	grown := after.TotalAlloc - before.TotalAlloc
	if grown > 1<<20 {
		t.Errorf("%d bytes were taken for it", grown)
	}
	r.noWatchers()
	trial.Figures(t, "closed with 1009 after %d KB; %d KB were taken in all for one that goes on regardless", readLimit>>10, grown>>10)
}
