// Package fakeopenai is a server for tests that speaks the Chat Completions
// protocol and answers as a script tells it. It records what it was asked.
package fakeopenai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server answers each request with the next turn of its script. It is safe for
// concurrent use; with several clients, turns go to whoever asks first.
type Server struct {
	// URL is the base URL for a client, ending in /v1.
	URL string

	tb        testing.TB
	http      *httptest.Server
	closing   chan struct{}
	mu        sync.Mutex
	turns     []Turn
	otherwise *Turn
	requests  []Request
	news      chan struct{} // closed and replaced at each request
}

// New starts a server that ends with the test. A request for which the script
// has no turn left fails the test and is answered with an error; see
// Otherwise.
func New(tb testing.TB, turns ...Turn) *Server {
	tb.Helper()
	s := &Server{tb: tb, turns: turns, closing: make(chan struct{}), news: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + "/v1"
	tb.Cleanup(s.Close)
	return s
}

// Close lets stalled turns go and stops the server. It may be called more than
// once.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Add appends turns to the script.
func (s *Server) Add(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turns...)
}

// Otherwise says how requests beyond the script are answered, instead of
// failing the test.
func (s *Server) Otherwise(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.otherwise = &t
}

// Left returns how many turns of the script nobody has asked for yet.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

// Requests returns what was asked so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Await waits until n requests have come and returns them all. After half a
// minute without it fails the test.
func (s *Server) Await(n int) []Request {
	s.tb.Helper()
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		requests, news := append([]Request(nil), s.requests...), s.news
		s.mu.Unlock()
		if len(requests) >= n {
			return requests
		}
		select {
		case <-news:
		case <-late:
			s.tb.Fatalf("the model was asked %d times, not %d", len(requests), n)
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/chat/completions") {
		s.tb.Errorf("unexpected request %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req := Request{Raw: raw, Header: r.Header.Clone()}
	if err := json.Unmarshal(raw, &req.body); err != nil {
		s.tb.Errorf("a request is not JSON: %v", err)
	}
	turn := s.take(req)
	if turn.From != nil {
		turn = turn.From(req)
	}
	s.answer(w, r, turn, req)
}

// take records the request and returns the turn for it.
func (s *Server) take(req Request) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	close(s.news)
	s.news = make(chan struct{})
	if len(s.turns) > 0 {
		turn := s.turns[0]
		s.turns = s.turns[1:]
		return turn
	}
	if s.otherwise != nil {
		return *s.otherwise
	}
	s.tb.Errorf("request %d: the script has no turn left for it", len(s.requests))
	return Turn{Status: http.StatusTeapot, Error: "the script is at its end"}
}
