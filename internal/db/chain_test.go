package db

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// rechain writes a record of the log's end anew, with the link that belongs to
// it: what a later version would have written.
func rechain(t *testing.T, d *DB, session string, seq int64, change func(*planning.Record)) {
	t.Helper()
	all := allRecords(t, d, session)
	var before planning.Sum
	if seq > 1 {
		before = all[seq-2].Sum
	}
	r := all[seq-1]
	change(&r)
	r.Sum = r.Link(before)
	mustExec(t, d, "UPDATE events SET kind = ?, version = ?, data = ?, sum = ? WHERE session = ? AND seq = ?",
		string(r.Kind), r.Version, []byte(r.Data), r.Sum[:], session, seq)
	d.cache.clear()
}

// verify returns what is wrong, in the words of the command.
func verify(t *testing.T, d *DB) (list []string) {
	t.Helper()
	_, err := d.Verify(t.Context(), func(f Finding) { list = append(list, f.Session+": "+f.What) })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// harms is what can happen to a log of 40 records whose snapshots don't matter,
// and what is found: the first record that is not as it was written.
var harms = []struct {
	name, sql string
	want      planning.Damage
}{
	{"a changed payload", "UPDATE events SET data = CAST(replace(data, 'rename', 'remove') AS BLOB) WHERE session = 'one' AND seq = 2", planning.Damage{Seq: 2, Flaw: planning.FlawChanged}},
	{"a payload that is no JSON", "UPDATE events SET data = x'00' WHERE session = 'one' AND seq = 7", planning.Damage{Seq: 7, Flaw: planning.FlawChanged}},
	{"a changed author", "UPDATE events SET actor_name = 'Eve' WHERE session = 'one' AND seq = 9", planning.Damage{Seq: 9, Flaw: planning.FlawChanged}},
	{"a changed author's id", "UPDATE events SET actor_id = 'eve' WHERE session = 'one' AND seq = 9", planning.Damage{Seq: 9, Flaw: planning.FlawChanged}},
	{"a changed sort of author", "UPDATE events SET actor_kind = 'person' WHERE session = 'one' AND seq = 4", planning.Damage{Seq: 4, Flaw: planning.FlawChanged}},
	{"a changed time", "UPDATE events SET at = at + 1 WHERE session = 'one' AND seq = 40", planning.Damage{Seq: 40, Flaw: planning.FlawChanged}},
	{"a changed kind", "UPDATE events SET kind = 'user.shouted' WHERE session = 'one' AND seq = 2", planning.Damage{Seq: 2, Flaw: planning.FlawChanged}},
	{"a changed version", "UPDATE events SET version = 2 WHERE session = 'one' AND seq = 2", planning.Damage{Seq: 2, Flaw: planning.FlawChanged}},
	{"a changed link", "UPDATE events SET sum = zeroblob(32) WHERE session = 'one' AND seq = 12", planning.Damage{Seq: 12, Flaw: planning.FlawChanged}},
	{"a link cut short", "UPDATE events SET sum = substr(sum, 1, 31) WHERE session = 'one' AND seq = 12", planning.Damage{Seq: 12, Flaw: planning.FlawChanged}},
	{"a removed record", "DELETE FROM events WHERE session = 'one' AND seq = 20", planning.Damage{Seq: 20, Flaw: planning.FlawMissing}},
	{"the first removed", "DELETE FROM events WHERE session = 'one' AND seq = 1", planning.Damage{Seq: 1, Flaw: planning.FlawMissing}},
	{"the last removed", "DELETE FROM events WHERE session = 'one' AND seq = 40", planning.Damage{Seq: 40, Flaw: planning.FlawMissing}},
	{"all removed", "DELETE FROM events WHERE session = 'one'", planning.Damage{Seq: 1, Flaw: planning.FlawMissing}},
	{"two swapped", "UPDATE events SET seq = CASE seq WHEN 10 THEN 1000 ELSE 10 END WHERE session = 'one' AND seq IN (10, 11); UPDATE events SET seq = 11 WHERE seq = 1000", planning.Damage{Seq: 10, Flaw: planning.FlawChanged}},
	{"one from another session", "DELETE FROM events WHERE session = 'one' AND seq = 5; UPDATE events SET session = 'one', seq = 5 WHERE session = 'spare' AND seq = 5", planning.Damage{Seq: 5, Flaw: planning.FlawChanged}},
	{"one put in", "UPDATE events SET seq = seq + 1000 WHERE session = 'one' AND seq > 10; UPDATE events SET seq = seq - 999 WHERE session = 'one' AND seq > 1000; INSERT INTO events SELECT session, 11, kind, version, at, actor_kind, actor_id, actor_name, data, sum FROM events WHERE session = 'one' AND seq = 10", planning.Damage{Seq: 11, Flaw: planning.FlawChanged}},
}

func TestChain_S1_WhateverIsDoneToARecordIsFound(t *testing.T) {
	for _, harm := range harms {
		t.Run(harm.name, func(t *testing.T) {
			d := testDB(t)
			for _, session := range []string{"one", "spare", "well"} {
				mustAppend(t, d, session, 0, story(session, 40)...)
			}
			if found := verify(t, d); len(found) > 0 {
				t.Fatalf("before anything happened: %v", found)
			}
			mustExec(t, d, harm.sql)
			d = reopen(t, d)
			if found := verify(t, d); len(found) == 0 || found[0] != "one: "+harm.want.Error() {
				t.Errorf("found %v, want %v", found, harm.want)
			}
			readOnly(t, d, harm.want)
			mustAppend(t, d, "well", 40, said("goes on"))
		})
	}
}

// readOnly checks what is left of a damaged session: what comes before the
// damage, and nothing is added.
func readOnly(t *testing.T, d *DB, want planning.Damage) {
	t.Helper()
	ctx := context.Background()
	s, err := d.State(ctx, "one")
	if want.Seq == 1 {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("nothing is left to show, but %v", err)
		}
	} else if err != nil || s.Seq != want.Seq-1 || s.Damage == nil || *s.Damage != want || s.Runnable() {
		t.Errorf("state at %d, damage %v, runnable %v, %v", s.Seq, s.Damage, s.Runnable(), err)
	}
	if _, err := d.Append(ctx, "one", max(s.Seq, 1), said("more")); err == nil {
		t.Error("a damaged session takes more")
	} else if want.Seq > 1 && !fault.Is(err, fault.Forbidden) {
		t.Errorf("refused with %v", err)
	}
	if got := allRecords(t, d, "one"); int64(len(got)) != want.Seq-1 {
		t.Errorf("%d records before the damage at %d", len(got), want.Seq)
	}
}

func TestChain_ReadingAnyPageOfADamagedLogMarksIt(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 40)...)
	mustExec(t, d, "UPDATE events SET actor_id = 'eve' WHERE seq = 20")
	// The state in memory is of before; a page that holds the record finds it.
	page, err := d.Records(t.Context(), "one", 18, 10)
	if err != nil || len(page) != 1 {
		t.Fatalf("%d records, %v", len(page), err)
	}
	if s := mustState(t, d, "one"); s.Damage == nil || s.Damage.Seq != 20 {
		t.Errorf("damage %v", s.Damage)
	}
	if _, err := d.Append(t.Context(), "one", 40, said("more")); !fault.Is(err, fault.Forbidden) {
		t.Errorf("append: %v", err)
	}
}

// What lies before a snapshot is not read when the session is opened, but by
// the check after the start.
// Whoever listens hears of a damaged session once, when readers know of it.
func TestChain_S1_DamageIsToldOnceAndListed(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", begin(t, d, "one").Seq, repeat(kilobyte, 3)...)
	begin(t, d, "well")
	var told []string
	d.SetOnDamage(func(session string, damage planning.Damage) {
		list, err := d.Sessions(t.Context(), "")
		for _, s := range list {
			if err == nil && (s.Damage != nil) == (s.ID == session) {
				told = append(told, s.ID+": "+damage.Error())
			}
		}
	})
	mustExec(t, d, "UPDATE events SET actor_name = 'Eve' WHERE session = 'one' AND seq = 2")
	d.cache.clear()
	for range 3 {
		mustState(t, d, "one")
		allRecords(t, d, "one")
	}
	want := []string{"well: entry 2 was changed after it was written", "one: entry 2 was changed after it was written"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

func TestChain_DamageBelowASnapshotIsFoundAfterTheStart(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 1000)...)
	mustAppend(t, d, "one", 1000, said("tail"))
	mustExec(t, d, "UPDATE events SET at = 1 WHERE seq = 500")
	d = reopen(t, d)
	d.patrol() // what goes on beside the test, to its end
	s := mustState(t, d, "one")
	if s.Seq != 1001 || s.Damage == nil || *s.Damage != (planning.Damage{Seq: 500, Flaw: planning.FlawChanged}) {
		t.Errorf("at %d: %v", s.Seq, s.Damage)
	}
}

func TestChain_RebuildLeavesADamagedSessionAsItWas(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 40)...)
	mustAppend(t, d, "well", 0, story("well", 40)...)
	mustExec(t, d, "DELETE FROM events WHERE session = 'one' AND seq > 38")
	if err := d.Rebuild(t.Context()); err == nil {
		t.Error("nothing is wrong")
	}
	if found := verify(t, d); !cmp.Equal(found, []string{"one: entry 39 is missing"}) {
		t.Errorf("found %v", found)
	}
	mustAppend(t, d, "well", 40, said("goes on"))
}

func TestChain_ASnapshotThatIsNotAsItWasWrittenIsFoundAndNotUsed(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 1000)...)
	want := mustAppend(t, d, "one", 1000, said("tail"))
	mustExec(t, d, "UPDATE snapshots SET state = CAST(replace(state, 'Rename', 'Remove') AS BLOB)") // JSON still
	d = reopen(t, d)
	sameState(t, "past the snapshot", mustState(t, d, "one"), want)
	if found := verify(t, d); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if err := d.Rebuild(t.Context()); err != nil || len(verify(t, d)) > 0 {
		t.Errorf("after rebuilding: %v, %v", err, verify(t, d))
	}
}

func TestVerify_BesideARunningServer(t *testing.T) {
	d := testDB(t)
	for i := range 5 {
		session := fmt.Sprint("session-", i)
		mustAppend(t, d, session, 0, story(session, 30)...)
	}
	beside, err := Open(t.Context(), Options{Path: d.path, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	n, err := beside.Verify(t.Context(), func(f Finding) { t.Error(f) })
	if err != nil || n != (Checked{5, 150}) {
		t.Errorf("%+v, %v", n, err)
	}
}
