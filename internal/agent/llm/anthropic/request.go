package anthropic

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// The request as it goes over the wire. The same request is always the same
// bytes, and a longer conversation begins with the blocks of the shorter one.
type wireRequest struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens"`
	Stream    bool          `json:"stream"`
	Thinking  *wireThinking `json:"thinking,omitempty"`
	Tools     []wireTool    `json:"tools,omitempty"`
	System    []block       `json:"system,omitempty"`
	Messages  []message     `json:"messages"`
}

type wireThinking struct {
	Type    string `json:"type"`
	Display string `json:"display,omitempty"`
}

type wireTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a piece of content of any type.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"` // may be empty, beside its signature
	Signature    string          `json:"signature,omitempty"`
	Data         string          `json:"data,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      *string         `json:"content,omitempty"` // of a result; may be empty
	IsError      bool            `json:"is_error,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`

	passing bool // see agent.Message
}

type cacheControl struct {
	Type string `json:"type"`
}

// The blocks' types.
const (
	typeText     = "text"
	typeThinking = "thinking"
	typeRedacted = "redacted_thinking"
	typeCall     = "tool_use"
	typeResult   = "tool_result"
)

func (b block) thinks() bool { return b.Type == typeThinking || b.Type == typeRedacted }

// encode makes the body of a request, and the print of the conversation that
// the answer's thinking will be bound to.
func encode(model string, req agent.Request, opts options) ([]byte, print, error) {
	w := wireRequest{Model: model, MaxTokens: opts.maxTokens, Stream: true}
	if !opts.noThinking {
		w.Thinking = &wireThinking{Type: "adaptive", Display: "summarized"}
		if opts.noDisplay {
			w.Thinking.Display = ""
		}
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, tool(t))
	}
	if strings.TrimSpace(req.System) != "" { // the API takes no blank text
		w.System = []block{{Type: typeText, Text: req.System}}
	}
	talk := conversation(model, req.Messages)
	prefix := talk.trim(w, opts)
	w.Messages = talk.messages
	if !opts.noCache {
		markCache(&w)
	}
	body, err := marshal(w)
	return body, prefix, err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func tool(t agent.ToolSpec) wireTool {
	w := wireTool{Name: t.Name, Description: t.Description, InputSchema: t.Parameters}
	if len(w.InputSchema) == 0 {
		w.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return w
}

// talk is a conversation in the API's form: roles alternate, results stand
// first in the message behind their calls.
type talk struct {
	messages []message
	prints   map[int]string // the print that the thinking of a message was made under
}

func conversation(model string, messages []agent.Message) *talk {
	t := &talk{prints: map[int]string{}}
	for _, m := range messages {
		switch m.Role {
		case agent.RoleAssistant:
			blocks, prefix := assistant(model, m)
			t.add("assistant", blocks...)
			t.prints[len(t.messages)-1] = prefix
		case agent.RoleTool:
			t.add("user", block{Type: typeResult, ToolUseID: plainID(m.CallID), Content: &m.Text, IsError: m.Failed})
		default:
			if strings.TrimSpace(m.Text) != "" {
				t.add("user", block{Type: typeText, Text: m.Text, passing: m.Passing})
			}
		}
	}
	if n := len(t.messages); n > 0 && t.messages[n-1].Role == "assistant" {
		t.add("user", block{Type: typeText, Text: "Go on.", passing: true}) // models refuse to go on in a message of their own
	}
	return t
}

// add appends blocks to the last message if it has the same role.
func (t *talk) add(role string, blocks ...block) {
	if len(blocks) == 0 {
		return
	}
	if n := len(t.messages); n > 0 && t.messages[n-1].Role == role {
		t.messages[n-1].Content = append(t.messages[n-1].Content, blocks...)
		return
	}
	t.messages = append(t.messages, message{Role: role, Content: blocks})
}

func call(c planning.ToolCall) block {
	b := block{Type: typeCall, ID: plainID(c.ID), Name: plainID(c.Name), Input: json.RawMessage(c.Arguments)}
	if b.Name == "" {
		b.Name = "unknown" // a nameless call is refused with the whole conversation
	}
	var object map[string]json.RawMessage
	switch {
	case strings.TrimSpace(c.Arguments) == "":
		b.Input = json.RawMessage(`{}`)
	case json.Unmarshal(b.Input, &object) != nil || object == nil:
		// The API takes objects only; the result says what was wrong.
		b.Input, _ = marshal(map[string]string{"not_an_object": c.Arguments})
	}
	return b
}

var notPlain = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// plainID has only the characters that the API takes in names and ids.
func plainID(id string) string { return notPlain.ReplaceAllString(id, "_") }
