package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"countersign/internal/planning"
)

// TestFault_01_KilledUnderLoad: whatever the moment of a kill -9, what was
// acknowledged is there and nothing is missing in between.
func TestFault_01_KilledUnderLoad(t *testing.T) {
	kills, base := many(6, 1000), many(2000, 100_000)
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
	for range kills {
		acknowledged := map[string]string{}
		killAfter(t, path, 1+r.IntN(60), acknowledged)
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
	figures(t, "%d kills, %d acknowledged appends, 0 lost, 0 gaps; the database answers again in %d ms (median), %d ms (p99) with %d events",
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
	hold := time.Duration(many(300, 4000)) * time.Millisecond
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
	figures(t, "held for %v: %d of %d appends acknowledged and there", hold, appends, appends)
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
	total := many(4000, 100_000)
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
	figures(t, "%d events beside %d readers of everything: the WAL was %d MB at most", total, readers, most>>20)
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

// TestFault_08_UnknownKindsAndLaterVersions: they are kept, skipped, and part
// of the chain.
func TestFault_08_UnknownKindsAndLaterVersions(t *testing.T) {
	d := testDB(t)
	n := many(30, 300)
	mustAppend(t, d, "one", 0, story("one", n)...)
	var known []planning.Record
	unknown := 0
	var sum planning.Sum
	for i, r := range allRecords(t, d, "one") {
		switch {
		case i == 0 || i%3 != 0:
			known = append(known, r)
		case i%2 == 0:
			r.Kind, r.Data, unknown = "moon.landed", []byte(`{"shape":["unheard","of"]}`), unknown+1
		default:
			r.Version, r.Data, unknown = 99, []byte(`"another shape"`), unknown+1
		}
		r.Sum = r.Link(sum)
		sum = r.Sum
		mustExec(t, d, "UPDATE events SET kind = ?, version = ?, data = ?, sum = ? WHERE seq = ?", string(r.Kind), r.Version, []byte(r.Data), sum[:], r.Seq)
	}
	d = reopen(t, d)
	if err := d.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := mustState(t, d, "one")
	var want planning.State
	for i, r := range known {
		r.Seq = int64(i + 1) // as if the others had never been
		var err error
		if want, err = want.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	if len(got.Plans) != len(want.Plans) || got.Title != want.Title || got.Usage != want.Usage || got.Seq != int64(n) {
		t.Errorf("state at %d with %d plans, want %d", got.Seq, len(got.Plans), len(want.Plans))
	}
	kept := 0
	for _, r := range allRecords(t, d, "one") {
		if payload, err := r.Payload(); payload == nil && err == nil {
			kept++
		}
	}
	if kept != unknown || len(verify(t, d)) > 0 {
		t.Errorf("%d of %d are kept; %v", kept, unknown, verify(t, d))
	}
	mustAppend(t, d, "one", got.Seq, said("goes on"))
	figures(t, "%d of %d records unknown or of a later version: all kept, skipped, chained", unknown, n)
}

// TestFault_19_TheClockJumps: the order is that of the numbers, whatever the
// clock does, and people stay signed in.
func TestFault_19_TheClockJumps(t *testing.T) {
	d := testDB(t)
	r := rand.New(rand.NewPCG(7, 8))
	jumps := many(100, 5000)
	s := begin(t, d, "one")
	begin(t, d, "two")
	for i := range jumps {
		jump := time.Duration(r.IntN(3)-1) * time.Hour
		d.now = func() time.Time { return time.Now().Add(jump) }
		s = mustAppend(t, d, "one", s.Seq, said(fmt.Sprint(i)))
	}
	back := 0
	var before time.Time
	for i, record := range allRecords(t, reopen(t, d), "one") {
		if record.At.Before(before) {
			back++
		}
		before = record.At
		if i == 0 {
			continue
		}
		if payload, err := record.Payload(); err != nil || payload.(planning.UserMessage).Text != fmt.Sprint(i-1) {
			t.Fatalf("at place %d stands %v, %v", i+1, payload, err)
		}
	}
	if back == 0 {
		t.Error("the clock never went back")
	}
	figures(t, "%d jumps of an hour, %d records earlier than the one before: order by number, no leases in the database to harm", jumps, back)
}

// TestFault_07_OldAndNewFoldsAgree: sessions that were recorded with the state
// they had then have it still, and any snapshot with its tail gives the whole.
func TestFault_07_OldAndNewFoldsAgree(t *testing.T) {
	recorded := recordedSessions(t)
	cuts := 0
	for name, session := range recorded {
		whole, err := planning.Fold(planning.State{}, session.Records...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if diff := missing(t, session.State, stored); diff != "" {
			t.Errorf("%s is not what it was: %s", name, diff)
		}
		for at := 1; at < len(session.Records); at += many(7, 1) {
			part, err := planning.Fold(planning.State{}, session.Records[:at]...)
			if err != nil {
				t.Fatal(err)
			}
			snapshot, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			var loaded planning.State
			if err := json.Unmarshal(snapshot, &loaded); err != nil {
				t.Fatal(err)
			}
			if loaded, err = planning.Fold(loaded, session.Records[at:]...); err != nil {
				t.Fatal(err)
			}
			sameState(t, fmt.Sprintf("%s: a snapshot at %d and the rest", name, at), loaded, whole)
			cuts++
		}
	}
	figures(t, "%d recorded sessions folded as then, %d snapshots with their tails equal the whole", len(recorded), cuts)
}
