package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/planning"
)

// kilobyte is an event whose payload is 1 KB long, as JSON.
var kilobyte = by(agent, planning.ToolFinished{Call: "c", Name: "read_file", Outcome: planning.OutcomeOK, Output: strings.Repeat("x", 940)})

// BenchmarkAppend is a durable append of one event of 1 KB: ours with all that
// belongs to it, beside the bare driver inserting the same bytes, one a
// commit. The two take turns, because a shared disk changes its mind from one
// second to the next. x_of_raw is our rate as a multiple of the driver's.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			ours, theirs := ownAppends(b, writers), rawAppends(b)
			const turn = 500
			var own, raw time.Duration
			for done := 0; done < b.N; done += turn {
				n := min(turn, b.N-done)
				own += spread(b, writers, n, ours)
				raw += spread(b, writers, n, theirs)
			}
			rate := func(d time.Duration) float64 { return float64(b.N) / d.Seconds() }
			b.ReportMetric(float64(own.Nanoseconds())/float64(b.N), "ns/op")
			b.ReportMetric(rate(own), "events/s")
			b.ReportMetric(rate(raw), "raw_events/s")
			b.ReportMetric(rate(own)/rate(raw), "x_of_raw")
		})
	}
}

// ownAppends returns a function that appends the next event of a writer; each
// has a session of its own.
func ownAppends(b *testing.B, writers int) func(w int) error {
	d := testDB(b)
	seqs := make([]int64, writers)
	for w := range writers {
		seqs[w] = begin(b, d, fmt.Sprint("session-", w)).Seq
	}
	return func(w int) error {
		s, err := d.Append(context.Background(), fmt.Sprint("session-", w), seqs[w], kilobyte)
		seqs[w] = s.Seq
		return err
	}
}

// rawAppends is the same with database/sql and the driver alone.
func rawAppends(b *testing.B) func(w int) error {
	dsn := "file:" + filepath.Join(b.TempDir(), "raw.db") +
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	raw, err := sql.Open("sqlite", dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { raw.Close() })
	raw.SetMaxOpenConns(1) // more of them only wait for each other, in a busy loop
	_, err = raw.Exec(`CREATE TABLE events (session TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL,
		at INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL, actor_name TEXT NOT NULL, data BLOB NOT NULL,
		PRIMARY KEY (session, seq)) STRICT`)
	if err != nil {
		b.Fatal(err)
	}
	insert, err := raw.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { insert.Close() })
	data, err := json.Marshal(kilobyte.Payload)
	if err != nil {
		b.Fatal(err)
	}
	var seqs [64]int64
	return func(w int) error {
		seqs[w]++
		_, err := insert.Exec(fmt.Sprint("session-", w), seqs[w], "tool.finished", 1, time.Now().UnixMicro(), "agent", "agent", "Agent", data)
		return err
	}
}

// spread has the writers share total calls of f and returns how long it took.
func spread(b *testing.B, writers, total int, f func(w int) error) time.Duration {
	var left atomic.Int64
	left.Store(int64(total))
	var wg sync.WaitGroup
	start := time.Now()
	for w := range writers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := f(w); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
