// Package script is what the servers for tests have in common, which play a
// model by a list of turns and note what they were asked.
package script

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Script is a server's list of turns T and the requests R that it got. It is
// safe for concurrent use; with several clients, turns go to whoever asks
// first.
type Script[T, R any] struct {
	TB testing.TB
	// Closing ends when the server is closed, for turns that stall.
	Closing chan struct{}

	http      *httptest.Server
	mu        sync.Mutex
	turns     []T
	otherwise *T
	requests  []R
	news      chan struct{} // closed and replaced at each request
}

// Serve starts a server with this handler that ends with the test, and returns
// its address.
func (s *Script[T, R]) Serve(tb testing.TB, serve http.HandlerFunc, turns ...T) string {
	tb.Helper()
	s.TB, s.turns = tb, turns
	s.Closing, s.news = make(chan struct{}), make(chan struct{})
	s.http = httptest.NewServer(serve)
	tb.Cleanup(s.Close)
	return s.http.URL
}

// Close lets stalled turns go and stops the server. It may be called more than
// once.
func (s *Script[T, R]) Close() {
	s.mu.Lock()
	select {
	case <-s.Closing:
	default:
		close(s.Closing)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Add appends turns to the script.
func (s *Script[T, R]) Add(turns ...T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turns...)
}

// Otherwise says how requests beyond the script are answered, instead of
// failing the test.
func (s *Script[T, R]) Otherwise(t T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.otherwise = &t
}

// Left returns how many turns of the script nobody has asked for yet.
func (s *Script[T, R]) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

// Requests returns what was asked so far, oldest first.
func (s *Script[T, R]) Requests() []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Await waits until n requests have come and returns them all. After half a
// minute without it fails the test.
func (s *Script[T, R]) Await(n int) []R {
	s.TB.Helper()
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		requests, news := slices.Clone(s.requests), s.news
		s.mu.Unlock()
		if len(requests) >= n {
			return requests
		}
		select {
		case <-news:
		case <-late:
			s.TB.Fatalf("the model was asked %d times, not %d", len(requests), n)
		}
	}
}

// Take records a request and returns the turn for it. If there is none left,
// it fails the test and returns false.
func (s *Script[T, R]) Take(request R) (turn T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	close(s.news)
	s.news = make(chan struct{})
	switch {
	case len(s.turns) > 0:
		turn = s.turns[0]
		s.turns = s.turns[1:]
	case s.otherwise != nil:
		turn = *s.otherwise
	default:
		s.TB.Errorf("request %d: the script has no turn left for it", len(s.requests))
		return turn, false
	}
	return turn, true
}
