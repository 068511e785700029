package web

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"countersign/web/templates"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// What comes in over a socket: that somebody is here, and nothing else. What
// else comes, or more of it than a page has to say, ends the socket.

const (
	frameHere     = "here"     // comes in
	framePresence = "presence" // goes out

	// sayRate is how many messages a second may come in for long, and sayBurst
	// how many at once. A page sends about two.
	sayRate  = 5
	sayBurst = 20
)

var (
	notUnderstood = goodbye{websocket.CloseUnsupportedData, "only {\"type\":\"here\"} messages are understood, on the feed of a session"}
	tooTalkative  = goodbye{websocket.CloseTryAgainLater, "too many messages; come again"}
)

func newSayLimit() *rate.Limiter { return rate.NewLimiter(sayRate, sayBurst) }

// hereMessage says that the person looks at the session, and at which step.
type hereMessage struct {
	Type   string `json:"type"`
	Step   string `json:"step"`   // a block id; empty for none
	Typing bool   `json:"typing"` // something, at that step
}

// blockID is what ids of blocks are made of.
var blockID = regexp.MustCompile(`^[A-Za-z0-9-]{0,64}$`)

// hear takes a message in; an error is why the socket ends.
func (w *watcher) hear(kind int, data []byte) error {
	if !w.said.Allow() {
		return tooTalkative
	}
	var m hereMessage
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if kind != websocket.TextMessage || d.Decode(&m) != nil || d.Decode(new(any)) != io.EOF ||
		m.Type != frameHere || !blockID.MatchString(m.Step) || w.key.session == "" {
		return notUnderstood
	}
	if w.tab == nil {
		w.tab = &tab{session: w.key.session, person: w.person}
		w.ping.Reset(herePing)
	}
	w.hub.presence.say(w.tab, m.Step, m.Typing)
	return nil
}

type presenceFrame[P any] struct {
	Type   string `json:"type"`
	People []P    `json:"people"`
}

// pictured is an attendee with what it takes to draw them.
type pictured struct {
	attendee
	Initials string `json:"initials"`
	Colour   string `json:"colour"` // class of the avatar
}

// encodeHere makes the frame that tells who is here.
func encodeHere(f format, people []attendee) []byte {
	if f == formatJSON {
		return message(presenceFrame[attendee]{framePresence, notNil(people)})
	}
	list := make([]pictured, len(people))
	for i, a := range people {
		letters, colour := templates.Picture(a.ID, a.Name)
		list[i] = pictured{a, letters, colour}
	}
	return message(presenceFrame[pictured]{framePresence, list})
}

// tellHere shows those who watch a session who is on it.
func (h *Hub) tellHere(session string, people []attendee) {
	for _, f := range formats {
		if feed := h.feed(feedKey{session, f}); feed != nil {
			feed.setHere(encodeHere(f, people))
			feed.wakeAll()
		}
	}
}

// setHere replaces what the feed says about who is here. Unlike other frames
// that are live only it can't be missed: every watcher gets the newest one when
// it has got all else.
func (f *feed) setHere(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.here = data
	f.hereNo++
}
