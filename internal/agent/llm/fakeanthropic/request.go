package fakeanthropic

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Request is what the server was asked.
type Request struct {
	Raw    []byte // the body, byte for byte
	Header http.Header
	Body   Body
	Usage  Usage // what it was answered with
}

// Body is a request in the form of the API. A field that is not here is one
// that the API would not know.
type Body struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	Thinking  *Thinking `json:"thinking"`
	Tools     []Tool    `json:"tools"`
	System    []Content `json:"system"`
	Messages  []Message `json:"messages"`
}

// Thinking is how the model is asked to think.
type Thinking struct {
	Type    string `json:"type"`
	Display string `json:"display"`
}

// Tool is a tool that the request offers.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *Control        `json:"cache_control"`
}

// Control is a breakpoint of the cache.
type Control struct {
	Type string `json:"type"`
}

// Message is one message of a request.
type Message struct {
	Role    string    `json:"role"`
	Content []Content `json:"content"`
}

// Content is a block of any type.
type Content struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     *string         `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Result       *string         `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl *Control        `json:"cache_control"`
}

// Usage is what a request took, in tokens, each counted once.
type Usage struct{ Input, Read, Written int64 }

func (c Content) thinks() bool { return c.Type == "thinking" || c.Type == "redacted_thinking" }

// System is the system prompt.
func (r Request) System() string {
	var texts []string
	for _, b := range r.Body.System {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

// ToolNames are the names of the tools on offer, in the request's order.
func (r Request) ToolNames() []string {
	var names []string
	for _, t := range r.Body.Tools {
		names = append(names, t.Name)
	}
	return names
}

// Blocks are all blocks of this type, in the request's order.
func (r Request) Blocks(kind string) []Content {
	var found []Content
	for _, m := range r.Body.Messages {
		for _, c := range m.Content {
			if c.Type == kind {
				found = append(found, c)
			}
		}
	}
	return found
}

// Results returns the results that the request holds for one call.
func (r Request) Results(call string) []string {
	var results []string
	for _, c := range r.Blocks("tool_result") {
		if c.ToolUseID == call && c.Result != nil {
			results = append(results, *c.Result)
		}
	}
	return results
}

// Last is the text of the last block, "" if it has none.
func (r Request) Last() string {
	m := r.Body.Messages[len(r.Body.Messages)-1]
	return m.Content[len(m.Content)-1].Text
}
