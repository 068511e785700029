package db

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// dump is all that is derived from the events, as text.
func dump(t testing.TB, d *DB) []string {
	t.Helper()
	var all []string
	for _, sql := range []string{
		"SELECT id || ' ' || seq || ' ' || status || ' ' || updated_at || ' ' || CAST(summary AS TEXT) FROM sessions ORDER BY id",
		"SELECT id || ' ' || session FROM threads ORDER BY id",
	} {
		var rows []string
		if err := d.reader.Raw(sql).Scan(&rows).Error; err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

func TestSessions_ListsFromTheReadModelAlone(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	states := map[string]planning.State{}
	for i := range 5 {
		session := fmt.Sprint("session-", i)
		states[session] = mustAppend(t, d, session, 0, story(session, 5+7*i)...)
	}
	states["session-1"] = mustAppend(t, d, "session-1", states["session-1"].Seq, by(ada, planning.RunPaused{Reason: "lunch"}))
	mustExec(t, d, "DELETE FROM events")
	d.cache.clear()

	list, err := d.Sessions(ctx, "")
	if err != nil || len(list) != 5 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	if list[0].ID != "session-1" {
		t.Errorf("the last changed is not first: %s", list[0].ID)
	}
	for i, sum := range list {
		if diff := cmp.Diff(states[sum.ID].Summary(), sum, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if i > 0 && sum.UpdatedAt.After(list[i-1].UpdatedAt) {
			t.Errorf("%s comes too late", sum.ID)
		}
	}
	paused, err := d.Sessions(ctx, states["session-1"].Status())
	if err != nil || len(paused) == 0 || paused[0].ID != "session-1" {
		t.Errorf("paused: %+v, %v", paused, err)
	}
	if none, err := d.Sessions(ctx, "asleep"); err != nil || len(none) != 0 {
		t.Errorf("of an unknown status: %+v, %v", none, err)
	}
}

func TestThreadSession(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	for _, session := range []string{"one", "two"} {
		mustAppend(t, d, session, 0, story(session, 60)...)
	}
	for thread, want := range map[string]string{"one-thread-1": "one", "two-thread-2": "two"} {
		if got, err := d.ThreadSession(ctx, thread); got != want || err != nil {
			t.Errorf("%s: %q, %v", thread, got, err)
		}
	}
	_, err := d.ThreadSession(ctx, "none")
	wantFault(t, "unknown", err, fault.NotFound, "")
}

func TestRebuild_MakesTheSameReadModelsFromTheEvents(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	for i, n := range []int{1, 30, 250, 1200} {
		session := fmt.Sprint("session-", i)
		mustAppend(t, d, session, 0, story(session, n)...)
	}
	want := dump(t, d)
	if len(want) < 50 {
		t.Fatalf("only %d rows", len(want))
	}
	mustExec(t, d, "UPDATE sessions SET summary = x'7b7d', seq = 1 WHERE id <> 'session-0'")
	mustExec(t, d, "DELETE FROM sessions WHERE id = 'session-0'")
	mustExec(t, d, "DELETE FROM threads WHERE id LIKE '%1'")
	mustExec(t, d, "INSERT INTO sessions VALUES ('ghost', 1, 'planning', 0, x'7b7d')")
	mustExec(t, d, "INSERT INTO threads VALUES ('ghost', 'ghost')")
	mustExec(t, d, "UPDATE snapshots SET state = x'00'")
	if err := d.Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, dump(t, d)); diff != "" {
		t.Error(diff)
	}
	if seq := snapshotSeq(t, d, "session-3"); seq != 1200 {
		t.Errorf("the new snapshot is at %d", seq)
	}
	s := mustState(t, d, "session-3")
	mustAppend(t, d, "session-3", s.Seq, said("and on"))
}

func TestRebuild_NamesTheSessionThatCantBeReadAndMakesTheOthers(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	for _, session := range []string{"bad", "good"} {
		mustAppend(t, d, session, 0, story(session, 40)...)
	}
	want := dump(t, d)
	mustExec(t, d, "UPDATE events SET data = x'00' WHERE session = 'bad' AND seq = 3")
	mustExec(t, d, "UPDATE sessions SET status = 'lost' WHERE id = 'good'")
	err := d.Rebuild(ctx)
	if err == nil || !strings.Contains(err.Error(), "session bad") || strings.Contains(err.Error(), "good") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(want, dump(t, d)); diff != "" {
		t.Error(diff)
	}
}

func TestOpen_RebuildsWhatAnotherFoldHasMade(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 1100)...)
	want := dump(t, d)
	mustExec(t, d, "UPDATE sessions SET status = 'of old', summary = x'7b7d'")
	mustExec(t, d, "UPDATE snapshots SET fold = '0-older', state = x'7b7d'")
	d = reopen(t, d)
	if cmp.Equal(want, dump(t, d)) {
		t.Error("rebuilt without a need")
	}
	mustExec(t, d, "UPDATE meta SET value = '0-older' WHERE key = 'fold'")
	d = reopen(t, d)
	if diff := cmp.Diff(want, dump(t, d)); diff != "" {
		t.Error(diff)
	}
	if seq := snapshotSeq(t, d, "one"); seq != 1100 {
		t.Errorf("snapshot at %d", seq)
	}
}
