package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/planning"

	"github.com/gorilla/websocket"
)

const (
	fanWatchers = 1000
	fanBytes    = 1024
	fanWindow   = 64 // messages under way, well within what a watcher may be behind
	fanBurst    = 20 // messages of one operation; with fewer the first ones, which find every buffer empty, are all that is measured
)

// BenchmarkFanOut sends messages of 1 KB to 1,000 watchers over real sockets,
// through the hub and, in the same run, through the plainest loop there is: one
// gorilla write after another. An operation is fanBurst
// messages to all watchers.
func BenchmarkFanOut(b *testing.B) {
	raiseDescriptors(b)
	payload, err := json.Marshal(planning.RunFailed{Message: strings.Repeat("x", fanBytes-160)})
	if err != nil {
		b.Fatal(err)
	}
	n := b.N * fanBurst
	took := fanOutHub(b, payload, n)
	base := fanOutPlain(b, n)
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(n)*fanWatchers/took.Seconds(), "msg/s")
	b.ReportMetric(float64(n)*fanWatchers/base.Seconds(), "plain-msg/s")
	b.ReportMetric(base.Seconds()/took.Seconds(), "x-plain")
}

func fanOutHub(b *testing.B, payload []byte, n int) time.Duration {
	hub := NewHub(emptyLog{}, nil, slog.New(slog.DiscardHandler))
	fan := newFan(b, func(conn *websocket.Conn) {
		if err := hub.watch(conn, feedKey{"s", formatJSON}, 0, holder{}); err != nil {
			b.Error(err)
		}
	})
	defer fan.close()
	defer func() { _ = hub.Shutdown(context.Background()) }()
	at := time.Now()
	record := func(seq int64) planning.Record {
		return planning.Record{Session: "s", Seq: seq, Kind: planning.KindRunFailed, At: at, Data: payload}
	}
	start := time.Now()
	for seq := int64(1); seq <= int64(n); {
		var window []planning.Record
		size := 0
		for ; len(window) < fanWindow && seq <= int64(n); seq++ {
			window = append(window, record(seq))
			size += len(hub.encode(formatJSON, record(seq)))
		}
		fan.expect(size)
		for _, r := range window {
			hub.Publish(planning.State{}, []planning.Record{r})
		}
		fan.settle()
	}
	return time.Since(start)
}

func fanOutPlain(b *testing.B, n int) time.Duration {
	var mu sync.Mutex
	var conns []*websocket.Conn
	fan := newFan(b, func(conn *websocket.Conn) {
		if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
			b.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		conns = append(conns, conn)
	})
	defer fan.close()
	message := bytes.Repeat([]byte("x"), fanBytes)
	start := time.Now()
	for left := n; left > 0; left -= fanWindow {
		window := min(left, fanWindow)
		fan.expect(window * (fanBytes + 4))
		for range window {
			for _, conn := range conns {
				if err := conn.WriteMessage(websocket.TextMessage, message); err != nil {
					b.Fatal(err)
				}
			}
		}
		fan.settle()
	}
	took := time.Since(start)
	for _, conn := range conns {
		_ = conn.Close()
	}
	return took
}

// fan is a crowd of clients that only count what they get.
type fan struct {
	b     *testing.B
	srv   *httptest.Server
	conns []net.Conn
	want  []chan int // how many bytes to read next
	read  sync.WaitGroup
	done  sync.WaitGroup
}

func newFan(b *testing.B, accept func(*websocket.Conn)) *fan {
	b.Helper()
	f := &fan{b: b}
	up := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 2048}
	var accepted sync.WaitGroup
	accepted.Add(fanWatchers)
	f.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			b.Error(err)
			return
		}
		accept(conn)
		accepted.Done()
	}))
	for range fanWatchers {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(f.srv.URL, "http"), nil)
		if err != nil {
			b.Fatal(err)
		}
		// The first frame may have come with the handshake, into gorilla's buffer.
		if _, _, err := conn.ReadMessage(); err != nil {
			b.Fatal(err)
		}
		want := make(chan int)
		f.conns, f.want = append(f.conns, conn.NetConn()), append(f.want, want)
		f.done.Go(func() { f.count(conn.NetConn(), want) })
	}
	accepted.Wait()
	return f
}

func (f *fan) count(conn net.Conn, want <-chan int) {
	buf := make([]byte, 32<<10)
	for n := range want {
		for n > 0 {
			got, err := conn.Read(buf[:min(n, len(buf))])
			if n -= got; err != nil && err != io.EOF {
				f.b.Error(err)
				n = 0
			}
		}
		f.read.Done()
	}
}

// expect lets every client read this many bytes, from now on.
func (f *fan) expect(bytes int) {
	f.read.Add(len(f.want))
	for _, want := range f.want {
		want <- bytes
	}
}

// settle waits until every client has them.
func (f *fan) settle() { f.read.Wait() }

func (f *fan) close() {
	for i, conn := range f.conns {
		close(f.want[i])
		_ = conn.Close()
	}
	f.done.Wait()
	f.srv.Close()
}

// emptyLog is a log in which there is nothing to catch up on.
type emptyLog struct{}

func (emptyLog) State(context.Context, string) (planning.State, error) { return planning.State{}, nil }

func (emptyLog) Records(context.Context, string, int64, int) ([]planning.Record, error) {
	return nil, nil
}

// raiseDescriptors makes room for both ends of every socket.
func raiseDescriptors(b testing.TB) {
	b.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		b.Fatal(err)
	}
	if limit.Cur >= 4*fanWatchers {
		return
	}
	limit.Cur = min(limit.Max, 4*fanWatchers)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < 3*fanWatchers {
		b.Skipf("only %d descriptors", limit.Cur)
	}
}
