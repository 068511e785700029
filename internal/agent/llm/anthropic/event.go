package anthropic

import (
	"encoding/json"
	"strings"

	"countersign/internal/agent"
)

// event is a piece of the stream, of any type.
type event struct {
	Type    string      `json:"type"`
	Index   int         `json:"index"`
	Message *wholeTurn  `json:"message"`
	Content *startBlock `json:"content_block"`
	Delta   struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// startBlock is a block as it begins, or whole.
type startBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// wholeTurn is a turn that came at once, or what is known of it at its start.
type wholeTurn struct {
	Content    []startBlock `json:"content"`
	StopReason string       `json:"stop_reason"`
	Usage      *usage       `json:"usage"`
}

type usage struct {
	Input   int64 `json:"input_tokens"` // neither read from nor written to the cache
	Output  int64 `json:"output_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

// kept is what has to go back. Thinking that the limit of tokens cut off has
// no signature, and would be refused.
func (t *turn) kept() json.RawMessage {
	k := kept{Model: t.model, Prefix: string(t.prefix)}
	thinks := false
	for _, p := range t.parts {
		switch {
		case p.Type == typeText && p.Bytes == 0:
			continue
		case p.Type == typeThinking && p.Signature == "" && t.stop == agent.StopLength:
			continue
		case p.Type == typeThinking, p.Type == typeRedacted:
			thinks = true
		}
		k.Blocks = append(k.Blocks, p.keptBlock)
	}
	if !thinks {
		return nil
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil // it holds nothing but texts
	}
	return data
}

// stop translates the API's reasons:
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
func stop(reason string) agent.Stop {
	switch strings.TrimSpace(reason) {
	case "":
		return ""
	case "max_tokens", "model_context_window_exceeded":
		return agent.StopLength
	case "refusal":
		return agent.StopRefusal
	}
	return agent.StopEnd
}
