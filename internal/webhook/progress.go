package webhook

import (
	"context"
	"time"
)

// place is how far the log has been read for the target.
func (l *line) place() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progress.Place
}

// move moves the place over what has been dealt with. Over what the target is
// not told of, it is kept only now and then.
func (l *line) move(ctx context.Context, to int64, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress.Place = max(l.progress.Place, to)
	if keep || l.progress.Place-l.saved >= saveEvery {
		l.save(ctx)
	}
}

// taken notes that the target has got a message. What has failed only since it
// took the one before is tried at once: it was the target that did not work,
// not the message. One that failed once is due soon anyway.
func (l *line) taken(ctx context.Context, h Held) {
	l.drop(ctx, h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.progress.Failing.IsZero() {
		l.log.InfoContext(ctx, "a webhook works again")
		l.hasten(ctx, 2, l.progress.Delivered)
	}
	l.progress.Failing, l.progress.Trouble = time.Time{}, ""
	l.progress.Delivered = time.Now().UTC().Truncate(time.Microsecond)
	l.save(ctx)
}

// gone switches the target off, also for later starts.
func (l *line) gone(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.ErrorContext(ctx, "a webhook is switched off, because it answered 410; switch it on again on the page of the webhooks")
	l.progress.Gone = true
	l.save(ctx)
}

// failed keeps a message that was not taken. It returns false if it can't be
// kept, so that it is tried again from the log.
func (l *line) failed(ctx context.Context, h Held, m Message, out outcome) bool {
	kept := l.hold(ctx, h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.progress.Failing.IsZero() {
		l.log.WarnContext(ctx, "a webhook fails; it is tried again", "error", out.err)
		l.progress.Failing = h.Tried
	}
	l.progress.Trouble = h.Trouble
	if out.busy {
		l.rest = h.Tried.Add(out.after)
	}
	if !h.GivenUp.IsZero() {
		l.progress.GivenUp++
		l.log.ErrorContext(ctx, "a webhook's message is given up after a day", "message", m.ID, "event", m.Event, "given_up", l.progress.GivenUp, "error", out.err)
	}
	l.save(ctx)
	return kept
}

// hold keeps a message, and returns whether it could.
func (l *line) hold(ctx context.Context, h Held) bool {
	if err := l.store.Hold(context.WithoutCancel(ctx), h); err != nil {
		l.unread(ctx, err)
		return false
	}
	return true
}

// hasten makes messages due, as Store.Hasten does. The caller has the lock.
func (l *line) hasten(ctx context.Context, tries int, after time.Time) {
	l.rest = time.Time{}
	if err := l.store.Hasten(context.WithoutCancel(ctx), l.progress.Target, tries, after); err != nil {
		l.log.ErrorContext(ctx, "a webhook's messages can't be made due", "error", err)
	}
}

// save keeps the progress, also while the server stops: what was taken should
// not be sent again. If it can't be kept now, the next time will do. The caller
// has the lock.
func (l *line) save(ctx context.Context) {
	if err := l.store.SaveProgress(context.WithoutCancel(ctx), l.progress); err != nil {
		l.log.ErrorContext(ctx, "a webhook's progress can't be kept", "error", err)
		return
	}
	l.saved = l.progress.Place
}

// nudge lets the line look for work.
func (l *line) nudge() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}
