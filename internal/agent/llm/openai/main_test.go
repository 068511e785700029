package openai

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sort"
	"testing"

	"go.uber.org/goleak"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// got is a turn put together from its deltas.
type got struct {
	Text, Reasoning string
	Calls           []planning.ToolCall
	Usage           planning.Usage
	Stop            agent.Stop
	Stops           int
}

// collect reads a turn to its end. It fails the test if a call's id or name
// comes anywhere but in its first piece.
func collect(t *testing.T, m agent.Model, req agent.Request) (got, error) {
	t.Helper()
	return collectCtx(t, t.Context(), m, req)
}

func collectCtx(t *testing.T, ctx context.Context, m agent.Model, req agent.Request) (got, error) {
	t.Helper()
	var g got
	var failed error
	calls := map[int]*planning.ToolCall{}
	for d, err := range m.Stream(ctx, req) {
		if failed != nil {
			t.Fatalf("something came after the error: %+v", d)
		}
		if err != nil {
			failed = err
			continue
		}
		g.Text += d.Text
		g.Reasoning += d.Reasoning
		if d.Usage != nil {
			g.Usage = *d.Usage
		}
		if d.Stop != "" {
			g.Stop = d.Stop
			g.Stops++
		}
		if c := d.Call; c != nil && calls[c.Index] == nil {
			calls[c.Index] = &planning.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
		} else if c != nil {
			if c.ID != "" || c.Name != "" {
				t.Fatalf("id or name in a later piece: %+v", c)
			}
			calls[c.Index].Arguments += c.Arguments
		}
	}
	var order []int
	for i := range calls {
		order = append(order, i)
	}
	sort.Ints(order)
	for _, i := range order {
		g.Calls = append(g.Calls, *calls[i])
	}
	return g, failed
}

// answering starts a server that gives each request the same raw answer.
func answering(t *testing.T, status int, contentType, body string, headers ...string) *Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
}

const testKey = "sk-very-secret-key"

func serving(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	client := s.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
	})
	return New(Config{Model: "m", BaseURL: s.URL + "/v1", APIKey: testKey, Client: client})
}

// sse makes a stream of events from their data.
func sse(data ...string) string {
	s := ""
	for _, d := range data {
		s += "data: " + d + "\n\n"
	}
	return s
}

func choice(delta string) string {
	return `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}
