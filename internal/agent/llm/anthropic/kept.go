package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"countersign/internal/agent"
)

// kept is what is recorded of a turn besides its text and its calls: the
// thinking, which has to go back as it came and where it stood.
type kept struct {
	Model  string      `json:"model"`  // a model can't read another one's thinking
	Prefix string      `json:"prefix"` // print of the conversation that the turn answered
	Blocks []keptBlock `json:"blocks"`
}

// keptBlock is thinking in full, or the place of a piece of text or of a call.
type keptBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
	Bytes     int    `json:"bytes,omitempty"` // of text
}

// assistant is a turn of the model as it goes back, and the print that its
// thinking is bound to; "" if it has none.
func assistant(model string, m agent.Message) ([]block, string) {
	var k kept
	if json.Unmarshal(m.Kept, &k) != nil || k.Model != model || !k.fits(m) {
		return plainTurn(m), ""
	}
	var blocks []block
	text, calls := m.Text, m.Calls
	for _, b := range k.Blocks {
		switch b.Type {
		case typeThinking:
			blocks = append(blocks, block{Type: typeThinking, Thinking: &b.Thinking, Signature: b.Signature})
		case typeRedacted:
			blocks = append(blocks, block{Type: typeRedacted, Data: b.Data})
		case typeText:
			blocks = append(blocks, block{Type: typeText, Text: text[:b.Bytes]})
			text = text[b.Bytes:]
		case typeCall:
			blocks = append(blocks, call(calls[0]))
			calls = calls[1:]
		}
	}
	return blocks, k.Prefix
}

// fits tells whether the blocks have room for just this text and these calls.
func (k kept) fits(m agent.Message) bool {
	bytes, calls := 0, 0
	for _, b := range k.Blocks {
		switch b.Type {
		case typeText:
			if b.Bytes <= 0 {
				return false
			}
			bytes += b.Bytes
		case typeCall:
			calls++
		}
	}
	return bytes == len(m.Text) && calls == len(m.Calls)
}

// plainTurn is a turn without thinking.
func plainTurn(m agent.Message) []block {
	var blocks []block
	if m.Text != "" {
		blocks = append(blocks, block{Type: typeText, Text: m.Text})
	}
	for _, c := range m.Calls {
		blocks = append(blocks, call(c))
	}
	return blocks
}

// print tells conversations apart.
type print string

// trim takes out the thinking that the model would refuse, and returns the
// print of the whole conversation as it is sent.
//
// Newer models bind their thinking to the system prompt, the tools and all
// that was said before it, and the planning section, the tools of a mode and
// the list at the end come and go. Thinking can be left out from the oldest on,
// and only so; so all goes up to the last that does not fit any more.
func (t *talk) trim(w wireRequest, opts options) print {
	sum := sha256.New()
	enter := func(v any) {
		data, err := json.Marshal(v)
		if err == nil { // what can't be written is not sent either
			sum.Write(append(data, '\n'))
		}
	}
	now := func() print { return print(hex.EncodeToString(sum.Sum(nil)[:12])) }
	enter(w.System)
	enter(w.Tools)
	stale := -1 // the last message whose thinking is not to go back
	for i, m := range t.messages {
		if print(t.prints[i]) != now() && t.prints[i] != "" {
			stale = i
		}
		enter(m.Role)
		for _, b := range m.Content {
			if !b.thinks() {
				enter(b)
			}
		}
	}
	switch {
	case opts.forget:
		stale = len(t.messages) - 1
	case !opts.bound:
		stale = -1
	}
	for i := range t.messages[:stale+1] {
		t.messages[i].Content = withoutThinking(t.messages[i].Content)
	}
	return now()
}

func withoutThinking(content []block) []block {
	var rest []block
	for _, b := range content {
		if !b.thinks() {
			rest = append(rest, b)
		}
	}
	return rest
}
