package web

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"countersign/internal/planning"

	"github.com/gorilla/websocket"
)

// The types of frame that carry a seq. Those of agent.Frame carry none.
const (
	frameHello = "hello" // the first: where the log stands
	frameEvent = "event"
	frameReset = "reset" // too far behind: load the page anew
	frameBoard = "board" // a session has changed
)

const opText = byte(websocket.TextMessage)

type markFrame struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`
	Seq     int64  `json:"seq"`
}

// mark is a frame that says nothing but a seq.
func mark(kind string, seq int64) []byte {
	return message(markFrame{Type: kind, Seq: seq})
}

func boardFrame(session string, seq int64) []byte {
	return message(markFrame{Type: frameBoard, Session: session, Seq: seq})
}

type eventFrame struct {
	Type string `json:"type"`
	eventView
}

// eventView is an event in the API.
type eventView struct {
	Seq   int64           `json:"seq"`
	Kind  planning.Kind   `json:"kind"`
	At    time.Time       `json:"at"`
	Actor planning.Actor  `json:"actor"`
	Data  json.RawMessage `json:"data"`
}

func viewEvent(r planning.Record) eventView {
	return eventView{Seq: r.Seq, Kind: r.Kind, At: r.At, Actor: r.Actor, Data: r.Data}
}

type htmlFrame struct {
	Type string        `json:"type"`
	Seq  int64         `json:"seq"`
	Kind planning.Kind `json:"kind"`
	HTML string        `json:"html"`
}

// encode makes the frame of an event. One that can't be rendered is still
// announced, with no HTML.
func (h *Hub) encode(f format, r planning.Record) []byte {
	if f == formatJSON {
		return message(eventFrame{frameEvent, viewEvent(r)})
	}
	html := ""
	if h.render != nil {
		var err error
		if html, err = h.render(f.language, r); err != nil {
			h.logger.Error("render an event", "session", r.Session, "seq", r.Seq, "err", err)
			html = ""
		}
	}
	return message(htmlFrame{frameEvent, r.Seq, r.Kind, html})
}

// message is a value as JSON in a text frame. What the hub sends is made of
// strings, numbers and JSON from the log, so it always encodes.
func message(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("web: a frame that can't be encoded: " + err.Error())
	}
	return wire(opText, planning.EscapeJSON(data))
}

// wire puts the header of a whole, unmasked frame in front of its payload
// (RFC 6455, 5.2).
func wire(op byte, payload []byte) []byte {
	const final = 0x80
	out := make([]byte, 0, len(payload)+10)
	out = append(out, final|op)
	switch n := len(payload); {
	case n < 126:
		out = append(out, byte(n))
	case n <= math.MaxUint16:
		out = append(out, 126)
		out = binary.BigEndian.AppendUint16(out, uint16(n))
	default:
		out = append(out, 127)
		out = binary.BigEndian.AppendUint64(out, uint64(n))
	}
	return append(out, payload...)
}
