package db

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/planning"
)

// records makes the records of a story without a database.
func records(t testing.TB, session string, n int) []planning.Record {
	t.Helper()
	list := make([]planning.Record, n)
	for i, e := range story(session, n) {
		r, err := planning.NewRecord(session, int64(i+1), testTime, e)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = r
	}
	return list
}

// At every prefix of a log, the state that went through a snapshot is the
// state, and goes on to the next one in the same way. So by induction a
// snapshot taken anywhere, with any tail, is the fold.
func TestSnapshot_S1_AnyPrefixAsSnapshotWithItsTailIsTheFold(t *testing.T) {
	var s planning.State
	for _, r := range records(t, "one", 150) {
		stored, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var loaded planning.State
		if err := json.Unmarshal(stored, &loaded); err != nil {
			t.Fatal(err)
		}
		sameState(t, fmt.Sprintf("snapshot at %d", s.Seq), loaded, s)
		next, err := s.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		after, err := loaded.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		sameState(t, fmt.Sprintf("snapshot at %d and one record", s.Seq), after, next)
		s = next
	}
}

// snapshotSeq returns where the stored snapshot stands, 0 for none.
func snapshotSeq(t testing.TB, d *DB, session string) int64 {
	t.Helper()
	var seq int64
	if err := d.reader.Raw("SELECT coalesce(max(seq), 0) FROM snapshots WHERE session = ?", session).Scan(&seq).Error; err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestSnapshot_S1_LoadedAtAnyHeightIsTheFold(t *testing.T) {
	d := testDB(t)
	all := story("one", 2300)
	var folded planning.State
	height := 0
	for _, next := range []int{1, 2, 998, 999, 1000, 1001, 1500, 1998, 2001, 2300} {
		mustAppend(t, d, "one", int64(height), all[height:next]...)
		height = next
		var err error
		if folded, err = planning.Fold(folded, mustRecords(t, d, "one", folded.Seq)...); err != nil {
			t.Fatal(err)
		}
		d.cache.clear()
		sameState(t, fmt.Sprintf("loaded at %d", height), mustState(t, d, "one"), folded)
		e, err := d.entry(context.Background(), "one")
		if err != nil {
			t.Fatal(err)
		}
		if e.snapshot != snapshotSeq(t, d, "one") || e.state.Seq-e.snapshot >= snapshotEvents {
			t.Errorf("at %d the snapshot in use is at %d", height, e.snapshot)
		}
	}
}

func mustRecords(t testing.TB, d *DB, session string, after int64) []planning.Record {
	t.Helper()
	var list []planning.Record
	for {
		page, err := d.Records(context.Background(), session, after, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return list
		}
		list, after = append(list, page...), page[len(page)-1].Seq
	}
}

func TestSnapshot_LoadingDoesNotGrowWithTheLog(t *testing.T) {
	d := testDB(t)
	s := begin(t, d, "many")
	for range 12 {
		s = mustAppend(t, d, "many", s.Seq, repeat(said("x"), 450)...)
	}
	large := begin(t, d, "large")
	for range 20 {
		large = mustAppend(t, d, "large", large.Seq, said(strings.Repeat("x", 200<<10)))
	}
	d = reopen(t, d)
	for _, session := range []string{"many", "large"} {
		e, err := d.load(context.Background(), session)
		if err != nil {
			t.Fatal(err)
		}
		if read := e.state.Seq - e.snapshot; read >= snapshotEvents || e.tail > snapshotBytes {
			t.Errorf("%s: read %d events, %d bytes", session, read, e.tail)
		}
	}
}

func repeat(e planning.Event, n int) []planning.Event {
	list := make([]planning.Event, n)
	for i := range list {
		list[i] = e
	}
	return list
}

func TestSnapshot_UnreadableOneIsIgnored(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 1000)...)
	want := mustAppend(t, d, "one", 1000, said("tail"))
	if seq := snapshotSeq(t, d, "one"); seq != 1000 {
		t.Fatalf("snapshot at %d", seq)
	}
	early, err := planning.Fold(planning.State{}, records(t, "one", 10)...)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := json.Marshal(early)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []struct {
		name, sql string
		args      []any
	}{
		{"not JSON", "UPDATE snapshots SET state = ?", []any{[]byte(`{"id":"one","seq":1000,`)}},
		{"empty", "UPDATE snapshots SET state = ?", []any{[]byte{}}},
		{"of another seq", "UPDATE snapshots SET state = ?", []any{wrong}},
		{"ahead of the log", "UPDATE snapshots SET seq = 5000, state = ?", []any{[]byte(`{"id":"one","seq":5000}`)}},
		{"of another fold", "UPDATE snapshots SET fold = 'later', state = ?", []any{[]byte(`{"id":"one","seq":1000}`)}},
	} {
		if err := d.writer.Exec(damage.sql, damage.args...).Error; err != nil {
			t.Fatal(err)
		}
		d.cache.clear()
		sameState(t, damage.name, mustState(t, d, "one"), want)
	}
}

func TestSnapshot_FoldIDFollowsTheShapeOfTheState(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	base := shape(reflect.TypeFor[struct{ X []inner }]())
	for name, other := range map[string]reflect.Type{
		"field added":   reflect.TypeFor[struct{ X, Y []inner }](),
		"name changed":  reflect.TypeFor[struct{ Z []inner }](),
		"inner changed": reflect.TypeFor[struct{ X []struct{ A int } }](),
		"kind changed":  reflect.TypeFor[struct{ X map[string]inner }](),
	} {
		if shape(other) == base {
			t.Errorf("%s: same shape %s", name, base)
		}
	}
}
