package web

// news is what take found.
type news int

const (
	nothing news = iota // the watcher will be woken
	some                // bytes to write
	gap                 // the log has to be read first
	behind              // events that the watcher has not got are gone from the feed
)

// take returns what is pending for a watcher and moves it on. The bytes must
// not be changed.
func (f *feed) take(w *watcher) ([]byte, news) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.last < f.trimmed {
		if w.following {
			return nil, behind
		}
		return nil, gap // it has just come from the log, and the feed was faster
	}
	i := int(max(w.next-f.first, 0))
	if i == 0 {
		w.next = f.first
	}
	i = f.skip(w, i)
	from, to, n := f.start(i), f.start(i), i
	last := w.last
	for ; n < len(f.frames) && f.frames[n].end-from <= chunk; n++ {
		fr := f.frames[n]
		if fr.seq > 0 && (fr.large || fr.seq != last+1) {
			break
		}
		last, to = max(last, fr.seq), fr.end
	}
	if n == i && n < len(f.frames) {
		w.following = false
		return nil, gap
	}
	w.next, w.last, w.following = f.first+int64(n), last, true
	if n > i {
		return f.bytes(i, n, from, to), some
	}
	if w.hereNo < f.hereNo {
		w.hereNo = f.hereNo
		return f.here, some
	}
	if f.damage != nil && !w.warned {
		w.warned = true
		return f.damage, some
	}
	if w.nudged {
		w.nudged = false
		return nudgeFrame, some
	}
	if !w.idle {
		w.idle = true
		f.idle = append(f.idle, w)
	}
	return nil, nothing
}

// skip passes over everything up to the last event that the watcher has from
// the log already. What was live before such an event is part of it by now.
func (f *feed) skip(w *watcher, i int) int {
	for n := i; n < len(f.frames); n++ {
		switch seq := f.frames[n].seq; {
		case seq > w.last:
			return i
		case seq > 0:
			i = n + 1
		}
	}
	return i
}

// start is the offset of the first byte of a frame.
func (f *feed) start(i int) int64 {
	if i == 0 {
		return f.base
	}
	return f.frames[i-1].end
}

// bytes returns frames i to n: as they lie there or, for a watcher that is
// slow, without those that are live only.
func (f *feed) bytes(i, n int, from, to int64) []byte {
	if to-from <= slowAt {
		return f.buf[from-f.base : to-f.base]
	}
	var out []byte
	for ; i < n; i++ {
		if f.frames[i].seq > 0 {
			out = append(out, f.buf[f.start(i)-f.base:f.frames[i].end-f.base]...)
		}
	}
	return out
}
