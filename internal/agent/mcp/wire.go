package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// farewell bounds the request that ends a connection: nobody waits for it.
const farewell = time.Second

// wire is a server that is reached by streamable HTTP.
type wire struct {
	Server
	base *http.Transport
	sent atomic.Int64 // bytes that came for this call
	over atomic.Bool
	ctx  context.Context // ends every request
	stop context.CancelFunc
	last atomic.Pointer[string] // what went wrong last, in a sentence
}

func newWire(s Server) (*wire, error) {
	base, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the program's own way to the network is gone")
	}
	w := &wire{Server: s, base: base.Clone()}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w, nil
}

func (w *wire) transport() sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: w.URL, MaxRetries: -1, MaxEventSize: maxSent,
		// Nothing is listened for between two calls: lists change with the run.
		DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it sends requests on to another address") // where the headers must not go
		}},
	}
}

func (w *wire) begin() { w.sent.Store(0) }
func (w *wire) kill()  { w.stop() }

func (w *wire) end(bye func()) {
	bye()
	w.stop()
	w.base.CloseIdleConnections()
}

func (w *wire) trouble() string {
	if w.over.Load() {
		return fmt.Sprintf("It sent more than %d MiB for one call.", maxSent>>20)
	}
	if why := w.last.Load(); why != nil {
		return *why
	}
	return ""
}

// RoundTrip implements http.RoundTripper: it adds the headers and bounds what
// comes back.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	if r.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(r.Context(), farewell)
	}
	release := context.AfterFunc(w.ctx, cancel)
	done := func() { release(); cancel() }
	r = r.Clone(ctx)
	for name, value := range w.Headers {
		r.Header.Set(name, value)
	}
	response, err := w.base.RoundTrip(r)
	if err != nil {
		done()
		w.note("It can't be reached: %s", oneLine(err.Error(), 300))
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest && r.Method == http.MethodPost {
		w.note("It answered with status %d.", response.StatusCode)
	}
	response.Body = &body{response.Body, w, done}
	return response, nil
}

func (w *wire) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.last.Store(&text)
}

// body is an answer as far as it is read.
type body struct {
	io.ReadCloser
	wire *wire
	done func()
}

func (b *body) Read(p []byte) (int, error) {
	if b.wire.sent.Load() > maxSent {
		b.wire.over.Store(true)
		return 0, fmt.Errorf("more than %d bytes came for one call", maxSent)
	}
	n, err := b.ReadCloser.Read(p)
	b.wire.sent.Add(int64(n))
	return n, err
}

func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
