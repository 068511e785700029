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
	"cmp"
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
)

// OfficialURL is the base URL of OpenAI's own service.
const OfficialURL = "https://api.openai.com/v1"

// Config says which model to ask, and where. Only Model is needed.
type Config struct {
	Model       string
	BaseURL     string        // OfficialURL if empty; a query in it is kept
	APIKey      string        // sent as a bearer token; none is sent if empty
	KeyVar      string        // where people set APIKey; OPENAI_API_KEY if empty
	BaseVar     string        // where people set BaseURL; OPENAI_BASE_URL if empty
	Reasoning   bool          // the server is known to want the model's reasoning back
	Client      *http.Client  // a client of our own if nil
	IdleTimeout time.Duration // longest silence of the server; wire.DefaultIdle if zero
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	server *wire.Server

	// What the server has told us about itself by refusing a request.
	wantsReasoning  atomic.Bool // the model's reasoning is to be sent back
	noStreamOptions atomic.Bool // it doesn't know stream_options
}

var _ agent.Model = (*Client)(nil)

// New makes a client. A base URL that can't be used shows at the first
// request; see CheckURL.
func New(cfg Config) *Client {
	base := cmp.Or(cfg.BaseVar, "OPENAI_BASE_URL")
	at, bad := endpoint(cfg.BaseURL, base)
	c := &Client{server: wire.New(wire.Config{
		Model: cfg.Model, URL: at, Key: cfg.APIKey, KeyVar: cmp.Or(cfg.KeyVar, "OPENAI_API_KEY"), BaseVar: base,
		Client: cfg.Client, Idle: cfg.IdleTimeout, Bad: bad,
	})}
	c.wantsReasoning.Store(cfg.Reasoning)
	return c
}

// Stream implements agent.Model. When ctx ends, the error is ctx.Err().
func (c *Client) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Delta, error] {
	return c.server.Stream(ctx, wire.Exchange{
		Send: func(ctx context.Context, watch *wire.Watch) (*http.Response, error) { return c.send(ctx, watch, req) },
		Read: func(body io.Reader, emit func(agent.Delta) bool) error {
			return c.read(newTurn(wire.UsedIDs(req.Messages), emit), body)
		},
	})
}

// send posts the request. A server that refuses it because of a part that
// servers disagree on is asked once more without, or with, that part.
func (c *Client) send(ctx context.Context, watch *wire.Watch, req agent.Request) (*http.Response, error) {
	for {
		opts := options{reasoning: c.wantsReasoning.Load(), streamOptions: !c.noStreamOptions.Load()}
		body, err := encode(c.server.Model, req, opts)
		if err != nil {
			return nil, err
		}
		header := http.Header{}
		if c.server.Key != "" {
			header.Set("Authorization", "Bearer "+c.server.Key)
		}
		resp, err := c.server.Post(ctx, watch, body, header, func(status int, text []byte) bool {
			return status == http.StatusBadRequest && c.learn(opts, text)
		})
		if resp != nil || err != nil {
			return resp, err
		}
	}
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
func endpoint(base, baseVar string) (*url.URL, error) {
	u, err := Base(base, baseVar)
	if err != nil {
		return nil, err
	}
	return u.JoinPath("chat", "completions"), nil
}

// Base reads a base URL, OfficialURL if it is empty. One that is only a host
// means its /v1, where nearly all servers have the protocol, and one that goes
// as far as the endpoint means what stands before it.
func Base(base, baseVar string) (*url.URL, error) {
	u, err := wire.Base(cmp.Or(strings.TrimSpace(base), OfficialURL), baseVar)
	if err != nil {
		return nil, err
	}
	switch path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"); path {
	case "":
		u.Path = "/v1"
	default:
		u.Path = path
	}
	u.RawPath = ""
	return u, nil
}

// CheckURL tells, as an *agent.ModelError, whether a base URL can't be used.
func CheckURL(base, baseVar string) error {
	_, err := Base(base, baseVar)
	return err
}
