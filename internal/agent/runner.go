package agent

import (
	"context"
	"sync"

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
// something to do and stops one that was paused. It does not block.
func (r *Runner) Notice(s planning.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, runs := r.active[s.ID]; runs {
		a.again = true
		if s.Run.Phase == planning.PhasePaused {
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
		if err := r.agent.Run(ctx, session); err != nil {
			r.agent.Logger.Error("session stopped", "session", session, "error", err)
		}
		cancel()
		r.ended(session, a)
	})
}

// ended looks once more if something was recorded while the run came to its
// end, so that no wake-up is lost between the two.
func (r *Runner) ended(session string, a *activity) {
	r.mu.Lock()
	again := a.again
	a.again = false
	if !again || r.closed {
		delete(r.active, session)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()

	s, err := r.agent.Log.State(r.ctx, session)
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.again { // and once more in between
		r.wg.Go(func() { r.ended(session, a) })
		return
	}
	delete(r.active, session)
	if err == nil && s.Runnable() {
		r.start(session)
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
	for _, id := range sessions {
		if err := r.agent.Interrupt(ctx, id, "The server was stopped."); err != nil {
			return err
		}
	}
	return nil
}
