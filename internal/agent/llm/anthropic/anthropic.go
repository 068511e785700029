// Package anthropic is the adapter for Anthropic's Messages API, and for
// servers that speak it.
//
// The protocol is described at https://platform.claude.com/docs/en/api/messages,
// its streams at https://platform.claude.com/docs/en/build-with-claude/streaming.
// What models disagree on (how they think, how much they may write, whether
// their thinking is bound to what stood before it) the adapter learns from the
// refusal of a request, and asks again.
package anthropic

import (
	"cmp"
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
)

// OfficialURL is the base URL of Anthropic's own service.
const OfficialURL = "https://api.anthropic.com"

// version is the version of the protocol; it has been the only one for years.
const version = "2023-06-01"

// Config says which model to ask, and where. Only Model is needed.
type Config struct {
	Model       string
	BaseURL     string        // OfficialURL if empty; with or without /v1
	APIKey      string        // none is sent if empty
	KeyVar      string        // where people set APIKey; ANTHROPIC_API_KEY if empty
	BaseVar     string        // where people set BaseURL; ANTHROPIC_BASE_URL if empty
	Client      *http.Client  // a client of our own if nil
	IdleTimeout time.Duration // longest silence of the server; wire.DefaultIdle if zero
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	server  *wire.Server
	learned lessons
}

var _ agent.Model = (*Client)(nil)

// New makes a client. A base URL that can't be used shows at the first
// request; see CheckURL.
func New(cfg Config) *Client {
	baseVar := cmp.Or(cfg.BaseVar, "ANTHROPIC_BASE_URL")
	base, bad := Base(cfg.BaseURL, baseVar)
	if bad == nil {
		base = base.JoinPath("messages")
	}
	return &Client{server: wire.New(wire.Config{
		Model: cfg.Model, URL: base, Key: cfg.APIKey, KeyVar: cmp.Or(cfg.KeyVar, "ANTHROPIC_API_KEY"), BaseVar: baseVar,
		Client: cfg.Client, Idle: cfg.IdleTimeout, Bad: bad,
	})}
}

// Stream implements agent.Model. When ctx ends, the error is ctx.Err().
func (c *Client) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Delta, error] {
	var sent print
	return c.server.Stream(ctx, wire.Exchange{
		Send: func(ctx context.Context, watch *wire.Watch) (resp *http.Response, err error) {
			resp, sent, err = c.send(ctx, watch, req)
			return resp, err
		},
		Read: func(body io.Reader, emit func(agent.Delta) bool) error {
			t := &turn{emit: emit, ids: wire.UsedIDs(req.Messages), model: c.server.Model, prefix: sent, server: c.server}
			return t.read(body)
		},
	})
}

// send posts the request, again for as long as a refusal teaches something.
func (c *Client) send(ctx context.Context, watch *wire.Watch, req agent.Request) (*http.Response, print, error) {
	var once attempt
	for {
		opts := c.learned.options(once)
		body, prefix, err := encode(c.server.Model, req, opts)
		if err != nil {
			return nil, prefix, err
		}
		resp, err := c.server.Post(ctx, watch, body, c.header(), func(status int, text []byte) bool {
			return status == http.StatusBadRequest && c.learned.from(opts, &once, string(text))
		})
		if resp != nil || err != nil {
			return resp, prefix, err
		}
	}
}

func (c *Client) header() http.Header {
	h := http.Header{}
	Authorize(h, c.server.Key)
	return h
}

// Authorize sets the headers that every request has.
func Authorize(h http.Header, key string) {
	h.Set("Anthropic-Version", version)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// Base reads a base URL, OfficialURL if it is empty, and returns it with the
// /v1 at its end that all addresses have and that people write or don't.
func Base(base, baseVar string) (*url.URL, error) {
	u, err := wire.Base(cmp.Or(strings.TrimSpace(base), OfficialURL), baseVar)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/messages")
	u.Path, u.RawPath = strings.TrimSuffix(path, "/v1")+"/v1", ""
	return u, nil
}

// CheckURL tells, as an *agent.ModelError, whether a base URL can't be used.
func CheckURL(base, baseVar string) error {
	_, err := Base(base, baseVar)
	return err
}
