// Package fakeanthropic is a server for tests that speaks Anthropic's Messages
// API and answers as a script tells it. It records what it was asked, refuses
// what the real API would refuse, and keeps a prompt cache by the same rules.
package fakeanthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/agent/llm/script"
)

// Server answers each request with the next turn of its script. Its fields are
// set before the first request.
type Server struct {
	script.Script[Turn, Request]

	// URL is the base URL for a client, without /v1.
	URL string
	// Binds: thinking is bound to what stood before it, as newer models have it.
	Binds bool
	// Old: the model can't think adaptively and writes at most 8192 tokens.
	Old bool

	mu     sync.Mutex
	issued []issue
	cache  map[string]bool // prefixes, by their sums
}

// New starts a server that ends with the test. A request for which the script
// has no turn left fails the test and is answered with an error; see
// Otherwise. One that the real API would refuse takes no turn, and fails the
// test unless Old or Binds make it one that a client may learn from.
func New(tb testing.TB, turns ...Turn) *Server {
	tb.Helper()
	s := &Server{cache: map[string]bool{}}
	s.URL = s.Serve(tb, s.serve, turns...)
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		s.TB.Errorf("unexpected request %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	req := Request{Raw: raw, Header: r.Header.Clone()}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&req.Body); err != nil {
		s.refuse(w, refusal{Status: 400, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	if no := s.check(req); no != nil {
		s.refuse(w, *no)
		return
	}
	req.Usage = s.count(req)
	turn, ok := s.Take(req)
	if !ok {
		turn = Turn{Status: http.StatusTeapot, Error: "the script is at its end"}
	}
	if turn.From != nil {
		turn = turn.From(req)
	}
	s.answer(w, r, turn, req)
}

// refusal is an error of the API.
type refusal struct {
	Status        int
	Type, Message string
	lesson        bool // a client may run into it and learn
}

func invalid(message string) *refusal {
	return &refusal{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: message}
}

func lesson(message string) *refusal {
	no := invalid(message)
	no.lesson = true
	return no
}

func (s *Server) refuse(w http.ResponseWriter, no refusal) {
	if !no.lesson {
		s.TB.Errorf("the API would refuse this request: %s", no.Message)
	}
	fail(w, no.Status, no.Type, no.Message)
}

func fail(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_test")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_test"})
}
