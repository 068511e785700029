package web

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/internal/review"

	"github.com/gorilla/websocket"
)

// hereFrame is what a page gets.
type hereFrame struct {
	Type   string     `json:"type"`
	People []pictured `json:"people"`
}

// untilHere reads until the frame that says of these people that they are here:
// "Name@step", with "…" for one who types.
func untilHere(t *testing.T, conn *websocket.Conn, want string) hereFrame {
	t.Helper()
	last := "nothing"
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			t.Fatalf("%v; the last that was told: %s", err, last)
		}
		var f hereFrame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		if f.Type != framePresence {
			continue
		}
		people := make([]attendee, len(f.People))
		for i, p := range f.People {
			people[i] = p.attendee
		}
		if last = strings.TrimSpace(names(people)); last == want {
			return f
		}
	}
}

func (r *rig) says(conn *websocket.Conn, text string) {
	r.t.Helper()
	r.must(conn.WriteMessage(websocket.TextMessage, []byte(text)))
}

func TestLive_R8_WhoIsHere(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	ben := r.person("Ben Ng", review.RoleViewer, "ben")
	before, err := r.db.State(context.Background(), id)
	r.must(err)

	program := r.watch("format=json&after=2&session=" + id)
	mine := r.watch("after=2&session=" + id)
	r.says(mine, `{"type":"here","step":"s2","typing":true}`)
	untilHere(t, program, "Olivia@s2…")
	conn, _, err := r.dial("after=2&session="+id, as("ben"))
	r.must(err)
	untilHere(t, conn, "Olivia@s2…") // who comes later hears it at once
	r.says(conn, `{"type":"here"}`)
	f := untilHere(t, mine, "Ben Ng@ Olivia@s2…")
	if p := f.People[0]; p.ID != ben.ID || p.Role != review.RoleViewer || p.Initials != "BN" || p.Colour == "" {
		t.Errorf("Ben is %+v", p)
	}
	if f := untilHere(t, program, "Ben Ng@ Olivia@s2…"); f.People[0].Initials != "" {
		t.Error("a program is told how to draw people")
	}
	r.must(conn.Close())
	untilHere(t, mine, "Olivia@s2…")

	other := r.watch("session=" + r.begin())
	r.says(other, `{"type":"here"}`)
	if f := untilHere(t, other, "Olivia@"); len(f.People) != 1 {
		t.Errorf("another session hears of %+v", f.People)
	}
	after, err := r.db.State(context.Background(), id)
	r.must(err)
	if after.Seq != before.Seq {
		t.Error("presence is in the log")
	}
}

func TestLive_R8_RefusesAllElse(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	for name, c := range map[string]struct {
		query, text string
		code        int
	}{
		"not JSON":      {"session=" + id, "hello", websocket.CloseUnsupportedData},
		"two messages":  {"session=" + id, `{"type":"here"}{"type":"here"}`, websocket.CloseUnsupportedData},
		"unknown type":  {"session=" + id, `{"type":"delete"}`, websocket.CloseUnsupportedData},
		"unknown field": {"session=" + id, `{"type":"here","name":"Somebody else"}`, websocket.CloseUnsupportedData},
		"no step":       {"session=" + id, `{"type":"here","step":"look <b>here</b>"}`, websocket.CloseUnsupportedData},
		"on the board":  {"", `{"type":"here"}`, websocket.CloseUnsupportedData},
		"too large":     {"session=" + id, `{"type":"here","step":"` + strings.Repeat("s", readLimit) + `"}`, websocket.CloseMessageTooBig},
	} {
		conn := r.watch(c.query)
		readFrame(t, conn)
		r.says(conn, c.text)
		if code := closeCode(t, conn); code != c.code {
			t.Errorf("%s: closed with %d, want %d", name, code, c.code)
		}
	}
	conn := r.watch("session=" + id)
	readFrame(t, conn)
	r.must(conn.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"here"}`)))
	if code := closeCode(t, conn); code != websocket.CloseUnsupportedData {
		t.Errorf("binary: closed with %d", code)
	}
	flood := r.watch("session=" + id)
	readFrame(t, flood)
	for range 10 * sayBurst {
		if flood.WriteMessage(websocket.TextMessage, []byte(`{"type":"here"}`)) != nil {
			break // it is closed already
		}
	}
	if code := closeCode(t, flood); code != websocket.CloseTryAgainLater && code != 0 {
		t.Errorf("a flood: closed with %d", code)
	}
	r.noWatchers()
}

// What is told about people does not come between events, and who lags behind
// still gets the newest of it.
func TestFeed_R8_PresenceIsNotLost(t *testing.T) {
	f := newFeed(nil)
	rd := newReader(t, f, "s")
	f.setHere(message(markFrame{Type: "old"}))
	f.event(1, []byte{0x81, 1, '1'})
	f.setHere(message(markFrame{Type: "new"}))
	var got []string
	for {
		data, found := f.take(rd.w)
		if found == gap {
			f.seen(rd.w, 1)
			continue
		}
		if found != some {
			break
		}
		got = append(got, string(data[2:]))
	}
	if all := strings.Join(got, "|"); all != `1|{"type":"new","seq":0}` {
		t.Errorf("got %s", all)
	}
}

// TestLive_R8_HowMuchCanBeSaid: a message of 64 KB is taken, whole or in
// fragments; with one byte more the socket is closed with 1009.
func TestLive_R8_HowMuchCanBeSaid(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	padded := func(n int) string {
		const start, end = `{"type":"here",`, `"step":"s2"}`
		return start + strings.Repeat(" ", n-len(start)-len(end)) + end
	}
	inFragments := func(conn *websocket.Conn, text string) {
		w, err := conn.NextWriter(websocket.TextMessage) // which sends what its buffer holds
		r.must(err)
		for part := range slices.Chunk([]byte(text), 5000) {
			_, err = w.Write(part)
			r.must(err)
		}
		r.must(w.Close())
	}
	for name, say := range map[string]func(*websocket.Conn, string){"whole": r.says, "in fragments": inFragments} {
		t.Run(name, func(t *testing.T) {
			conn := r.watch("after=2&session=" + id)
			say(conn, padded(64<<10))
			untilHere(t, conn, "Olivia@s2")
			say(conn, padded(64<<10+1))
			if code := closeCode(t, conn); code != websocket.CloseMessageTooBig {
				t.Errorf("one byte more: closed with %d", code)
			}
		})
	}
}
