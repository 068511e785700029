package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/planning"
	"countersign/web/lang"

	"github.com/gorilla/websocket"
)

// patience is how long a test waits for what must come, before it says that it
// didn't.
const patience = 30 * time.Second

// dial opens a socket; query is that of /ws.
func (r *rig) dial(query string, headers ...header) (*websocket.Conn, *http.Response, error) {
	return r.dialWith(websocket.DefaultDialer, query, headers...)
}

func (r *rig) dialWith(d *websocket.Dialer, query string, headers ...header) (*websocket.Conn, *http.Response, error) {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(string(line), ":")
		h.Set(name, strings.TrimSpace(value))
	}
	conn, res, err := d.Dial("ws"+strings.TrimPrefix(r.srv.URL, "http")+"/ws?"+query, h)
	if err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
	}
	return conn, res, err
}

// watch opens a socket as the owner.
func (r *rig) watch(query string) *websocket.Conn {
	r.t.Helper()
	conn, _, err := r.dial(query, r.bearer())
	r.must(err)
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

// anyFrame is every frame that there is.
type anyFrame struct {
	Type    string          `json:"type"`
	Session string          `json:"session"`
	Seq     int64           `json:"seq"`
	Kind    planning.Kind   `json:"kind"`
	HTML    string          `json:"html"`
	Text    string          `json:"text"`
	Call    string          `json:"call"`
	Agent   string          `json:"agent"`
	At      time.Time       `json:"at"`
	Actor   planning.Actor  `json:"actor"`
	Data    json.RawMessage `json:"data"`
	Flaw    planning.Flaw   `json:"flaw"`
}

func readFrame(t testing.TB, conn *websocket.Conn) anyFrame {
	t.Helper()
	f, err := nextFrame(conn)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func nextFrame(conn *websocket.Conn) (anyFrame, error) {
	var f anyFrame
	err := conn.ReadJSON(&f)
	return f, err
}

// closeCode reads to the end and returns the code that it came with, 0 for
// none.
func closeCode(t testing.TB, conn *websocket.Conn) int {
	t.Helper()
	for {
		_, _, err := conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed.Code
		case err != nil:
			return 0
		}
	}
}

// noWatchers waits until both pumps of every watcher have ended.
func (r *rig) noWatchers() {
	r.t.Helper()
	r.hub.wg.Wait()
	if n := r.hub.Watchers(); n != 0 {
		r.t.Errorf("%d watchers are left", n)
	}
}

// only returns the one watcher that there is.
func (r *rig) only() *watcher {
	r.hub.mu.RLock()
	defer r.hub.mu.RUnlock()
	for w := range r.hub.watchers {
		return w
	}
	return nil
}

func TestLive_EventsAsJSON(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	conn := r.watch("format=json&session=" + id)
	if f := readFrame(t, conn); f.Type != "hello" || f.Seq != 2 {
		t.Fatalf("first is %+v", f)
	}
	for want := int64(1); want <= 2; want++ {
		if f := readFrame(t, conn); f.Type != "event" || f.Seq != want || f.Actor.Name != "Olivia" || f.At.IsZero() || len(f.Data) < 10 {
			t.Fatalf("from the log: %+v", f)
		}
	}
	r.api("POST", "/sessions/"+id+"/messages", messageBody{Text: "Hurry, <b>please</b>."}).is(200)
	f := readFrame(t, conn)
	var said planning.UserMessage
	r.must(json.Unmarshal(f.Data, &said))
	if f.Seq != 3 || f.Kind != planning.KindUserMessage || said.Text != "Hurry, <b>please</b>." {
		t.Fatalf("live: %+v", f)
	}
}

func TestLive_EventsAsHTML(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.hub.render = func(_ *lang.Language, rec planning.Record) (string, error) {
		if rec.Kind == planning.KindSessionCreated {
			return "", errors.New("no line for it")
		}
		return fmt.Sprintf("<li>%d</li>", rec.Seq), nil
	}
	conn := r.watch("session=" + id)
	readFrame(t, conn)
	if f := readFrame(t, conn); f.Type != "event" || f.Seq != 1 || f.HTML != "" {
		t.Fatalf("what can't be rendered must still be announced: %+v", f)
	}
	if f := readFrame(t, conn); f.HTML != "<li>2</li>" || f.Kind != planning.KindUserMessage || f.Data != nil {
		t.Fatalf("got %+v", f)
	}
}

func TestLive_BoardHearsOfEverySession(t *testing.T) {
	r := newRig(t)
	conn := r.watch("")
	if f := readFrame(t, conn); f.Type != "hello" {
		t.Fatalf("first is %+v", f)
	}
	a, b := r.begin(), r.begin()
	if f := readFrame(t, conn); f.Type != "board" || f.Session != a || f.Seq != 2 {
		t.Fatalf("got %+v", f)
	}
	if f := readFrame(t, conn); f.Session != b {
		t.Fatalf("got %+v", f)
	}
}

func TestLive_StreamedTextIsLiveOnly(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	conn := r.watch("format=json&after=2&session=" + id)
	readFrame(t, conn)
	other := r.watch("format=json&session=" + r.begin())
	r.agent(id, planning.RunResumed{}) // seq 3: from here on the watcher follows
	readFrame(t, conn)
	r.hub.Live().Publish(id, agent.Frame{Type: "delta", Text: "Let me "})
	r.hub.Live().Publish(id, agent.Frame{Type: "output", Text: "ok\n", Call: "c1"})
	if f := readFrame(t, conn); f.Type != "delta" || f.Text != "Let me " || f.Seq != 0 {
		t.Fatalf("got %+v", f)
	}
	if f := readFrame(t, conn); f.Type != "output" || f.Call != "c1" {
		t.Fatalf("got %+v", f)
	}
	for range 3 { // hello and two events, and nothing of the other session
		if f := readFrame(t, other); f.Type != "hello" && f.Type != "event" {
			t.Fatalf("got %+v", f)
		}
	}
	records, err := r.db.Records(context.Background(), id, 0, 100)
	r.must(err)
	if len(records) != 3 {
		t.Errorf("streamed text is in the log: %d records", len(records))
	}
}

// farAway starts a session with more events than a page wants to catch up on.
func (r *rig) farAway() (id string, head int64) {
	r.t.Helper()
	id = r.begin()
	many := make([]planning.Payload, farBehind+50)
	for i := range many {
		many[i] = planning.RunResumed{}
	}
	return id, r.agent(id, many...).Seq
}

func TestLive_FarBehind(t *testing.T) {
	r := newRig(t)
	id, head := r.farAway()
	page := r.watch("session=" + id)
	readFrame(t, page)
	if f := readFrame(t, page); f.Type != "reset" || f.Seq != head {
		t.Fatalf("a page gets %+v", f)
	}
	near := r.watch(fmt.Sprintf("session=%s&after=%d", id, head-farBehind))
	readFrame(t, near)
	if f := readFrame(t, near); f.Type != "event" || f.Seq != head-farBehind+1 {
		t.Fatalf("a page that is just near enough gets %+v", f)
	}
	program := r.watch("format=json&session=" + id)
	readFrame(t, program)
	for want := int64(1); want <= head; want++ {
		if f := readFrame(t, program); f.Type != "event" || f.Seq != want {
			t.Fatalf("a program gets %+v, want seq %d", f, want)
		}
	}
	ahead := r.watch(fmt.Sprintf("session=%s&after=%d", id, head+7))
	readFrame(t, ahead)
	if f := readFrame(t, ahead); f.Type != "reset" || f.Seq != head {
		t.Fatalf("a page from another log gets %+v", f)
	}
	r.agent(id, planning.RunResumed{})
	for _, conn := range []*websocket.Conn{page, program, ahead} {
		if f := readFrame(t, conn); f.Type != "event" || f.Seq != head+1 {
			t.Fatalf("afterwards comes %+v", f)
		}
	}
}

func TestLive_TooSlowMeansComeAgain(t *testing.T) {
	r := newRig(t)
	conn := r.watch("")
	readFrame(t, conn)
	r.only().end(tooSlow)
	if code := closeCode(t, conn); code != websocket.CloseTryAgainLater {
		t.Errorf("closed with %d", code)
	}
	r.noWatchers()
}

func TestLive_ShutdownSaysComeAgain(t *testing.T) {
	r := newRig(t)
	board, session := r.watch(""), r.watch("session="+r.begin())
	readFrame(t, board)
	readFrame(t, session)
	codes := make(chan int, 2)
	for _, conn := range []*websocket.Conn{board, session} {
		go func() { codes <- closeCode(t, conn) }()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.web.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code := <-codes; code != websocket.CloseServiceRestart {
			t.Errorf("closed with %d", code)
		}
	}
	if r.hub.Watchers() != 0 {
		t.Error("somebody still watches")
	}
	late := r.watch("")
	if code := closeCode(t, late); code != websocket.CloseTryAgainLater {
		t.Errorf("who comes after the end is closed with %d", code)
	}
}

// Whoever does not even read the goodbye is cut off when the time is up.
func TestLive_ShutdownDoesNotWaitForever(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	conn := r.watch("format=json&session=" + id)
	readFrame(t, conn)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.web.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if r.hub.Watchers() != 0 {
		t.Error("somebody still watches")
	}
}

func TestLive_AnswersPingsAndGoodbyes(t *testing.T) {
	r := newRig(t)
	conn := r.watch("")
	pong := make(chan string, 1)
	conn.SetPongHandler(func(s string) error { pong <- s; return nil })
	readFrame(t, conn)
	done := make(chan int)
	go func() { done <- closeCode(t, conn) }()
	r.must(conn.WriteControl(websocket.PingMessage, []byte("there?"), time.Now().Add(time.Second)))
	if got := <-pong; got != "there?" {
		t.Errorf("pong says %q", got)
	}
	r.must(conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1001, ""), time.Now().Add(time.Second)))
	if code := <-done; code != 1001 {
		t.Errorf("closed with %d", code)
	}
	r.noWatchers()
}
