package web

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/internal/agent"
)

// reader takes what is pending from a feed the way a watcher does, with a log
// that holds every event up to head.
type reader struct {
	t    *testing.T
	w    *watcher
	feed *feed
	got  int64 // the last event
	live int   // how many live frames
}

func newReader(t *testing.T, f *feed, session string) *reader {
	w := &watcher{feed: f, key: feedKey{session: session}, wake: make(chan struct{}, 1)}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	f.join(w)
	return &reader{t: t, w: w, feed: f}
}

// step takes once and returns what there was.
func (r *reader) step(head int64) news {
	data, found := r.feed.take(r.w)
	switch found {
	case some:
		r.read(data)
	case gap:
		if head <= r.got {
			r.t.Fatalf("a gap at %d, where the log ends", r.got)
		}
		r.got = head
		r.feed.seen(r.w, head)
	}
	return found
}

// read checks that the frames are whole and the events in order. The payload
// of an event is its seq, "board" or live ones begin otherwise.
func (r *reader) read(data []byte) {
	for len(data) > 0 {
		size, header := int(data[1]), 2
		switch size {
		case 126:
			size, header = int(binary.BigEndian.Uint16(data[2:])), 4
		case 127:
			size, header = int(binary.BigEndian.Uint64(data[2:])), 10
		}
		payload := data[header : header+size]
		data = data[header+size:]
		if payload[0] == '{' {
			r.live++
			continue
		}
		seq := int64(binary.BigEndian.Uint64(payload))
		if seq != r.got+1 {
			r.t.Fatalf("%d came after %d", seq, r.got)
		}
		r.got = seq
	}
}

func eventOf(seq int64, size int) []byte {
	payload := binary.BigEndian.AppendUint64(nil, uint64(seq))
	return wire(opText, append(payload, bytes.Repeat([]byte("e"), size)...))
}

// Any interleaving of events of all sizes, lost and late announcements, live
// frames, and readers at any speed: whoever is not dropped gets every event
// once, in order.
func TestFeed_S5_AnyInterleaving(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		f := newFeed(time.Now)
		var readers []*reader
		var head int64
		for range 600 {
			switch rnd.IntN(6) {
			case 0, 1:
				head++
				size := rnd.IntN(4000)
				if rnd.IntN(10) == 0 {
					size = rnd.IntN(2 * feedLarge)
				}
				if rnd.IntN(30) > 0 { // else it is never announced
					f.event(head, eventOf(head, size))
				}
				if rnd.IntN(20) == 0 {
					f.event(head-1, eventOf(head-1, 10)) // late
				}
			case 2:
				f.live(agent.Frame{Type: "delta", Text: strings.Repeat("x", rnd.IntN(300))})
			case 3:
				if len(readers) < 5 {
					readers = append(readers, newReader(t, f, "s"))
					readers[len(readers)-1].start(head)
				}
			default:
				for i, r := range readers {
					if rnd.IntN(len(readers)) == i && r.step(head) == behind {
						readers = append(readers[:i], readers[i+1:]...)
						break
					}
				}
			}
		}
		for _, r := range readers {
			for r.step(head) != nothing {
				if r.w.following && r.w.last < f.trimmed {
					break
				}
			}
		}
		f.wakeAll()
		if len(f.idle) != 0 {
			t.Fatal("the idle are not woken")
		}
	}
}

// start begins somewhere in the log, as after=… does.
func (r *reader) start(head int64) {
	r.got = head
	r.feed.seen(r.w, head)
}

func TestFeed_BehindIsDroppedOthersAreNot(t *testing.T) {
	f := newFeed(time.Now)
	slow, quick := newReader(t, f, "s"), newReader(t, f, "s")
	slow.step(0)
	quick.step(0)
	for seq := int64(1); seq <= 1000; seq++ {
		f.event(seq, eventOf(seq, 1000))
		if quick.step(seq) != some {
			t.Fatalf("nothing for the quick one at %d", seq)
		}
	}
	if found := slow.step(1000); found != behind {
		t.Errorf("the slow one is told %v", found)
	}
	if context.Cause(slow.w.ctx) != tooSlow || quick.w.ctx.Err() != nil {
		t.Error("the wrong one was stopped")
	}
	if len(f.buf) > feedMost+feedLarge || len(f.frames) > 1000 {
		t.Errorf("the feed keeps %d bytes in %d frames", len(f.buf), len(f.frames))
	}
}

// A program that prints without end must not push events out of the feed.
func TestFeed_LiveFramesGiveWay(t *testing.T) {
	now := time.Now()
	f := newFeed(func() time.Time { return now })
	r := newReader(t, f, "s")
	r.step(0)
	f.event(1, eventOf(1, 100))
	for range 10_000 {
		f.live(agent.Frame{Type: "output", Text: strings.Repeat("y\n", 500)})
	}
	f.event(2, eventOf(2, 100))
	f.live(agent.Frame{Type: "reset"}) // has no text, so it is never left out
	for r.step(2) == some {
	}
	if r.got != 2 {
		t.Fatalf("events up to %d", r.got)
	}
	if r.live == 0 || r.live > 200 {
		t.Errorf("%d live frames came through", r.live)
	}
	now = now.Add(time.Second)
	f.live(agent.Frame{Type: "output", Text: "again"})
	before := r.live
	r.step(2)
	if r.live != before+1 {
		t.Error("after a while there is room again")
	}
}

func TestFeed_LateEventsAreLeftToTheLog(t *testing.T) {
	f := newFeed(time.Now)
	f.event(5, eventOf(5, 10))
	f.event(4, eventOf(4, 10))
	f.announce(3)
	if len(f.frames) != 1 || f.head != 5 {
		t.Errorf("%d frames, the newest is %d", len(f.frames), f.head)
	}
}

func TestFeed_SlowWatchersGetEventsFirst(t *testing.T) {
	f := newFeed(time.Now)
	r := newReader(t, f, "s")
	r.step(0)
	f.live(agent.Frame{Type: "delta", Text: "x"})
	for seq := int64(1); seq <= 80; seq++ {
		f.event(seq, eventOf(seq, 1000))
	}
	for r.step(80) == some {
	}
	if r.got != 80 || r.live != 0 {
		t.Errorf("events up to %d and %d live frames", r.got, r.live)
	}
}

// What was streamed before an event that is already known is part of it.
func TestFeed_NoStaleTextAfterCatchingUp(t *testing.T) {
	f := newFeed(time.Now)
	r := newReader(t, f, "s")
	f.live(agent.Frame{Type: "delta", Text: "old"})
	f.event(1, eventOf(1, 10))
	f.live(agent.Frame{Type: "delta", Text: "new"})
	r.start(1)
	r.step(1)
	if r.live != 1 {
		t.Errorf("%d live frames, want the one after the event", r.live)
	}
}

func TestFeed_LongLiveTextKeepsItsEnd(t *testing.T) {
	text := strings.Repeat("步", liveMost)
	got := tail(text, liveMost)
	if !utf8.ValidString(got) || len(got) > liveMost || len(got) < liveMost-4 {
		t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
	}
}

func TestWire_Lengths(t *testing.T) {
	for n, header := range map[int]int{0: 2, 125: 2, 126: 4, 65535: 4, 65536: 10} {
		got := wire(opText, make([]byte, n))
		if got[0] != 0x81 || len(got) != header+n {
			t.Errorf("%d bytes of payload make %d", n, len(got))
		}
	}
}
