package db

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/trial"
)

// TestFault_01_KilledUnderLoad: whatever the moment of a kill -9, what was
// acknowledged is there and nothing is missing in between.
func TestFault_01_KilledUnderLoad(t *testing.T) {
	kills, base := trial.Often(6, 1000), trial.Often(2000, 100_000)
	path := filepath.Join(t.TempDir(), "countersign.db")
	d := openAt(t, path)
	s := begin(t, d, "long")
	for s.Seq < int64(base) {
		s = mustAppend(t, d, "long", s.Seq, repeat(kilobyte, min(1000, base-int(s.Seq)))...)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	var times []time.Duration
	total := 0
	for n := range kills {
		acknowledged := map[string]string{}
		// Sessions live through many kills, but not through all: thousands of
		// threads in one would make the last kills ten times as long as the first.
		killAfter(t, path, fmt.Sprint("shared-", n/20), 1+r.IntN(60), acknowledged)
		total += len(acknowledged)
		start := time.Now()
		d, err := openQuietly(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustState(t, d, "long"); got.Seq != s.Seq {
			t.Fatalf("%d of %d", got.Seq, s.Seq)
		}
		times = append(times, time.Since(start))
		for at, text := range acknowledged {
			session, seq := cutAt(t, at)
			page, err := d.Records(t.Context(), session, seq-1, 1)
			if err != nil || len(page) != 1 {
				t.Fatalf("%s was acknowledged: %v", at, err)
			}
			if payload, err := page[0].Payload(); err != nil || payload.(planning.UserMessage).Text != text {
				t.Fatalf("%s: %v, %v", at, payload, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found := verify(t, openAt(t, path)); len(found) > 0 {
		t.Errorf("gaps or worse: %v", found)
	}
	slices.Sort(times)
	trial.Figures(t, "%d kills, %d acknowledged appends, 0 lost, 0 gaps; the database answers again in %d ms (median), %d ms (p99) with %d events",
		kills, total, times[len(times)/2].Milliseconds(), times[len(times)*99/100].Milliseconds(), base)
}

func cutAt(t *testing.T, at string) (session string, seq int64) {
	t.Helper()
	i := slices.Index([]byte(at), '/')
	if _, err := fmt.Sscan(at[i+1:], &seq); err != nil {
		t.Fatal(err)
	}
	return at[:i], seq
}

// TestFault_05_AForeignLock: while another program holds the file, appends
// wait; none is lost.
func TestFault_05_AForeignLock(t *testing.T) {
	d := testDB(t)
	begin(t, d, "one")
	other, err := sql.Open("sqlite", d.path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	hold := time.Duration(trial.Often(300, 4000)) * time.Millisecond
	released := time.AfterFunc(hold, func() { _ = tx.Rollback() })
	defer released.Stop()
	const appends = 32
	each(appends, func(i int) {
		_, err := planning.Decide(context.Background(), d, "one", func(planning.State) ([]planning.Event, error) {
			return []planning.Event{said(fmt.Sprint(i))}, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	if s := mustState(t, reopen(t, d), "one"); s.Seq != appends+1 {
		t.Errorf("%d records, want %d", s.Seq, appends+1)
	}
	trial.Figures(t, "held for %v: %d of %d appends acknowledged and there", hold, appends, appends)
}

// TestFault_06_LongReaders: people who read the whole of a long log, over and
// over, do not make the WAL grow without bounds.
func TestFault_06_LongReaders(t *testing.T) {
	d := testDB(t)
	s := begin(t, d, "long")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	const readers = 4
	for range readers {
		go func() { ended <- readOn(ctx, d) }()
	}
	total := trial.Often(4000, 100_000)
	var most int64
	for int(s.Seq) < total {
		s = mustAppend(t, d, "long", s.Seq, repeat(kilobyte, 100)...)
		most = max(most, walSize(t, d))
	}
	stop()
	for range readers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if most > 64<<20 {
		t.Errorf("the WAL grew to %d MB", most>>20)
	}
	trial.Figures(t, "%d events beside %d readers of everything: the WAL was %d MB at most", total, readers, most>>20)
}

// readOn reads the log from its beginning to its end until ctx ends.
func readOn(ctx context.Context, d *DB) error {
	for ctx.Err() == nil {
		for seq := int64(0); ; {
			page, err := d.Records(context.WithoutCancel(ctx), "long", seq, 0)
			if err != nil {
				return err
			}
			if len(page) == 0 || ctx.Err() != nil {
				break
			}
			seq = page[len(page)-1].Seq
		}
	}
	return nil
}
