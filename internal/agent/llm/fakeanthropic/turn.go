package fakeanthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// Turn is one answer. The zero value is an empty turn that ends properly.
type Turn struct {
	Blocks []Block
	Stop   string // stop_reason; "tool_use" or "end_turn" if empty
	Piece  int    // bytes in a piece of text, thinking or arguments; 0: all in one

	// Status other than 0 and 200 makes the answer an error of this type, with
	// Error as the provider's message.
	Status int
	Type   string
	Error  string
	Header map[string]string // more headers, for example Retry-After

	// Body, if set, is sent as it is instead of a stream, as ContentType (HTML
	// if that is empty).
	Body        string
	ContentType string

	// What goes wrong after the blocks have been sent:
	Frame string // data of one more event, for example an error or broken JSON
	Stall bool   // nothing more comes, until the client goes or the server is closed
	Cut   bool   // the connection breaks off

	// From, if set, makes the turn from the request; the rest is not used. It
	// may block, to hold the answer back.
	From func(Request) Turn
}

// Block is a piece of a turn: one of its fields is set.
type Block struct {
	Text     string
	Think    string // thinking that is shown; "-" is thinking whose text is left out
	Redacted string // thinking that is not
	Call     *Call
}

// Call is a call of a tool. Arguments that are a string are sent as they are,
// broken ones too; anything else is sent as its JSON.
type Call struct {
	ID        string
	Name      string
	Arguments any
}

// Text is a turn that only says something.
func Text(text string) Turn { return Turn{Blocks: []Block{{Text: text}}} }

// Calls is a turn that thinks and makes calls.
func Calls(calls ...Call) Turn {
	t := Turn{Blocks: []Block{{Think: "Let me see."}}}
	for _, c := range calls {
		t.Blocks = append(t.Blocks, Block{Call: &c})
	}
	return t
}

type object map[string]any

func (s *Server) answer(w http.ResponseWriter, r *http.Request, t Turn, req Request) {
	for name, value := range t.Header {
		w.Header().Set(name, value)
	}
	switch {
	case t.Body != "":
		contentType := t.ContentType
		if contentType == "" {
			contentType = "text/html; charset=utf-8"
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(max(t.Status, http.StatusOK))
		fmt.Fprint(w, t.Body)
	case t.Status != 0 && t.Status != http.StatusOK:
		fail(w, t.Status, t.Type, t.Error)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		s.stream(w, r, t, req)
	}
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, t Turn, req Request) {
	send := func(kind string, more object) {
		more["type"] = kind
		data, err := json.Marshal(more)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		w.(http.Flusher).Flush()
	}
	send("message_start", object{"message": object{
		"id": "msg_test", "type": "message", "role": "assistant", "model": req.Body.Model, "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": req.Usage.Input, "cache_read_input_tokens": req.Usage.Read, "cache_creation_input_tokens": req.Usage.Written, "output_tokens": 1},
	}})
	send("ping", object{})
	turn, stop, size := len(s.Requests()), "end_turn", 1
	for i, b := range t.Blocks {
		start, deltas := s.block(req, turn, b, t.Piece)
		send("content_block_start", object{"index": i, "content_block": start})
		for _, d := range deltas {
			send("content_block_delta", object{"index": i, "delta": d})
		}
		send("content_block_stop", object{"index": i})
		size += len(deltas)
		if b.Call != nil {
			stop = "tool_use"
		}
	}
	switch {
	case t.Frame != "":
		fmt.Fprintf(w, "data: %s\n\n", t.Frame)
		return
	case t.Stall:
		select {
		case <-r.Context().Done():
		case <-s.Closing:
		}
		panic(http.ErrAbortHandler)
	case t.Cut:
		panic(http.ErrAbortHandler)
	}
	if t.Stop != "" {
		stop = t.Stop
	}
	s.ended(turn)
	send("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": size}})
	send("message_stop", object{})
}

// block is how a block starts and what comes after.
func (s *Server) block(req Request, turn int, b Block, piece int) (start object, deltas []object) {
	pieces := func(kind, field, text string) {
		for _, p := range split(text, piece) {
			deltas = append(deltas, object{"type": kind, field: p})
		}
	}
	switch {
	case b.Think != "":
		text := b.Think
		if text == "-" {
			text = ""
		}
		pieces("thinking_delta", "thinking", text)
		pieces("signature_delta", "signature", s.sign(req, turn, text, ""))
		return object{"type": "thinking", "thinking": "", "signature": ""}, deltas
	case b.Redacted != "":
		return object{"type": "redacted_thinking", "data": s.sign(req, turn, "", b.Redacted)}, nil
	case b.Call != nil:
		arguments, isText := b.Call.Arguments.(string)
		if !isText {
			data, err := json.Marshal(b.Call.Arguments)
			if err != nil {
				panic(err)
			}
			arguments = string(data)
		}
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": ""})
		pieces("input_json_delta", "partial_json", arguments)
		return object{"type": "tool_use", "id": b.Call.ID, "name": b.Call.Name, "input": object{}}, deltas
	}
	pieces("text_delta", "text", b.Text)
	return object{"type": "text", "text": ""}, deltas
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
