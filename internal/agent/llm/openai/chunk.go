package openai

import (
	"encoding/json"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
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
	Content          wire.Text  `json:"content"`
	Refusal          wire.Text  `json:"refusal"`
	ReasoningContent wire.Text  `json:"reasoning_content"` // DeepSeek, vLLM
	Reasoning        wire.Text  `json:"reasoning"`         // Ollama, OpenRouter
	Details          details    `json:"reasoning_details"` // OpenRouter
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
