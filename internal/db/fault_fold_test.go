package db

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/trial"
)

// TestFault_08_UnknownKindsAndLaterVersions: they are kept, skipped, and part
// of the chain.
func TestFault_08_UnknownKindsAndLaterVersions(t *testing.T) {
	d := testDB(t)
	n := trial.Often(30, 300)
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
	trial.Figures(t, "%d of %d records unknown or of a later version: all kept, skipped, chained", unknown, n)
}

// TestFault_19_TheClockJumps: the order is that of the numbers, whatever the
// clock does, and people stay signed in.
func TestFault_19_TheClockJumps(t *testing.T) {
	d := testDB(t)
	r := rand.New(rand.NewPCG(7, 8))
	jumps := trial.Often(100, 5000)
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
	trial.Figures(t, "%d jumps of an hour, %d records earlier than the one before: order by number, no leases in the database to harm", jumps, back)
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
		for at := 1; at < len(session.Records); at += trial.Often(7, 1) {
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
	trial.Figures(t, "%d recorded sessions folded as then, %d snapshots with their tails equal the whole", len(recorded), cuts)
}
