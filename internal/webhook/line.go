package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/sethvargo/go-retry"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

const (
	// patience is how long a message is tried, from when it happened or, if
	// that is later, from when the target began to fail.
	patience = 24 * time.Hour
	// firstWait is the wait after a first failure. It doubles up to maxWait.
	firstWait = 5 * time.Second
	maxWait   = time.Hour
	jitter    = 20 // in a hundred, either way
	// pageSize is how many records are read at a time.
	pageSize = 100
	// saveEvery is how far a place may run ahead of the one that is kept while
	// there is nothing to tell.
	saveEvery = 1000
)

// line is a target with the messages that wait for it. One goroutine owns it.
type line struct {
	Target
	store  Store
	base   string
	limit  time.Duration
	kinds  []planning.Kind
	client *http.Client
	log    *slog.Logger
	wake   chan struct{} // of one

	progress Progress
	saved    int64         // the place that is kept
	backoff  retry.Backoff // nil unless the last attempt failed
}

// run delivers what there is and then waits for more, until ctx ends or the
// target is gone.
func (l *line) run(ctx context.Context) {
	for ctx.Err() == nil && !l.progress.Gone {
		page, end, err := l.store.Committed(ctx, l.progress.Place, l.kinds, pageSize)
		if err != nil {
			l.unread(ctx, err)
			continue
		}
		for _, c := range page {
			if !l.deliver(ctx, c) {
				return
			}
		}
		l.passed(ctx, end)
		if len(page) == pageSize {
			continue
		}
		select {
		case <-ctx.Done():
		case <-l.wake:
		}
	}
}

// deliver tries until the target has taken what there is to tell of a record,
// or patience ends. It returns false if there is nothing left to do for it.
func (l *line) deliver(ctx context.Context, c Committed) bool {
	m, body, ok := l.message(ctx, c)
	switch {
	case ctx.Err() != nil:
		return false
	case !ok:
		l.progress.Place = c.Place
		return true
	}
	for {
		switch out := l.post(ctx, m, body); {
		case out.err == nil:
			l.taken(ctx, c)
			return true
		case ctx.Err() != nil:
			return false
		case out.gone:
			l.gone(ctx)
			return false
		default:
			wait, giveUp := l.failed(ctx, c, out)
			if giveUp {
				l.giveUp(ctx, c, m, out.err)
				return true
			}
			if !sleep(ctx, wait) {
				return false
			}
		}
	}
}

// message reads what is to be said from the log, as often as it takes. It
// returns false for a record that can't be read and when ctx ends.
func (l *line) message(ctx context.Context, c Committed) (Message, []byte, bool) {
	for ctx.Err() == nil {
		m, err := compose(ctx, l.store, l.base, c.Record)
		var body []byte
		if err == nil {
			body, err = m.body(l.Format)
		}
		if err == nil {
			return m, body, true
		}
		if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
			l.log.ErrorContext(ctx, "nothing can be told of a record", "session", c.Session, "seq", c.Seq, "error", err)
			return Message{}, nil, false
		}
		l.unread(ctx, err)
	}
	return Message{}, nil, false
}

// unread waits a little: that the database can't be read passes.
func (l *line) unread(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	l.log.ErrorContext(ctx, "the log can't be read", "error", err)
	sleep(ctx, firstWait)
}

func (l *line) taken(ctx context.Context, c Committed) {
	if !l.progress.Failing.IsZero() {
		l.log.InfoContext(ctx, "a webhook works again")
	}
	l.backoff, l.progress.Failing, l.progress.Place = nil, time.Time{}, c.Place
	l.save(ctx)
}

// gone switches the target off, also for later starts.
func (l *line) gone(ctx context.Context) {
	l.log.ErrorContext(ctx, "a webhook is switched off, because it answered 410; leave it out of the settings for one start to switch it on again")
	l.progress.Gone = true
	l.save(ctx)
}

// failed notes a failure and says how long to wait, or that it is enough.
func (l *line) failed(ctx context.Context, c Committed, out outcome) (wait time.Duration, giveUp bool) {
	now := time.Now()
	if l.progress.Failing.IsZero() {
		l.log.WarnContext(ctx, "a webhook fails; it is tried again", "error", out.err)
		l.progress.Failing = now.UTC().Truncate(time.Microsecond)
		l.save(ctx)
	}
	since := l.progress.Failing
	if c.At.After(since) {
		since = c.At
	}
	left := since.Add(patience).Sub(now)
	if left <= 0 {
		return 0, true
	}
	if l.backoff == nil {
		l.backoff = retry.WithCappedDuration(maxWait, retry.WithJitterPercent(jitter, retry.NewExponential(firstWait)))
	}
	wait, _ = l.backoff.Next() // it never ends by itself
	return min(max(wait, out.after), left), false
}

func (l *line) giveUp(ctx context.Context, c Committed, m Message, err error) {
	l.progress.GivenUp++
	l.progress.Place = c.Place
	l.log.ErrorContext(ctx, "a webhook's message is given up after a day", "message", m.ID, "event", m.Event, "given_up", l.progress.GivenUp, "error", err)
	l.save(ctx)
}

// passed moves the place over what the target is not told of.
func (l *line) passed(ctx context.Context, end int64) {
	l.progress.Place = max(l.progress.Place, end)
	if l.progress.Place-l.saved >= saveEvery {
		l.save(ctx)
	}
}

// save keeps the progress, also while the server stops: what was taken should
// not be sent again. If it can't be kept now, the next time will do.
func (l *line) save(ctx context.Context) {
	if err := l.store.SaveProgress(context.WithoutCancel(ctx), l.progress); err != nil {
		l.log.ErrorContext(ctx, "a webhook's progress can't be kept", "error", err)
		return
	}
	l.saved = l.progress.Place
}

// sleep returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
