package db

import (
	"context"
	"testing"
	"time"

	"countersign/internal/planning"
)

// long is a session of 100,250 events of 1 KB: a snapshot at 100,000 and about
// the longest tail that there can be.
func long(b *testing.B) *DB {
	b.Helper()
	d := testDB(b)
	s := mustAppend(b, d, "long", 0, append([]planning.Event{created}, repeat(kilobyte, 999)...)...)
	for range 99 {
		s = mustAppend(b, d, "long", s.Seq, repeat(kilobyte, 1000)...)
	}
	mustAppend(b, d, "long", s.Seq, repeat(kilobyte, 250)...)
	return d
}

// BenchmarkLoad is the state of a long session: folded from the whole log,
// and from the snapshot and its tail. x_of_fold says how many times as fast.
// The unchecked ones read the same and check no chain. page is what opening a session's page takes: the state, not in the cache,
// and the newest hundred records.
func BenchmarkLoad(b *testing.B) {
	d := long(b)
	ctx := context.Background()
	start := time.Now()
	if e, err := foldTail(d.reader, "long", entry{}); err != nil || e.state.Seq != 100_250 {
		b.Fatal(e.state.Seq, err)
	}
	whole := time.Since(start)
	b.Run("fold_all", func(b *testing.B) {
		for b.Loop() {
			if _, err := foldTail(d.reader, "long", entry{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fold_all_unchecked", func(b *testing.B) {
		for b.Loop() {
			var s planning.State
			err := eachRecord(d.reader.Raw("SELECT "+eventColumns+" FROM events WHERE session = 'long' ORDER BY seq"), func(r planning.Record) (err error) {
				s, err = s.Apply(r)
				return err
			})
			if err != nil || s.Seq != 100_250 {
				b.Fatal(s.Seq, err)
			}
		}
	})
	b.Run("chain_alone", func(b *testing.B) {
		for b.Loop() {
			if seq, damage, err := walk(ctx, d.reader, "long"); err != nil || damage != nil || seq != 100_250 {
				b.Fatal(seq, damage, err)
			}
		}
	})
	b.Run("tail_unchecked", func(b *testing.B) {
		for b.Loop() {
			base, err := d.snapshotOf(ctx, "long")
			if err != nil {
				b.Fatal(err)
			}
			err = eachRecord(d.reader.Raw("SELECT "+eventColumns+" FROM events WHERE session = 'long' AND seq > 100000 ORDER BY seq"), func(r planning.Record) (err error) {
				base.state, err = base.state.Apply(r)
				return err
			})
			if err != nil || base.state.Seq != 100_250 {
				b.Fatal(base.state.Seq, err)
			}
		}
	})
	b.Run("snapshot_and_tail", func(b *testing.B) {
		for b.Loop() {
			if e, err := d.load(ctx, "long"); err != nil || e.snapshot != 100_000 {
				b.Fatal(e.snapshot, err)
			}
		}
		b.ReportMetric(whole.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "x_of_fold")
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			d.cache.clear()
			s, err := d.State(ctx, "long")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.Records(ctx, "long", s.Seq-100, 100); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page_in_use", func(b *testing.B) {
		for b.Loop() {
			s, err := d.State(ctx, "long")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.Records(ctx, "long", s.Seq-100, 100); err != nil {
				b.Fatal(err)
			}
		}
	})
}
