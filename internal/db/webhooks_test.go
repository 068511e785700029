package db

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/webhook"
)

// places reads the log of all sessions page by page.
func places(t *testing.T, d *DB, after int64, limit int, kinds ...planning.Kind) (list []string, end int64) {
	t.Helper()
	for {
		page, next, err := d.Committed(context.Background(), after, kinds, limit)
		if err != nil {
			t.Fatal(err)
		}
		if next < after || len(page) > limit {
			t.Fatalf("%d records from %d to %d", len(page), after, next)
		}
		for _, c := range page {
			if c.Place <= after || c.Place > next {
				t.Fatalf("a place of %d between %d and %d", c.Place, after, next)
			}
			list = append(list, fmt.Sprintf("%s.%d", c.Session, c.Seq))
		}
		if after = next; len(page) < limit {
			return list, after
		}
	}
}

func TestLog_S1_AllSessionsInTheOrderOfTheCommits(t *testing.T) {
	d := testDB(t)
	if list, end := places(t, d, 0, 10, planning.KindUserMessage); list != nil || end != 0 {
		t.Errorf("an empty log has %v up to %d", list, end)
	}
	var want []string
	for _, session := range []string{"c", "a", "b"} {
		begin(t, d, session)
	}
	for i := range 10 {
		session := string("abc"[i%3])
		s := mustState(t, d, session)
		s = mustAppend(t, d, session, s.Seq, by(ada, planning.RunResumed{}), said("x"))
		want = append(want, fmt.Sprintf("%s.%d", session, s.Seq))
	}
	for _, limit := range []int{1, 2, 10, 11} {
		list, end := places(t, d, 0, limit, planning.KindUserMessage)
		if diff := cmp.Diff(want, list); diff != "" || end != 23 {
			t.Errorf("%d at a time, up to %d: %s", limit, end, diff)
		}
	}
	// Whatever makes the file or the read models anew leaves the places alone.
	mustExec(t, d, "VACUUM")
	if err := d.Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	if list, end := places(t, d, 13, 10, planning.KindUserMessage); strings.Join(list, " ") != strings.Join(want[5:], " ") || end != 23 {
		t.Errorf("after a while: %v up to %d", list, end)
	}
	if list, _ := places(t, d, 0, 2, planning.KindSessionCreated); strings.Join(list, " ") != "c.1 a.1 b.1" {
		t.Errorf("created: %v", list)
	}
}

func TestLog_LastRecordUpToASeq(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	begin(t, d, "a")
	mustAppend(t, d, "a", 1, said("one"), by(ada, planning.RunResumed{}), said("two"))
	for seq, want := range map[int64]int64{2: 2, 3: 2, 4: 4, 99: 4} {
		if r, err := d.LastRecord(ctx, "a", seq, planning.KindUserMessage, planning.KindRunFailed); err != nil || r.Seq != want {
			t.Errorf("up to %d: %d, %v", seq, r.Seq, err)
		}
	}
	_, err := d.LastRecord(ctx, "a", 1, planning.KindUserMessage)
	wantFault(t, "none so early", err, fault.NotFound, "")
	_, err = d.LastRecord(ctx, "b", 9, planning.KindUserMessage)
	wantFault(t, "unknown session", err, fault.NotFound, "")
}

func TestWebhook_ProgressIsKept(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	begin(t, d, "a")
	keep := func(ids ...string) []webhook.Progress {
		t.Helper()
		list, err := d.KeepTargets(ctx, ids)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if diff := cmp.Diff([]webhook.Progress{{Target: "x", Place: 1}, {Target: "y", Place: 1}}, keep("x", "y")); diff != "" {
		t.Error(diff)
	}
	mustAppend(t, d, "a", 1, said("hello"))
	x := webhook.Progress{Target: "x", Place: 2, Failing: time.UnixMicro(1234567).UTC(), GivenUp: 3, Gone: true}
	if err := d.SaveProgress(ctx, x); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	if diff := cmp.Diff([]webhook.Progress{{Target: "y", Place: 1}, {Target: "z", Place: 2}, x}, keep("y", "z", "x")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]webhook.Progress{{Target: "z", Place: 2}}, keep("z")); diff != "" {
		t.Error(diff)
	}
	if all, err := d.Targets(ctx); err != nil || len(all) != 1 || all[0].Target != "z" {
		t.Errorf("%+v, %v", all, err)
	}
	if got := keep(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]webhook.Progress{{Target: "x", Place: 2}}, keep("x")); diff != "" {
		t.Errorf("one that comes again is not new: %s", diff)
	}
}
