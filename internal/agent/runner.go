package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"countersign/internal/planning"
)

// Runner knows which sessions run just now, at most one run for each. A
// session that waits for a person is not here at all: it is rows in the log.
type Runner struct {
	agent *Agent
	ctx   context.Context
	stop  context.CancelFunc
	wg    sync.WaitGroup

	mu     sync.Mutex
	active map[string]*activity
	closed bool
}

// activity is one running session.
type activity struct {
	cancel context.CancelFunc
	again  bool // something was recorded while it ran; look once more
}

// NewRunner makes a runner that lives until Stop.
func NewRunner(agent *Agent) *Runner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Runner{agent: agent, ctx: ctx, stop: cancel, active: map[string]*activity{}}
}

// Notice is told of every committed append. It starts a session that has
// something to do and stops one that was paused or given up. It does not block.
func (r *Runner) Notice(s planning.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, runs := r.active[s.ID]; runs {
		a.again = true
		if !s.Runnable() {
			a.cancel()
		}
		return
	}
	if s.Runnable() {
		r.start(s.ID)
	}
}

// start needs the lock.
func (r *Runner) start(session string) {
	if r.closed {
		return
	}
	ctx, cancel := context.WithCancel(r.ctx)
	a := &activity{cancel: cancel}
	r.active[session] = a
	r.wg.Go(func() {
		err := r.agent.Run(ctx, session)
		cancel()
		r.ended(session, a, err)
	})
}

// retryLog is how long a session waits whose log could be neither read nor
// written: a full disk, say.
const retryLog = 5 * time.Second

// ended looks once more if something was recorded while the run came to its
// end, so that no wake-up is lost between the two. While the log does not work
// it goes on trying: nobody else would start the session again.
func (r *Runner) ended(session string, a *activity, err error) {
	for {
		if err != nil {
			r.agent.Logger.Error("session stopped; it is tried again", "session", session, "error", err)
			select {
			case <-r.ctx.Done():
			case <-time.After(retryLog):
			}
		}
		r.mu.Lock()
		look := a.again || err != nil
		a.again = false
		if !look || r.closed {
			delete(r.active, session)
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()

		var s planning.State
		s, err = r.agent.Log.State(r.ctx, session)
		r.mu.Lock()
		if err == nil && !a.again {
			delete(r.active, session)
			if s.Runnable() {
				r.start(session)
			}
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// Stop ends all runs, waits for them, and records that they were interrupted,
// so that nothing runs on by itself after the next start.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	var sessions []string
	for id := range r.active {
		sessions = append(sessions, id)
	}
	r.mu.Unlock()
	r.stop()
	r.wg.Wait()
	var err error
	for _, id := range sessions {
		err = errors.Join(err, r.agent.Interrupt(ctx, id, "The server was stopped."))
	}
	return err
}
