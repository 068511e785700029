package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/agent/llm/wire"
)

// slow is a network on which each read of the answer, and the headers before
// it, take their time.
type slow struct {
	headers time.Duration
	pause   time.Duration
	body    string
	reads   int // after so many reads nothing more comes; 0: no such limit
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := wait(r.Context(), s.headers); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&slowBody{slow: s, ctx: r.Context()})}, nil
}

type slowBody struct {
	slow
	ctx  context.Context
	done int
}

func (b *slowBody) Read(p []byte) (int, error) {
	pause := b.pause
	if b.done++; b.reads > 0 && b.done > b.reads {
		pause = 1000 * time.Hour
	}
	if err := wait(b.ctx, pause); err != nil {
		return 0, err
	}
	if b.body == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 16)], b.body)
	b.body = b.body[n:]
	return n, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// A server may take as long as it likes, if it is never silent for longer than
// the limit.
func TestIdle_SlowIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		network := slow{headers: wire.DefaultIdle - time.Second, pause: wire.DefaultIdle - time.Second, body: sse(choice(`{"content":"at last"}`), finish("stop"))}
		have, err := collect(t, New(Config{Model: "m", BaseURL: "http://h/v1", Client: &http.Client{Transport: network}}), agent.Request{})
		if err != nil || have.Text != "at last" {
			t.Fatalf("got %+v, %v", have, err)
		}
		if took := time.Since(begun); took < 5*wire.DefaultIdle {
			t.Errorf("the answer took %v, which proves nothing", took)
		}
	})
}

func TestIdle_Silence(t *testing.T) {
	tests := map[string]struct {
		network slow
		says    string
		after   time.Duration
	}{
		"no headers":    {slow{headers: time.Hour}, "has not answered within 2m0s", wire.DefaultIdle},
		"no first byte": {slow{pause: time.Hour, body: "x"}, "nothing has come for 2m0s", wire.DefaultIdle},
		"in mid-stream": {slow{reads: 1, body: sse(choice(`{"content":"so far"}`), finish("stop"))}, "stopped in the middle of an answer", wire.DefaultIdle},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				e := failure(t, New(Config{Model: "m", BaseURL: "http://h/v1", Client: &http.Client{Transport: test.network}}))
				if !strings.Contains(e.Message, test.says) || !e.Temporary {
					t.Errorf("got %q, temporary %v", e.Message, e.Temporary)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// A turn that has said why it ended is whole, even if the server then hangs.
func TestIdle_HangsAfterTheEnd(t *testing.T) {
	body := sse(choice(`{"content":"all"}`), finish("stop"))
	synctest.Test(t, func(t *testing.T) {
		network := slow{reads: (len(body) + 15) / 16, body: body}
		have, err := collect(t, New(Config{Model: "m", BaseURL: "http://h/v1", Client: &http.Client{Transport: network}}), agent.Request{})
		if err != nil || have.Text != "all" || have.Stop != agent.StopEnd {
			t.Fatalf("got %+v, %v", have, err)
		}
	})
}

// The same over a real connection.
func TestIdle_RealServer(t *testing.T) {
	s := fakeopenai.New(t, fakeopenai.Turn{Text: "so far", Stall: true})
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	e := failure(t, New(Config{Model: "m", BaseURL: s.URL, Client: client, IdleTimeout: 50 * time.Millisecond}))
	if !strings.Contains(e.Message, "stopped in the middle") {
		t.Error(e.Message)
	}
}

func TestCut_RealServer(t *testing.T) {
	s := fakeopenai.New(t, fakeopenai.Turn{Text: "so far", Cut: true})
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	e := failure(t, New(Config{Model: "m", BaseURL: s.URL, Client: client}))
	if !strings.Contains(e.Message, "broke in the middle of an answer") || !e.Temporary {
		t.Errorf("%q, temporary %v", e.Message, e.Temporary)
	}
}

// Cancelling ends a turn at once with the context's own error, wherever it is;
// TestMain sees to it that nothing is left behind.
func TestCancel(t *testing.T) {
	for name, turn := range map[string]fakeopenai.Turn{
		"in the middle":   {Text: "so far", Stall: true},
		"before anything": {From: func(fakeopenai.Request) fakeopenai.Turn { return fakeopenai.Turn{Stall: true} }},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if turn.From != nil {
				from := turn.From
				turn.From = func(r fakeopenai.Request) fakeopenai.Turn { cancel(); return from(r) }
			}
			s := fakeopenai.New(t, turn)
			client := &http.Client{Transport: &http.Transport{}}
			t.Cleanup(client.CloseIdleConnections)
			var last error
			for d, err := range New(Config{Model: "m", BaseURL: s.URL, Client: client}).Stream(ctx, agent.Request{}) {
				if last = err; d.Text != "" {
					cancel()
				}
			}
			if !errors.Is(last, context.Canceled) {
				t.Errorf("got %v", last)
			}
		})
	}
}

func TestDeadlineOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := New(Config{Model: "m", BaseURL: "http://h/v1", Client: &http.Client{Transport: slow{headers: time.Hour}}})
		if _, err := collectCtx(t, ctx, c, agent.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A reader that has had enough ends the request.
func TestStream_Break(t *testing.T) {
	s := fakeopenai.New(t, fakeopenai.Turn{Text: "more than enough", Piece: 1, Stall: true})
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	for d, err := range New(Config{Model: "m", BaseURL: s.URL, Client: client}).Stream(t.Context(), agent.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			break
		}
	}
}
