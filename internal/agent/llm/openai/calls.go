package openai

import (
	"bytes"
	"encoding/json"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
)

// fragment is a piece of a tool call as it comes over the wire.
type fragment struct {
	Index *int   `json:"index"`
	ID    string `json:"id"`
	// Extra is what Gemini signs its thoughts with. It goes back as it came, or
	// the next request is refused.
	Extra    json.RawMessage `json:"extra_content"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// arguments is a piece of a string of JSON, or, from some servers, the object
// itself.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case string(b) == "null":
	case json.Unmarshal(b, &s) == nil:
		*a = arguments(s)
	default:
		var compact bytes.Buffer
		if err := json.Compact(&compact, b); err != nil {
			return err
		}
		*a = arguments(compact.String())
	}
	return nil
}

// calls tells the calls of a turn apart and gives each a place, an id that is
// unique in the conversation, and a whole name.
type calls struct {
	used wire.IDs
	list []call
	at   map[int]int // the server's index → the newest call under it
}

type call struct {
	sent    string // id as the server sent it
	id      string // id as we gave it out
	extra   json.RawMessage
	name    string
	args    []byte
	started bool // ID and Name have been emitted
}

// add takes a fragment and returns what is to be emitted for it: nothing while
// only the name is known, since a name may come in pieces too.
func (c *calls) add(f fragment) []*agent.CallDelta {
	n := c.place(f)
	k := &c.list[n]
	if k.sent == "" {
		k.sent = f.ID
	}
	if len(f.Extra) > 0 {
		k.extra = f.Extra
	}
	if !k.started && f.Function.Name != k.name {
		k.name += f.Function.Name
	}
	if f.Function.Arguments == "" {
		return nil
	}
	k.args = append(k.args, f.Function.Arguments...)
	piece := &agent.CallDelta{Index: n, Arguments: string(f.Function.Arguments)}
	if !k.started {
		c.start(k, piece)
	}
	return []*agent.CallDelta{piece}
}

// rest returns the calls without arguments, which nothing has been emitted for.
func (c *calls) rest() []*agent.CallDelta {
	var pieces []*agent.CallDelta
	for n := range c.list {
		if k := &c.list[n]; !k.started && k.name != "" {
			piece := &agent.CallDelta{Index: n}
			c.start(k, piece)
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

// place finds the call that a fragment belongs to, or makes one. Servers
// number their calls by index; but some leave it out, and some send nought for
// each, so that only what the fragment holds tells that a new call begins.
func (c *calls) place(f fragment) int {
	n := len(c.list) - 1
	if f.Index != nil {
		known := false
		if n, known = c.at[*f.Index]; !known {
			return c.open(f)
		}
	}
	switch {
	case n < 0 || f.begins(c.list[n]):
		return c.open(f)
	case f.Index == nil && f.ID != "" && f.ID != c.list[n].sent:
		return c.byID(f)
	}
	return n
}

// begins tells whether a fragment starts another call than k, though the index
// says nothing of it: it has a name, and an id of its own, or, where there are
// no ids, it comes after the arguments of k are complete.
func (f fragment) begins(k call) bool {
	name := f.Function.Name
	switch {
	case name == "":
		return false
	case f.ID != "":
		return k.sent != "" && f.ID != k.sent
	}
	return len(k.args) > 0 && (name != k.name || f.Function.Arguments != "" && json.Valid(k.args))
}

// byID finds an earlier call by its id, for servers that send no index.
func (c *calls) byID(f fragment) int {
	for n, k := range c.list {
		if k.sent == f.ID {
			return n
		}
	}
	return c.open(f)
}

func (c *calls) open(f fragment) int {
	c.list = append(c.list, call{})
	if f.Index != nil {
		c.at[*f.Index] = len(c.list) - 1
	}
	return len(c.list) - 1
}

// start puts id and name into the first piece of a call.
func (c *calls) start(k *call, piece *agent.CallDelta) {
	k.started = true
	k.id = c.used.Take(k.sent)
	piece.ID, piece.Name = k.id, k.name
}

// extra is the calls' extra content by their ids.
func (c *calls) extra() map[string]json.RawMessage {
	extra := map[string]json.RawMessage{}
	for _, call := range c.list {
		if call.started && len(call.extra) > 0 && string(call.extra) != "null" {
			extra[call.id] = call.extra
		}
	}
	return extra
}
