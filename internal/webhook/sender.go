package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"countersign/internal/planning"
)

// limit is how long a target may take to answer.
const limit = 10 * time.Second

// Config says what is sent where.
type Config struct {
	Targets []Target      // as Check accepts them
	Base    string        // the server's own address for people, without a slash at its end
	Limit   time.Duration // how long a target may take to answer; 0: ten seconds
}

// Sender sends messages until it is stopped.
type Sender struct {
	lines   []*line
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Start goes on where each target stands. Targets that are not in the
// configuration any more are forgotten.
func Start(ctx context.Context, c Config, store Store, log *slog.Logger) (*Sender, error) {
	ids := make([]string, len(c.Targets))
	for i, t := range c.Targets {
		ids[i] = t.ID()
	}
	progress, err := store.KeepTargets(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up the webhooks' progress: %w", err)
	}
	if c.Limit == 0 {
		c.Limit = limit
	}
	s := &Sender{}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for i, t := range c.Targets {
		if err := store.Hasten(ctx, ids[i], 0, time.Time{}); err != nil { // the pauses of the last server don't count
			s.cancel()
			s.running.Wait()
			return nil, fmt.Errorf("make the webhooks' messages due: %w", err)
		}
		l := &line{
			Target: t, store: store, base: c.Base, limit: c.Limit, kinds: kindsOf(t.Events), client: newClient(t),
			log:      log.With("webhook", i+1, "host", t.Host()),
			progress: progress[i], saved: progress[i].Place, wake: make(chan struct{}, 1),
		}
		s.lines = append(s.lines, l)
		s.running.Go(func() { l.run(ctx) })
	}
	return s, nil
}

// Notice hears of records that were just committed. It never waits.
func (s *Sender) Notice(records []planning.Record) {
	told := false
	for _, r := range records {
		_, is := meanings[r.Kind]
		told = told || is
	}
	if !told {
		return
	}
	for _, l := range s.lines {
		l.nudge()
	}
}

// Stop ends all attempts and waits until they have ended. One that is broken
// off is made again after the next start.
func (s *Sender) Stop() {
	s.cancel()
	s.running.Wait()
}
