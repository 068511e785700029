// Package fakeopenai is a server for tests that speaks the Chat Completions
// protocol and answers as a script tells it. It records what it was asked.
package fakeopenai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent/llm/script"
)

// Server answers each request with the next turn of its script.
type Server struct {
	script.Script[Turn, Request]

	// URL is the base URL for a client, ending in /v1.
	URL string
	// Aside, if it is set before the first request, answers some requests
	// beside the script. They are not recorded.
	Aside func(Request) (Turn, bool)
}

// New starts a server that ends with the test. A request for which the script
// has no turn left fails the test and is answered with an error; see
// Otherwise.
func New(tb testing.TB, turns ...Turn) *Server {
	tb.Helper()
	s := &Server{}
	s.URL = s.Serve(tb, s.serve, turns...) + "/v1"
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/chat/completions") {
		s.TB.Errorf("unexpected request %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req := Request{Raw: raw, Header: r.Header.Clone()}
	if err := json.Unmarshal(raw, &req.body); err != nil {
		s.TB.Errorf("a request is not JSON: %v", err)
	}
	if s.Aside != nil {
		if turn, ok := s.Aside(req); ok {
			s.answer(w, r, turn, req)
			return
		}
	}
	turn, ok := s.Take(req)
	if !ok {
		turn = Turn{Status: http.StatusTeapot, Error: "the script is at its end"}
	}
	if turn.From != nil {
		turn = turn.From(req)
	}
	s.answer(w, r, turn, req)
}
