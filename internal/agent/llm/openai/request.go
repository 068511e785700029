package openai

import (
	"bytes"
	"encoding/json"

	"countersign/internal/agent"
)

// The request as it goes over the wire. The fields stand in an order in which
// a longer conversation begins with the bytes of the shorter one, so that
// providers can serve the common part from their cache; the same request is
// always the same bytes.
type wireRequest struct {
	Model         string         `json:"model"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
	Tools         []wireTool     `json:"tools,omitempty"`
	Messages      []wireMessage  `json:"messages"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null beside calls, when there is no text
	Reasoning  *string    `json:"reasoning_content,omitempty"`
	Details    details    `json:"reasoning_details,omitempty"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function wireCallFunc    `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type wireCallFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a string even when it isn't valid JSON
}

// options are the parts of a request that servers disagree on.
type options struct {
	reasoning     bool // send the reasoning of turns that made calls back
	streamOptions bool
}

// encode makes the body of a request.
func encode(model string, req agent.Request, opts options) ([]byte, error) {
	w := wireRequest{Model: model, Stream: true, Messages: []wireMessage{}}
	if opts.streamOptions {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, tool(t))
	}
	if req.System != "" {
		w.Messages = append(w.Messages, wireMessage{Role: "system", Content: &req.System})
	}
	for _, m := range req.Messages {
		w.Messages = append(w.Messages, message(m, opts))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func tool(t agent.ToolSpec) wireTool {
	f := wireFunction{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	if len(f.Parameters) == 0 {
		f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return wireTool{Type: "function", Function: f}
}

func message(m agent.Message, opts options) wireMessage {
	w := wireMessage{Role: string(m.Role), Content: &m.Text, ToolCallID: m.CallID}
	if m.Role != agent.RoleAssistant {
		return w
	}
	var had kept
	_ = json.Unmarshal(m.Kept, &had) // another adapter's has nothing for us
	w.Details = had.Details
	if len(m.Calls) == 0 {
		return w
	}
	if m.Text == "" {
		w.Content = nil
	}
	if opts.reasoning {
		w.Reasoning = &m.Reasoning
	}
	for _, c := range m.Calls {
		call := wireCall{ID: c.ID, Extra: had.Extra[c.ID], Type: "function", Function: wireCallFunc{Name: c.Name, Arguments: c.Arguments}}
		if c.Arguments == "" {
			call.Function.Arguments = "{}"
		}
		if c.Name == "" {
			call.Function.Name = "unknown" // servers refuse a conversation with a nameless call
		}
		w.ToolCalls = append(w.ToolCalls, call)
	}
	return w
}
