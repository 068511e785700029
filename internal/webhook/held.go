package webhook

import (
	"context"
	"time"

	"github.com/sethvargo/go-retry"

	"countersign/internal/planning"
)

// Held is a message that a target has not taken. It is tried again until
// patience ends; the later ones of its session stand behind it.
type Held struct {
	Target  string // its ID
	Place   int64
	Session string
	Seq     int64
	Kind    planning.Kind
	At      time.Time // when it happened
	Tries   int       // 0: it stands behind another one
	Failing time.Time // first failure in a row in its session; zero before the first
	Tried   time.Time // last attempt
	Due     time.Time // next attempt; zero for at once
	Trouble Trouble   // of the last attempt
	GivenUp time.Time // zero while it is tried
	By      string    // name of who gave it up; empty if its time was over

	kept bool // the store has it
}

// Event is what the message tells.
func (h Held) Event() Event { return meanings[h.Kind].event }

// Until is when the message is given up if it is not taken before.
func (h Held) Until() time.Time {
	since := h.At
	if h.Failing.After(since) {
		since = h.Failing
	}
	return since.Add(patience)
}

// held makes the note of a record that is to be told later.
func (l *line) held(c Committed) Held {
	return Held{Target: l.progress.Target, Place: c.Place, Session: c.Session, Seq: c.Seq, Kind: c.Kind, At: c.At}
}

// failed notes an attempt that failed and returns what is now known of the
// message: when it is due again, or that it is given up.
func (h Held) failed(now time.Time, out outcome) Held {
	h.Tries++
	h.Tried, h.Trouble = now, out.trouble
	if h.Failing.IsZero() {
		h.Failing = now
	}
	left := h.Until().Sub(now)
	if left <= 0 {
		h.GivenUp = now
		return h
	}
	h.Due = now.Add(min(max(waitAfter(h.Tries), out.after), left))
	return h
}

// waitAfter is how long to wait after so many attempts of a message.
func waitAfter(tries int) (wait time.Duration) {
	b := retry.WithCappedDuration(maxWait, retry.WithJitterPercent(jitter, retry.NewExponential(firstWait)))
	for range min(tries, 16) { // by then it has reached maxWait
		wait, _ = b.Next() // it never ends by itself
	}
	return wait
}

// again makes the next attempt at a message that is due. It returns when the
// next one is due if none is now, zero for nothing to wait for, and whether
// there was one to try.
func (l *line) again(ctx context.Context) (next time.Time, tried bool) {
	h, found, err := l.store.NextHeld(ctx, l.progress.Target)
	switch {
	case err != nil:
		l.unread(ctx, err)
		return time.Time{}, true
	case !found:
		return time.Time{}, false
	case h.Due.After(time.Now()):
		return h.Due, false
	}
	page, _, err := l.store.Committed(ctx, h.Place-1, []planning.Kind{h.Kind}, 1)
	if err != nil {
		l.unread(ctx, err)
		return time.Time{}, true
	}
	if len(page) == 0 || page[0].Place != h.Place {
		h.kept = true
		l.drop(ctx, h)
		return time.Time{}, true
	}
	h.kept = true
	l.attempt(ctx, page[0], h)
	return time.Time{}, true
}

// drop forgets a message that has been taken, or that can't be told.
func (l *line) drop(ctx context.Context, h Held) {
	if !h.kept {
		return
	}
	if err := l.store.DropHeld(context.WithoutCancel(ctx), h.Target, h.Place); err != nil {
		l.log.ErrorContext(ctx, "a webhook's message can't be noted as taken", "error", err)
	}
}
