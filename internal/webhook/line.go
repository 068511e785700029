package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

const (
	// patience is how long a message is tried, from when it happened or, if
	// that is later, from when the messages of its session began to fail.
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

// line is a target with the messages that wait for it. One goroutine sends;
// what the owner asks for comes from others, so progress has a lock.
type line struct {
	Target
	store  Store
	base   string
	limit  time.Duration
	kinds  []planning.Kind
	client *http.Client
	log    *slog.Logger
	wake   chan struct{} // of one

	mu       sync.Mutex
	progress Progress
	saved    int64     // the place that is kept
	rest     time.Time // the target asked not to be written to before
}

// run delivers what there is and then waits for more, until ctx ends. New
// messages and those that are tried again take turns, so that neither waits
// for all of the others.
func (l *line) run(ctx context.Context) {
	for ctx.Err() == nil {
		gone, rest := l.standing()
		if gone {
			l.sleep(ctx, time.Time{})
			continue
		}
		if rest.After(time.Now()) {
			l.sleep(ctx, rest)
			continue
		}
		next, tried := l.again(ctx)
		if l.fresh(ctx) || tried {
			continue
		}
		l.sleep(ctx, next)
	}
}

func (l *line) standing() (gone bool, rest time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progress.Gone, l.rest
}

// fresh makes the first attempt at the next new message. It returns false if
// there is none.
func (l *line) fresh(ctx context.Context) bool {
	if gone, rest := l.standing(); gone || rest.After(time.Now()) {
		return true // which is looked at anew
	}
	page, end, err := l.store.Committed(ctx, l.place(), l.kinds, 1)
	switch {
	case err != nil:
		l.unread(ctx, err)
		return true
	case len(page) == 0:
		l.move(ctx, end, false)
		return false
	}
	c := page[0]
	behind, err := l.store.Holds(ctx, l.progress.Target, c.Session)
	if err != nil {
		l.unread(ctx, err)
		return true
	}
	if behind {
		l.queue(ctx, c)
		return true
	}
	if l.attempt(ctx, c, l.held(c)) {
		l.move(ctx, c.Place, true)
	}
	return true
}

// queue keeps what there is to tell of a record behind another message of its
// session.
func (l *line) queue(ctx context.Context, c Committed) {
	_, _, tells := l.message(ctx, c)
	if ctx.Err() == nil && (!tells || l.hold(ctx, l.held(c))) {
		l.move(ctx, c.Place, true)
	}
}

// attempt tries to deliver what there is to tell of a record. It returns false
// if the attempt says nothing about the message: ctx has ended, or the target
// is gone.
func (l *line) attempt(ctx context.Context, c Committed, h Held) bool {
	m, body, ok := l.message(ctx, c)
	switch {
	case ctx.Err() != nil:
		return false
	case !ok:
		l.drop(ctx, h)
		return true
	}
	switch out := l.post(ctx, m, body); {
	case out.err == nil:
		l.taken(ctx, h)
		return true
	case ctx.Err() != nil:
		return false
	case out.gone:
		l.gone(ctx)
		return false
	default:
		return l.failed(ctx, h.failed(time.Now().UTC().Truncate(time.Microsecond), out), m, out)
	}
}

// message reads what is to be said from the log, as often as it takes. It
// returns false for a record that tells nothing or can't be read, and when ctx
// ends.
func (l *line) message(ctx context.Context, c Committed) (Message, []byte, bool) {
	for ctx.Err() == nil {
		tells, err := tellsSomething(ctx, l.store, c.Record)
		var m Message
		var body []byte
		if err == nil && tells {
			m, body, err = l.composed(ctx, c)
		}
		if err == nil {
			return m, body, tells
		}
		if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
			l.log.ErrorContext(ctx, "nothing can be told of a record", "session", c.Session, "seq", c.Seq, "error", err)
			return Message{}, nil, false
		}
		l.unread(ctx, err)
	}
	return Message{}, nil, false
}

func (l *line) composed(ctx context.Context, c Committed) (Message, []byte, error) {
	m, err := compose(ctx, l.store, l.base, c.Record)
	if err != nil {
		return m, nil, err
	}
	body, err := m.body(l.Format)
	return m, body, err
}

// unread waits a little: that the database can't be read passes.
func (l *line) unread(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	l.log.ErrorContext(ctx, "the log can't be read", "error", err)
	l.sleep(ctx, time.Now().Add(firstWait))
}

// sleep waits until a time, if it is one, or until there is something new.
func (l *line) sleep(ctx context.Context, until time.Time) {
	var due <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
	case <-due:
	case <-l.wake:
	}
}
