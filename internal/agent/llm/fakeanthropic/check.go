package fakeanthropic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const (
	mostBreakpoints = 4
	oldMost         = 8192 // tokens that an old model writes
)

// check is why the real API would refuse a request, in its words where they are
// known, or nil.
func (s *Server) check(r Request) *refusal {
	if r.Header.Get("X-Api-Key") == "" {
		return &refusal{Status: 401, Type: "authentication_error", Message: "x-api-key header is required"}
	}
	b := r.Body
	switch {
	case r.Header.Get("Anthropic-Version") == "":
		return invalid("anthropic-version: header is required")
	case b.Model == "":
		return invalid("model: Field required")
	case b.MaxTokens <= 0:
		return invalid("max_tokens: Field required")
	case s.Old && b.MaxTokens > oldMost:
		return lesson(fmt.Sprintf("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", b.MaxTokens, oldMost, b.Model))
	case s.Old && b.Thinking != nil:
		return lesson("adaptive thinking is not supported on this model")
	case b.Thinking != nil && b.Thinking.Type != "adaptive":
		return invalid(`"thinking.type.` + b.Thinking.Type + `" is not supported for this model.`)
	}
	for _, f := range []func(Body) *refusal{checkTools, checkCache, checkTurns, checkCalls} {
		if no := f(b); no != nil {
			return no
		}
	}
	return s.checkThinking(b)
}

var (
	plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	plainID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

func checkTools(b Body) *refusal {
	known := map[string]bool{}
	for i, t := range b.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case !plainName.MatchString(t.Name):
			return invalid(fmt.Sprintf("tools.%d.name: String should match pattern", i))
		case known[t.Name]:
			return invalid("tools: Tool names must be unique.")
		case json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object":
			return invalid(fmt.Sprintf("tools.%d.input_schema.type: Field required", i))
		}
		known[t.Name] = true
	}
	return nil
}

func checkCache(b Body) *refusal {
	breakpoints := 0
	for _, t := range b.Tools {
		if t.CacheControl != nil {
			breakpoints++
		}
	}
	all := b.System
	for _, m := range b.Messages {
		all = append(all[:len(all):len(all)], m.Content...)
	}
	for _, c := range all {
		switch {
		case c.CacheControl == nil:
			continue
		case c.CacheControl.Type != "ephemeral":
			return invalid("cache_control.type: Input should be 'ephemeral'")
		case c.thinks():
			return invalid("thinking.cache_control: Extra inputs are not permitted")
		}
		breakpoints++
	}
	if breakpoints > mostBreakpoints {
		return invalid(fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", breakpoints))
	}
	return nil
}

// checkTurns: roles alternate, from a user's message to a user's message, and
// no text is empty.
func checkTurns(b Body) *refusal {
	for _, c := range b.System {
		if strings.TrimSpace(c.Text) == "" {
			return invalid("system: text content blocks must be non-empty")
		}
	}
	if len(b.Messages) == 0 {
		return invalid("messages: at least one message is required")
	}
	for i, m := range b.Messages {
		want := []string{"user", "assistant"}[i%2]
		if m.Role != want {
			return invalid(fmt.Sprintf("messages: roles must alternate between \"user\" and \"assistant\", but found %q at %d", m.Role, i))
		}
		if len(m.Content) == 0 {
			return invalid(fmt.Sprintf("messages.%d: messages must have non-empty content", i))
		}
		blank := true
		for _, c := range m.Content {
			if c.Type == "text" && c.Text == "" {
				return invalid("messages: text content blocks must be non-empty")
			}
			blank = blank && c.Type == "text" && strings.TrimSpace(c.Text) == ""
		}
		if blank {
			return invalid("messages: text content blocks must contain non-whitespace text")
		}
	}
	if b.Messages[len(b.Messages)-1].Role != "user" {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

// checkCalls: every call has its one result, first thing in the next message.
func checkCalls(b Body) *refusal {
	ids := map[string]bool{}
	for i, m := range b.Messages {
		open := map[string]bool{}
		if i > 0 {
			for _, c := range b.Messages[i-1].Content {
				if c.Type == "tool_use" {
					open[c.ID] = true
				}
			}
		}
		said := false
		for k, c := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, k)
			switch {
			case (c.Type == "tool_use" || c.thinks()) && m.Role != "assistant" || c.Type == "tool_result" && m.Role != "user":
				return invalid(at + ": `" + c.Type + "` blocks are not allowed in a message of the " + m.Role)
			case c.Type == "tool_result" && !open[c.ToolUseID]:
				return invalid(at + ": unexpected `tool_use_id` found in `tool_result` blocks: " + c.ToolUseID + ". Each `tool_result` block must have a corresponding `tool_use` block in the previous message.")
			case c.Type == "tool_result" && said:
				return invalid(at + ": `tool_result` blocks must come first")
			case c.Type == "tool_use":
				if no := checkCall(at, c, ids); no != nil {
					return no
				}
			}
			delete(open, c.ToolUseID)
			said = said || c.Type != "tool_result"
		}
		if len(open) > 0 && m.Role == "user" {
			return invalid(fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after.", i-1))
		}
	}
	return nil
}

func checkCall(at string, c Content, ids map[string]bool) *refusal {
	var object map[string]any
	switch {
	case !plainID.MatchString(c.ID):
		return invalid(at + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
	case ids[c.ID]:
		return invalid("messages: `tool_use` ids must be unique")
	case !plainName.MatchString(c.Name):
		return invalid(at + ".tool_use.name: String should match pattern")
	case json.Unmarshal(c.Input, &object) != nil || object == nil:
		return invalid(at + ".tool_use.input: Input should be a valid dictionary")
	}
	ids[c.ID] = true
	return nil
}
