package fakeopenai

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Turn is one answer. The zero value is an empty turn that ends properly.
type Turn struct {
	Reasoning string
	Text      string
	Calls     []Call
	Finish    string // finish_reason; "tool_calls" or "stop" if empty
	Usage     *Usage // nothing is reported if nil
	Piece     int    // bytes in a piece of text or arguments; 0: all in one

	// Status other than 0 and 200 makes the answer an error, with Error as the
	// provider's message.
	Status int
	Error  string
	Header map[string]string // more headers, for example Retry-After

	// Body, if set, is sent as it is instead of a stream, as ContentType (HTML
	// if that is empty).
	Body        string
	ContentType string

	// What goes wrong after text and calls have been sent:
	Frame string // data of one more event, for example broken JSON
	Stall bool   // nothing more comes, until the client goes or the server is closed
	Cut   bool   // the connection breaks off

	// From, if set, makes the turn from the request; the rest is not used. It
	// may block, to hold the answer back.
	From func(Request) Turn
}

// Call is a call of a tool. Arguments that are a string are sent as they are,
// broken ones too; anything else is sent as its JSON.
type Call struct {
	ID        string
	Name      string
	Arguments any
}

// Usage is what the turn cost, in tokens.
type Usage struct{ Prompt, Completion, Cached int64 }

// Text is a turn that only says something.
func Text(text string) Turn { return Turn{Text: text} }

// Calls is a turn that only makes calls.
func Calls(calls ...Call) Turn { return Turn{Calls: calls} }

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
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(t.Status)
		json.NewEncoder(w).Encode(object{"error": object{"message": t.Error, "type": "error", "code": t.Status}})
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		s.stream(&stream{w: w, model: req.Model(), id: fmt.Sprintf("chatcmpl-%p", r)}, r, t)
	}
}

func (s *Server) stream(out *stream, r *http.Request, t Turn) {
	out.delta(object{"role": "assistant", "content": ""})
	for _, piece := range split(t.Reasoning, t.Piece) {
		out.delta(object{"reasoning_content": piece})
	}
	for _, piece := range split(t.Text, t.Piece) {
		out.delta(object{"content": piece})
	}
	for i, c := range t.Calls {
		out.call(i, c, t.Piece)
	}
	switch {
	case t.Frame != "":
		out.data(t.Frame)
	case t.Stall:
		out.flush()
		select {
		case <-r.Context().Done():
		case <-s.Closing:
		}
		panic(http.ErrAbortHandler)
	case t.Cut:
		out.flush()
		panic(http.ErrAbortHandler)
	}
	finish := t.Finish
	if finish == "" && len(t.Calls) > 0 {
		finish = "tool_calls"
	} else if finish == "" {
		finish = "stop"
	}
	out.end(finish, t.Usage)
}
