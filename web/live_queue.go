package web

import (
	"context"
	"sync"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// happening is what the hub is told: records that were committed, a piece of
// live activity, that a session's record is damaged, or that something else waits
// for people now.
type happening struct {
	session string
	records []planning.Record
	live    *agent.Frame
	damage  *planning.Damage
	nudge   bool
}

// queueMost is how many happenings wait at most. Past it live ones are dropped,
// and of records only the last number of each session is kept: watchers read
// them from the log. Damage, told once of a session, goes in all the same.
const queueMost = 4096

// queue takes happenings without ever waiting. It is open from the first
// watcher on; before, and after the end, there is nobody to tell.
type queue struct {
	mu     sync.Mutex
	opened bool
	list   []happening
	late   map[string]int64 // what came when the list was full
	wake   chan struct{}
}

func newQueue() queue { return queue{late: map[string]int64{}, wake: make(chan struct{}, 1)} }

// open opens the queue and tells whether it was closed before.
func (q *queue) open() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := q.opened
	q.opened = true
	return !was
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.opened, q.list = false, nil
	clear(q.late)
}

func (q *queue) put(x happening) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.opened {
		return
	}
	switch {
	case len(q.list) < queueMost, x.damage != nil:
		q.list = append(q.list, x)
	case len(x.records) > 0:
		q.late[x.session] = x.records[len(x.records)-1].Seq
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for happenings and returns all that there are.
func (q *queue) take(ctx context.Context) ([]happening, error) {
	for {
		if list := q.pending(); len(list) > 0 {
			return list, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (q *queue) pending() []happening {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	for session, seq := range q.late {
		list = append(list, happening{session: session, records: []planning.Record{{Session: session, Seq: seq}}})
	}
	q.list = nil
	clear(q.late)
	return list
}
