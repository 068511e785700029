package anthropic

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeanthropic"
	"countersign/internal/planning"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-ant-very-secret-key"

// got is a turn put together from its deltas.
type got struct {
	Text, Reasoning string
	Calls           []planning.ToolCall
	Usage           planning.Usage
	Stop            agent.Stop
	Kept            []byte
	deltas          int
}

// message is the turn as it stands in the next request.
func (g got) message() agent.Message {
	return agent.Message{Role: agent.RoleAssistant, Text: g.Text, Reasoning: g.Reasoning, Calls: g.Calls, Kept: g.Kept}
}

// collect reads a turn to its end. It fails the test if a call's id or name
// comes anywhere but in its first piece.
func collect(t *testing.T, m agent.Model, req agent.Request) (got, error) {
	t.Helper()
	var g got
	for d, err := range m.Stream(t.Context(), req) {
		if err != nil {
			return g, err
		}
		g.deltas++
		g.Text += d.Text
		g.Reasoning += d.Reasoning
		if d.Usage != nil {
			g.Usage = *d.Usage
		}
		if d.Stop != "" {
			g.Stop, g.Kept = d.Stop, d.Kept
		}
		c := d.Call
		switch {
		case c == nil:
		case c.Index == len(g.Calls):
			g.Calls = append(g.Calls, planning.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		case c.ID != "" || c.Name != "":
			t.Fatalf("id or name in a later piece: %+v", c)
		default:
			g.Calls[c.Index].Arguments += c.Arguments
		}
	}
	return g, nil
}

// bytewise is a network that hands out one byte a time.
type bytewise struct{ http.RoundTripper }

func (b bytewise) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			iotestReader
			closer
		}{iotestReader{iotest.OneByteReader(resp.Body)}, closer{resp.Body}}
	}
	return resp, err
}

type iotestReader struct {
	r interface{ Read([]byte) (int, error) }
}

func (r iotestReader) Read(p []byte) (int, error) { return r.r.Read(p) }

type closer struct{ c interface{ Close() error } }

func (c closer) Close() error { return c.c.Close() }

// asking is a client of a scripted server.
func asking(t *testing.T, s *fakeanthropic.Server) *Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return New(Config{Model: "claude-test", BaseURL: s.URL, APIKey: testKey, Client: &http.Client{Transport: bytewise{transport}}})
}

// answering starts a server that gives each request the same raw answer.
func answering(t *testing.T, status int, contentType, body string, headers ...string) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for pair := range slices.Chunk(headers, 2) {
			w.Header().Set(pair[0], pair[1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	client := s.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
	})
	return New(Config{Model: "claude-test", BaseURL: s.URL, APIKey: testKey, Client: client})
}

func ask(messages ...agent.Message) agent.Request {
	return agent.Request{
		System:   "Be brief.",
		Tools:    []agent.ToolSpec{{Name: "grep", Description: "Finds <text>", Parameters: []byte(`{"type":"object","properties":{"b":{},"a":{}}}`)}, {Name: "nothing"}},
		Messages: messages,
	}
}

func user(text string) agent.Message { return agent.Message{Role: agent.RoleUser, Text: text} }

func list(text string) agent.Message {
	return agent.Message{Role: agent.RoleUser, Text: text, Passing: true}
}

func result(id, text string) agent.Message {
	return agent.Message{Role: agent.RoleTool, CallID: id, Text: text}
}
