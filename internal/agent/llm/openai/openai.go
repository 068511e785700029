// Package openai is the adapter for servers that speak OpenAI's Chat
// Completions protocol: OpenAI itself, DeepSeek, Ollama, vLLM, LM Studio and
// others.
//
// The protocol is described at
// https://platform.openai.com/docs/api-reference/chat. Where servers are known
// to depart from it (indexes or ids left out, the same index for every call,
// arguments as an object, an error inside the stream), the adapter
// reads what they mean.
package openai

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"countersign/internal/agent"
)

// OfficialURL is the base URL of OpenAI's own service.
const OfficialURL = "https://api.openai.com/v1"

// defaultIdle is how long a server may say nothing, before its first byte and
// between two bytes. Models that think for longer send comments or empty
// pieces meanwhile.
const defaultIdle = 120 * time.Second

// Config says which model to ask, and where. Only Model is needed.
type Config struct {
	Model       string
	BaseURL     string        // OfficialURL if empty; a query in it is kept
	APIKey      string        // sent as a bearer token; none is sent if empty
	Client      *http.Client  // a client of our own if nil
	IdleTimeout time.Duration // longest silence of the server; 120 s if zero
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	model string
	key   string
	idle  time.Duration
	http  *http.Client
	url   *url.URL
	bad   error // what can't be used of the configuration; every request says so

	// What the server has told us about itself by refusing a request.
	wantsReasoning  atomic.Bool // the model's reasoning is to be sent back
	noStreamOptions atomic.Bool // it doesn't know stream_options
}

var _ agent.Model = (*Client)(nil)

// New makes a client. A base URL that can't be used shows at the first
// request; see CheckURL.
func New(cfg Config) *Client {
	c := &Client{model: cfg.Model, key: cfg.APIKey, idle: cfg.IdleTimeout}
	if c.idle <= 0 {
		c.idle = defaultIdle
	}
	client := http.Client{}
	if cfg.Client != nil {
		client = *cfg.Client
	}
	// A redirect would turn the POST into a GET, or carry the conversation to
	// another host; it is reported instead.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &client
	c.url, c.bad = endpoint(cfg.BaseURL)
	if strings.ContainsFunc(cfg.APIKey, unicode.IsControl) {
		c.bad = &agent.ModelError{Message: "The key for the model's server has characters that can't be sent. Check OPENAI_API_KEY for line breaks."}
	}
	return c
}

// Stream implements agent.Model. When ctx ends, the error is ctx.Err().
func (c *Client) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		if c.bad != nil {
			yield(agent.Delta{}, c.bad)
			return
		}
		watch, ctx := newWatch(ctx, c.idle)
		defer watch.stop()
		resp, err := c.send(ctx, watch, req)
		if err != nil {
			yield(agent.Delta{}, c.explain(watch, err))
			return
		}
		defer resp.Body.Close()
		t := newTurn(usedIDs(req.Messages), func(d agent.Delta) bool { return yield(d, nil) })
		err = c.read(t, watch.reader(resp.Body))
		if err != nil && err != errStopped {
			yield(agent.Delta{}, c.explain(watch, err))
		}
	}
}

// send posts the request. A server that refuses it because of a part that
// servers disagree on is asked once more without, or with, that part.
func (c *Client) send(ctx context.Context, watch *watch, req agent.Request) (*http.Response, error) {
	for {
		opts := options{reasoning: c.wantsReasoning.Load(), streamOptions: !c.noStreamOptions.Load()}
		body, err := encode(c.model, req, opts)
		if err != nil {
			return nil, err
		}
		resp, err := c.post(ctx, body)
		if err != nil {
			return nil, err
		}
		watch.touch()
		if resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		text, _ := io.ReadAll(io.LimitReader(watch.reader(resp.Body), maxErrorBody))
		resp.Body.Close()
		if resp.StatusCode == http.StatusBadRequest && c.learn(opts, text) {
			continue
		}
		return nil, c.statusError(resp, text)
	}
}

func (c *Client) post(ctx context.Context, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("User-Agent", "countersign")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	return c.http.Do(r)
}

// learn looks into a refusal for a part of the request that servers disagree
// on, and tells whether another try makes sense. Each part is learned once, so
// there are at most two more tries.
func (c *Client) learn(sent options, body []byte) bool {
	if !sent.reasoning && bytes.Contains(body, []byte("reasoning_content")) {
		c.wantsReasoning.Store(true)
		return true
	}
	if sent.streamOptions && bytes.Contains(body, []byte("stream_options")) {
		c.noStreamOptions.Store(true)
		return true
	}
	return false
}

// endpoint makes the URL to post to from a base URL.
func endpoint(base string) (*url.URL, error) {
	if base == "" {
		base = OfficialURL
	}
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The text itself is left out: it may hold a key.
		return nil, &agent.ModelError{Message: "The base URL of the model's server can't be used: it must look like https://host/v1. Check OPENAI_BASE_URL."}
	}
	return u.JoinPath("chat", "completions"), nil
}

// CheckURL tells, as an *agent.ModelError, whether a base URL can't be used.
func CheckURL(base string) error {
	_, err := endpoint(base)
	return err
}
