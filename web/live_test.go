package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/planning"

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
	At      time.Time       `json:"at"`
	Actor   planning.Actor  `json:"actor"`
	Data    json.RawMessage `json:"data"`
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
	r.hub.render = func(rec planning.Record) (string, error) {
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

// cutConn breaks off after some bytes, wherever in a frame that is.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		_ = c.Conn.Close()
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Watchers whose line breaks off at any byte, again and again, while events of
// all sizes and streamed text come in.
func TestLive_S5_NothingMissingNothingTwice(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	const rounds = 150
	var wg sync.WaitGroup
	last := int64(2 + 2*rounds)
	for n := range 6 {
		wg.Go(func() {
			f := []string{"json", "html"}[n%2]
			if got := r.followCut(rand.New(rand.NewPCG(uint64(n), 7)), id, f, last); got != last {
				t.Errorf("watcher %d got as far as %d of %d", n, got, last)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		size := rnd.IntN(3000)
		if rnd.IntN(20) == 0 {
			size = feedLarge + rnd.IntN(feedLarge)
		}
		r.hub.Frame(id, agent.Frame{Type: "delta", Text: strings.Repeat("d", rnd.IntN(2000))})
		r.agent(id, planning.RunFailed{Message: "x", Detail: strings.Repeat("e", size)}, planning.RunResumed{})
	}
	wg.Wait()
}

// followCut watches a session over lines that break, and returns the seq up to
// which everything came once and in order.
func (r *rig) followCut(rnd *rand.Rand, id, f string, until int64) int64 {
	var seen int64
	for seen < until {
		d := &websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
			conn, err := net.Dial(network, addr)
			return &cutConn{conn, 500 + rnd.IntN(60_000)}, err
		}}
		if rnd.IntN(8) == 0 {
			d = websocket.DefaultDialer // or one that is too large would never get through
		}
		conn, _, err := r.dialWith(d, fmt.Sprintf("session=%s&format=%s&after=%d", id, f, seen), r.bearer())
		if err != nil {
			continue // cut off in the handshake
		}
		for n := 0; seen < until && (d != websocket.DefaultDialer || n < 40); n++ {
			frame, err := nextFrame(conn)
			if err != nil {
				break
			}
			if frame.Type != "event" {
				continue
			}
			if frame.Seq != seen+1 {
				r.t.Errorf("%d came after %d", frame.Seq, seen)
				conn.Close()
				return seen
			}
			seen = frame.Seq
		}
		conn.Close()
	}
	return seen
}

// One who does not read holds up nobody, is dropped, and comes back for the
// rest.
func TestLive_StalledWatcherIsDropped(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	stalled := r.watch("format=json&session=" + id)
	readFrame(t, stalled)
	w := r.only()
	good := r.watch("format=json&after=2&session=" + id)
	readFrame(t, good)
	big := strings.Repeat("e", 30_000)
	const n = 400 // 12 MB, more than any socket buffer
	for want := int64(3); want < 3+n; want++ {
		r.agent(id, planning.RunFailed{Message: "x", Detail: big})
		if f := readFrame(t, good); f.Seq != want {
			t.Fatalf("the good one got %+v, want %d", f, want)
		}
	}
	if cause := context.Cause(w.ctx); cause != tooSlow {
		t.Fatalf("the stalled one is still there: %v", cause)
	}
	var seen int64
	for {
		f, err := nextFrame(stalled)
		if err != nil {
			break
		}
		seen = f.Seq
	}
	if seen >= 2+n {
		t.Fatal("the stalled one was not cut off")
	}
	back := r.watch(fmt.Sprintf("format=json&session=%s&after=%d", id, seen))
	readFrame(t, back)
	for want := seen + 1; want <= 2+n; want++ {
		if f := readFrame(t, back); f.Seq != want {
			t.Fatalf("after coming back: %d, want %d", f.Seq, want)
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

// What the hub hears of commits only wakes it: order and completeness come
// from the log.
func TestLive_S5_PublishedOutOfOrder(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	var mu sync.Mutex
	var held [][]planning.Record
	r.db.SetOnCommit(func(_ planning.State, records []planning.Record) {
		mu.Lock()
		defer mu.Unlock()
		held = append(held, records)
	})
	conn := r.watch("format=json&after=2&session=" + id)
	readFrame(t, conn)
	for range 20 {
		r.agent(id, planning.RunResumed{})
	}
	order := rand.New(rand.NewPCG(3, 3)).Perm(len(held))
	for _, i := range order[:len(order)/2] { // and half of them never
		r.hub.Publish(planning.State{}, held[i])
	}
	r.hub.Publish(planning.State{}, held[len(held)-1])
	for want := int64(3); want <= 22; want++ {
		if f := readFrame(t, conn); f.Seq != want {
			t.Fatalf("%d, want %d", f.Seq, want)
		}
	}
}

// An announcement that the log does not bear out must not make a watcher spin.
func TestLive_AnnouncedButNotThere(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	conn := r.watch("format=json&after=2&session=" + id)
	readFrame(t, conn)
	r.hub.Publish(planning.State{}, []planning.Record{{Session: id, Seq: 9, Kind: planning.KindRunResumed, Data: []byte("{}")}})
	if code := closeCode(t, conn); code != websocket.CloseTryAgainLater {
		t.Errorf("closed with %d", code)
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
	r.must(conn.WriteMessage(websocket.TextMessage, []byte("nobody reads this")))
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
