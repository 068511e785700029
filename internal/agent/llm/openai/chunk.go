package openai

import (
	"encoding/json"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// chunk is a piece of a turn as it comes over the wire. A server that doesn't
// stream sends one, with the message where a stream has the delta.
type chunk struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        *delta `json:"delta"`
		Message      *delta `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content          text       `json:"content"`
	Refusal          text       `json:"refusal"`
	ReasoningContent text       `json:"reasoning_content"` // DeepSeek, vLLM
	Reasoning        text       `json:"reasoning"`         // Ollama, OpenRouter
	ToolCalls        []fragment `json:"tool_calls"`
}

type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	PromptDetails    struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
}

// text is a string, or a list of parts of which those with text count, or
// nothing; anything else is read as nothing.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			*t += text(p.Text)
		}
	}
	return nil
}

func (u *usage) plan() *planning.Usage {
	return &planning.Usage{
		Input:  u.PromptTokens,
		Output: u.CompletionTokens,
		Cached: max(u.PromptDetails.CachedTokens, u.CacheHit),
	}
}

func stop(reason string) agent.Stop {
	switch reason {
	case "length", "max_tokens":
		return agent.StopLength
	case "content_filter", "refusal":
		return agent.StopRefusal
	}
	return agent.StopEnd
}
