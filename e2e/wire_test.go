package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// wire is a network cable between browser and server that can be pulled.
type wire struct {
	base string // as the browser calls it

	to       string
	listener net.Listener
	mu       sync.Mutex
	down     bool
	hung     bool
	open     map[net.Conn]bool
}

func newWire(t *testing.T, s *server) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{base: "http://" + l.Addr().String(), to: strings.TrimPrefix(s.base, "http://"), listener: l, open: map[net.Conn]bool{}}
	var accepting sync.WaitGroup
	accepting.Go(w.accept)
	t.Cleanup(func() {
		l.Close()
		w.pull()
		accepting.Wait()
	})
	return w
}

func (w *wire) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.carry(c) // ends with either side
	}
}

func (w *wire) carry(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer s.Close()
	w.mu.Lock()
	if w.down {
		w.mu.Unlock()
		return
	}
	w.open[c], w.open[s] = true, true
	w.mu.Unlock()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{c, s}, {s, c}} {
		go func() {
			io.Copy(leaky{w, pair[0]}, pair[1])
			done <- struct{}{}
		}()
	}
	<-done
	w.mu.Lock()
	delete(w.open, c)
	delete(w.open, s)
	w.mu.Unlock()
}

// pull cuts everything; until plug, nothing gets through.
func (w *wire) pull() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.open {
		c.Close()
	}
}

// hang lets nothing through any more, and neither side hears that it is so, as
// when a phone leaves the network.
func (w *wire) hang() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hung = true
}

// leaky loses what is written to it while the wire hangs.
type leaky struct {
	wire *wire
	to   net.Conn
}

func (l leaky) Write(p []byte) (int, error) {
	l.wire.mu.Lock()
	hung := l.wire.hung
	l.wire.mu.Unlock()
	if hung {
		return len(p), nil
	}
	return l.to.Write(p)
}

func (w *wire) plug() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// through is a link of the server as it goes over the wire.
func (w *wire) through(s *server, link string) string {
	return w.base + strings.TrimPrefix(link, s.base)
}
