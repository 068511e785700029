package web

import (
	"encoding/json"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"countersign/internal/agent"
	"countersign/internal/planning"

	"golang.org/x/time/rate"
)

// A feed is one sequence of ready frames, shared by all who watch the same
// thing in the same format. A watcher is only a place in it: frames are encoded
// once, and each writes all that is pending with one call.

const (
	// feedKeep is how many bytes of frames a feed keeps at least; it is as far
	// as a watcher may fall behind. It is cut back when it holds feedMost, so with
	// the largest frame on top there are never more than 256 KB.
	feedKeep = 160 << 10
	feedMost = 192 << 10
	// feedLarge is from where on a frame is not kept: watchers read that event
	// from the log.
	feedLarge = 64 << 10
	// chunk is how much is written at once, and slowAt how many pending bytes
	// make a watcher slow, so that live frames are left out for it.
	chunk  = 128 << 10
	slowAt = 64 << 10
	// What a program prints can be endless; more than this of it, in bytes,
	// is not shown live.
	liveRate  = 128 << 10 // a second
	liveBurst = 64 << 10
	liveMost  = 16 << 10 // of one frame's text
)

// frame is one entry of a feed.
type frame struct {
	end   int64 // offset behind its last byte, counted from the feed's beginning
	seq   int64 // of the event; 0 for what is live only
	large bool  // it has no bytes here
}

type feed struct {
	limiter *rate.Limiter // of live frames
	now     func() time.Time

	mu       sync.Mutex
	buf      []byte // only ever added to; a shorter one is a new one
	base     int64  // offset of buf[0]
	frames   []frame
	first    int64 // number of frames[0], counted from the feed's beginning
	head     int64 // seq of the newest event
	trimmed  int64 // seq of the newest event that is no longer kept
	watchers map[*watcher]struct{}
	idle     []*watcher // those that wait for something to come
	here     []byte     // the frame that tells who is here
	hereNo   int64      // its number; 0 if nobody was here yet
	damage   []byte     // the frame that tells of damage; nil if there is none
}

func newFeed(now func() time.Time) *feed {
	return &feed{limiter: rate.NewLimiter(liveRate, liveBurst), now: now, watchers: map[*watcher]struct{}{}}
}

func (f *feed) join(w *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[w] = struct{}{}
	w.next = f.first + int64(len(f.frames))
	if w.key.session == "" {
		w.last = f.head // the board has no log to catch up from
	}
}

// quit takes a watcher out and returns how many are left.
func (f *feed) quit(w *watcher) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watchers, w)
	return len(f.watchers)
}

// seen notes what a watcher has got from the log.
func (f *feed) seen(w *watcher, seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.last = max(w.last, seq)
}

// event adds an event. Older ones than the newest are dropped: who has not got
// them finds the gap and reads the log.
func (f *feed) event(seq int64, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq <= f.head {
		return
	}
	f.head = seq
	f.add(frame{seq: seq, large: len(data) > feedLarge}, data)
}

// announce says that there is an event, which watchers are to read from the log.
func (f *feed) announce(seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq > f.head {
		f.head = seq
		f.add(frame{seq: seq, large: true}, nil)
	}
}

// note adds a frame that counts by itself.
func (f *feed) note(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head++
	f.add(frame{seq: f.head}, data)
}

// live adds a frame that may be lost.
func (f *feed) live(l agent.Frame) {
	if len(l.Text) > liveMost {
		l.Text = tail(l.Text, liveMost)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return // strings always encode
	}
	data = planning.EscapeJSON(data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.Text != "" && !f.limiter.AllowN(f.now(), len(data)) {
		return
	}
	f.add(frame{}, wire(opText, data))
}

// tail is the end of a text, cut at a character.
func tail(s string, n int) string {
	s = s[len(s)-n:]
	return strings.TrimLeftFunc(s, func(r rune) bool { return r == utf8.RuneError })
}

func (f *feed) add(fr frame, data []byte) {
	if !fr.large {
		f.buf = append(f.buf, data...)
	}
	fr.end = f.base + int64(len(f.buf))
	f.frames = append(f.frames, fr)
	if len(f.buf) > feedMost || len(f.frames) > feedMost/16 {
		f.trim()
	}
}

// trim forgets the oldest frames, in a copy, because watchers still write from
// the old one. Who is still writing what came before an event that is now
// forgotten can't keep up.
func (f *feed) trim() {
	end := f.base + int64(len(f.buf))
	n := sort.Search(len(f.frames), func(i int) bool { return end-f.frames[i].end <= feedKeep })
	n = max(n, len(f.frames)-feedKeep/16)
	cut := f.base
	for _, fr := range f.frames[:n] {
		cut = fr.end
		if fr.seq > 0 {
			f.trimmed = fr.seq
		}
	}
	f.buf = append(make([]byte, 0, feedMost+feedLarge), f.buf[cut-f.base:]...)
	f.frames = append([]frame(nil), f.frames[n:]...)
	f.base = cut
	f.first += int64(n)
	for w := range f.watchers {
		if w.following && w.last < f.trimmed {
			w.end(tooSlow)
		}
	}
}

// wakeAll wakes those who wait. Who is busy writing looks again by itself.
func (f *feed) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.idle {
		w.idle = false
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	f.idle = f.idle[:0]
}
