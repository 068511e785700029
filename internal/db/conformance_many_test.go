package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// decideUntilIn is planning.Decide by somebody who does not give up.
func decideUntilIn(t *testing.T, log planning.Log, session string, e planning.Event) {
	for {
		_, err := planning.Decide(context.Background(), log, session, func(planning.State) ([]planning.Event, error) {
			return []planning.Event{e}, nil
		})
		if err == nil {
			return
		}
		if !fault.Is(err, fault.Unavailable) {
			t.Error(err)
			return
		}
	}
}

func manyAppenders(t *testing.T, log planning.Log) {
	const appenders, rounds = 64, 4
	begin(t, log, "shared")
	each(appenders, func(a int) {
		own := fmt.Sprint("own-", a)
		begin(t, log, own)
		for i := range rounds {
			decideUntilIn(t, log, "shared", said(fmt.Sprint(a, "/", i)))
			mustAppend(t, log, own, int64(i+1), said(fmt.Sprint(i)))
		}
	})
	seen := map[string]int{}
	records := allRecords(t, log, "shared")
	for i, r := range records {
		if r.Seq != int64(i+1) {
			t.Fatalf("record %d has seq %d", i, r.Seq)
		}
		seen[string(r.Data)]++
	}
	if len(records) != 1+appenders*rounds || len(seen) != len(records) {
		t.Errorf("%d records, %d different; want %d", len(records), len(seen), 1+appenders*rounds)
	}
	for a := range appenders {
		if s := mustState(t, log, fmt.Sprint("own-", a)); s.Seq != rounds+1 {
			t.Errorf("own session %d stands at %d", a, s.Seq)
		}
	}
}

func givingUp(t *testing.T, log planning.Log) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := log.Append(ended, "one", 0, created); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := log.State(context.Background(), "one"); !fault.Is(err, fault.NotFound) {
		t.Errorf("appended all the same: %v", err)
	}
	each(40, func(i int) {
		session := fmt.Sprint("session-", i)
		seq := begin(t, log, session).Seq
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range rand.IntN(2000) {
			}
			cancel()
		}()
		_, err := log.Append(ctx, session, seq, said("a"), said("b"), said("c"))
		<-ctx.Done()
		// Whatever the caller was told, the next append finds all or none.
		s := mustAppendSomewhere(t, log, session)
		if n := s.Seq - 1 - seq; n != 0 && n != 3 || err == nil && n != 3 {
			t.Errorf("%d events of 3, error %v", n, err)
		}
	})
}

// mustAppendSomewhere appends behind whatever is there; it also waits for what
// is still under way.
func mustAppendSomewhere(t *testing.T, log planning.Log, session string) planning.State {
	decideUntilIn(t, log, session, said("end"))
	return mustState(t, log, session)
}

// each runs f for 0 to n-1 at the same time and waits.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
