// Package wire is what the adapters for models have in common: the request
// over HTTP, the stream of events that answers it, how long a server may be
// silent, and the sentences that say what went wrong.
package wire

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"countersign/internal/agent"
)

// DefaultIdle is how long a server may say nothing, before its first byte and
// between two bytes. Models that think for longer send comments or empty
// pieces meanwhile.
const DefaultIdle = 120 * time.Second

// Config says where a model is and how its server is spoken of.
type Config struct {
	Model   string
	URL     *url.URL // to post to
	Key     string
	KeyVar  string        // where people set the key: "OPENAI_API_KEY"
	BaseVar string        // where people set the address: "OPENAI_BASE_URL"
	Client  *http.Client  // a client of our own if nil, which obeys HTTPS_PROXY
	Idle    time.Duration // longest silence; DefaultIdle if zero
	Bad     error         // what can't be used of the configuration; every request says so
}

// Server is the server of one model. It is safe for concurrent use.
type Server struct {
	Config
	http *http.Client
}

// New makes a server. It asks nothing.
func New(cfg Config) *Server {
	s := &Server{Config: cfg, http: Client(cfg.Client)}
	if s.Idle <= 0 {
		s.Idle = DefaultIdle
	}
	if s.Bad == nil && strings.ContainsFunc(cfg.Key, unicode.IsControl) {
		s.Bad = &agent.ModelError{Message: "The key for the model's server has characters that can't be sent. Check " + cfg.KeyVar + " for line breaks."}
	}
	return s
}

// Client is the client for a model's server. A redirect would turn a POST into
// a GET, or carry the conversation and the key to another host, so none is
// followed.
func Client(base *http.Client) *http.Client {
	client := http.Client{}
	if base != nil {
		client = *base
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// Exchange is one request and how its answer is read. Send may post more than
// once; Read gets the body of an answer that is 200, from its first byte.
type Exchange struct {
	Send func(context.Context, *Watch) (*http.Response, error)
	Read func(body io.Reader, emit func(agent.Delta) bool) error
}

// Stream runs an exchange as agent.Model wants it. When ctx ends, the error is
// ctx.Err().
func (s *Server) Stream(ctx context.Context, x Exchange) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		if s.Bad != nil {
			yield(agent.Delta{}, s.Bad)
			return
		}
		watch, ctx := newWatch(ctx, s.Idle)
		defer watch.stop()
		resp, err := x.Send(ctx, watch)
		if err != nil {
			yield(agent.Delta{}, s.explain(watch, err))
			return
		}
		defer resp.Body.Close()
		err = x.Read(watch.reader(resp.Body), func(d agent.Delta) bool { return yield(d, nil) })
		if err != nil && err != ErrStopped {
			yield(agent.Delta{}, s.explain(watch, err))
		}
	}
}

// Post sends a body of JSON with these headers. An answer that is not 200 is
// handed to refused together with the beginning of its body: it tells whether
// what it learned makes another try worth while. Then Post returns nil and no
// error.
func (s *Server) Post(ctx context.Context, watch *Watch, body []byte, header http.Header, refused func(status int, body []byte) bool) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("User-Agent", "countersign")
	resp, err := s.http.Do(r)
	if err != nil {
		return nil, err
	}
	watch.touch()
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	text, _ := io.ReadAll(io.LimitReader(watch.reader(resp.Body), maxErrorBody))
	resp.Body.Close()
	if refused(resp.StatusCode, text) {
		return nil, nil
	}
	return nil, s.statusError(resp, text)
}

// Base reads a base URL. The text itself is in no error: it may hold a key.
func Base(text, baseVar string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, &agent.ModelError{Message: "The base URL of the model's server can't be used: it must look like https://host/v1. Check " + baseVar + "."}
	}
	return u, nil
}
