package openai

import (
	"encoding/json"
	"slices"

	"countersign/internal/agent/llm/wire"
)

// detail is one block of what OpenRouter calls reasoning_details: text, a
// summary, or something encrypted, each with what its provider signs it with.
// The blocks go back in their order and unchanged, or models that signed them
// refuse the next request
// (https://openrouter.ai/docs/use-cases/reasoning-tokens).
type detail map[string]json.RawMessage

// pieces are the fields of a block that come in pieces; all others come whole.
var pieces = []string{"text", "summary"}

// UnmarshalJSON takes nothing from what is no object.
func (d *detail) UnmarshalJSON(b []byte) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(b, &fields) == nil {
		*d = fields
	}
	return nil
}

// text is what the block says, as far as it can be read.
func (d detail) text() string {
	text := ""
	for _, name := range pieces {
		var s wire.Text
		if json.Unmarshal(d[name], &s) == nil {
			text += string(s)
		}
	}
	return text
}

// continues tells whether next is a further piece of this block. Encrypted
// blocks come whole.
func (d detail) continues(next detail) bool {
	same := func(name string) bool { return string(d[name]) == string(next[name]) }
	return string(next["type"]) != `"reasoning.encrypted"` && same("type") && same("index")
}

// join adds a further piece.
func (d detail) join(next detail) {
	for name, value := range next {
		if string(value) != "null" || d[name] == nil {
			d[name] = joined(name, d[name], value)
		}
	}
}

func joined(name string, before, more json.RawMessage) json.RawMessage {
	var a, b string
	if !slices.Contains(pieces, name) || json.Unmarshal(before, &a) != nil || json.Unmarshal(more, &b) != nil {
		return more
	}
	both, err := json.Marshal(a + b)
	if err != nil {
		return before // both were read as JSON
	}
	return both
}

// details are the blocks of one turn, put together.
type details []detail

// UnmarshalJSON takes nothing from what is no list.
func (d *details) UnmarshalJSON(b []byte) error {
	var list []detail
	if json.Unmarshal(b, &list) == nil {
		*d = list
	}
	return nil
}

func (d *details) add(next detail) {
	if len(next) == 0 {
		return
	}
	if last := len(*d) - 1; last >= 0 && (*d)[last].continues(next) {
		(*d)[last].join(next)
		return
	}
	*d = append(*d, next)
}

func (d details) text() wire.Text {
	text := ""
	for _, block := range d {
		text += block.text()
	}
	return wire.Text(text)
}

// kept is what is recorded of a turn besides its text and its calls, because it
// has to go back.
type kept struct {
	Extra   map[string]json.RawMessage `json:"extra,omitempty"` // of calls, by their ids
	Details details                    `json:"reasoning_details,omitempty"`
}

func (t *turn) kept() json.RawMessage {
	k := kept{Extra: t.calls.extra(), Details: t.details}
	if len(k.Extra)+len(k.Details) == 0 {
		return nil
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil // it was read as JSON
	}
	return data
}
