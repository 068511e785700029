package fakeopenai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// Request is what the server was asked.
type Request struct {
	Raw    []byte // the body, byte for byte
	Header http.Header
	body   body
}

type body struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Function Tool `json:"function"`
	} `json:"tools"`
}

// Message is one message of a request.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"` // "" for null
	Reasoning  string     `json:"reasoning_content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []ToolCall `json:"tool_calls"`
}

// ToolCall is a call in an assistant's message.
type ToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool that the request offers.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Model is the name of the model that was asked for.
func (r Request) Model() string { return r.body.Model }

// Messages is the conversation, the system prompt included.
func (r Request) Messages() []Message { return r.body.Messages }

// System is the system prompt, or "".
func (r Request) System() string {
	if len(r.body.Messages) > 0 && r.body.Messages[0].Role == "system" {
		return r.body.Messages[0].Content
	}
	return ""
}

// Last is the last message; the zero value if there is none.
func (r Request) Last() Message {
	if len(r.body.Messages) == 0 {
		return Message{}
	}
	return r.body.Messages[len(r.body.Messages)-1]
}

// Tools are the tools on offer.
func (r Request) Tools() []Tool {
	tools := make([]Tool, len(r.body.Tools))
	for i, t := range r.body.Tools {
		tools[i] = t.Function
	}
	return tools
}

// ToolNames are the names of the tools on offer, in the request's order.
func (r Request) ToolNames() []string {
	var names []string
	for _, t := range r.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// Results returns the results that the request holds for one call.
func (r Request) Results(call string) []string {
	var results []string
	for _, m := range r.body.Messages {
		if m.Role == "tool" && m.ToolCallID == call {
			results = append(results, m.Content)
		}
	}
	return results
}

type object map[string]any

// stream writes server-sent events.
type stream struct {
	w         http.ResponseWriter
	id, model string
}

func (s *stream) flush() { s.w.(http.Flusher).Flush() }

func (s *stream) data(data string) {
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	s.flush()
}

func (s *stream) chunk(choices []object, more object) {
	chunk := object{"id": s.id, "object": "chat.completion.chunk", "model": s.model, "choices": choices}
	for k, v := range more {
		chunk[k] = v
	}
	data, err := json.Marshal(chunk)
	if err != nil {
		panic(err)
	}
	s.data(string(data))
}

func (s *stream) delta(delta object) {
	s.chunk([]object{{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
}

func (s *stream) call(index int, c Call, piece int) {
	arguments, isText := c.Arguments.(string)
	if !isText {
		data, err := json.Marshal(c.Arguments)
		if err != nil {
			panic(err)
		}
		arguments = string(data)
	}
	s.delta(object{"tool_calls": []object{{
		"index": index, "id": c.ID, "type": "function",
		"function": object{"name": c.Name, "arguments": ""},
	}}})
	for _, p := range split(arguments, piece) {
		s.delta(object{"tool_calls": []object{{"index": index, "function": object{"arguments": p}}}})
	}
}

func (s *stream) end(finish string, u *Usage) {
	s.chunk([]object{{"index": 0, "delta": object{}, "finish_reason": finish}}, nil)
	if u != nil {
		s.chunk([]object{}, object{"usage": object{
			"prompt_tokens": u.Prompt, "completion_tokens": u.Completion,
			"prompt_tokens_details": object{"cached_tokens": u.Cached},
		}})
	}
	s.data("[DONE]")
}

// split cuts a text into pieces of about n bytes, never inside a character;
// n = 0 leaves it whole.
func split(text string, n int) []string {
	if n <= 0 {
		n = len(text)
	}
	var pieces []string
	for len(text) > 0 {
		end := min(n, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}
