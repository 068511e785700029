package db

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// listener notes what OnCommit hears.
type listener struct {
	mu   sync.Mutex
	seqs map[string][]int64
}

func listen(d *DB) *listener {
	l := &listener{seqs: map[string][]int64{}}
	d.SetOnCommit(func(s planning.State, records []planning.Record) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, r := range records {
			l.seqs[r.Session] = append(l.seqs[r.Session], r.Seq)
		}
		if s.Seq != records[len(records)-1].Seq {
			l.seqs["a state that is not the records'"] = []int64{s.Seq}
		}
	})
	return l
}

func (l *listener) heard(session string) []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int64(nil), l.seqs[session]...)
}

func TestOnCommit_HearsEverythingInOrderBeforeTheAppender(t *testing.T) {
	d := testDB(t)
	l := listen(d)
	const sessions, appends = 24, 20
	each(sessions, func(i int) {
		session := fmt.Sprint("session-", i)
		s := begin(t, d, session)
		for range appends {
			s = mustAppend(t, d, session, s.Seq, said("a"), said("b"))
			if heard := l.heard(session); len(heard) == 0 || heard[len(heard)-1] != s.Seq {
				t.Errorf("%s stands at %d, heard %v", session, s.Seq, heard)
				return
			}
		}
	})
	for i := range sessions {
		for at, seq := range l.heard(fmt.Sprint("session-", i)) {
			if seq != int64(at+1) {
				t.Fatalf("session %d: at place %d came %d", i, at, seq)
			}
		}
	}
	if len(l.seqs) != sessions {
		t.Errorf("heard of %d sessions", len(l.seqs))
	}
}

// failing is a way to make the next commits fail.
var failing = map[string]func(*testing.T, *DB){
	"disk full": func(t *testing.T, d *DB) {
		var pages int
		mustScan(t, d, &pages, "PRAGMA page_count")
		mustExec(t, d, fmt.Sprintf("PRAGMA max_page_count = %d", pages+2))
	},
	"can't be written": func(t *testing.T, d *DB) { mustExec(t, d, "PRAGMA query_only = ON") },
}

func mustExec(t testing.TB, d *DB, sql string, args ...any) {
	t.Helper()
	if err := d.writer.Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

func mustScan(t testing.TB, d *DB, into any, sql string) {
	t.Helper()
	if err := d.writer.Raw(sql).Scan(into).Error; err != nil {
		t.Fatal(err)
	}
}

func TestFailedCommit_FailsItsAppendsAndNothingElse(t *testing.T) {
	for name, fail := range failing {
		t.Run(name, func(t *testing.T) {
			d := testDB(t)
			before := map[string]planning.State{}
			for i := range 8 {
				session := fmt.Sprint("session-", i)
				before[session] = begin(t, d, session)
			}
			l := listen(d)
			fail(t, d)
			checkFailure(t, d, before)
			if len(l.seqs) != 0 {
				t.Errorf("published all the same: %v", l.seqs)
			}
			// It goes on without a restart.
			for session, s := range before {
				mustAppend(t, d, session, s.Seq, said("again"))
			}
			d = reopen(t, d)
			for session, s := range before {
				if got := mustState(t, d, session); got.Seq != s.Seq+1 {
					t.Errorf("%s stands at %d", session, got.Seq)
				}
			}
		})
	}
}

// checkFailure has every session append at once, in one transaction, which
// must fail and leave all as it was.
func checkFailure(t *testing.T, d *DB, before map[string]planning.State) {
	t.Helper()
	var batch []*job
	for session, s := range before {
		p, err := d.workOut(context.Background(), session, s.Seq, []planning.Event{said(strings.Repeat("x", 20_000))})
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, appendJob(d, p))
	}
	d.commit(batch)
	for _, j := range batch {
		if err := d.fail(<-j.answer, "append"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("answer: %v", err)
		}
	}
	for session, s := range before {
		sameState(t, "after the failure", mustState(t, d, session), s)
		if n := len(allRecords(t, d, session)); n != 1 {
			t.Errorf("%d records of %s", n, session)
		}
	}
}

// appendJob is what Append hands to the writer.
func appendJob(d *DB, p *pending) *job {
	return &job{
		ctx: context.Background(), answer: make(chan error, 1),
		run: p.write, publish: func() { d.publish(p) }, undone: func() { d.cache.drop(p.session) },
	}
}

// An append that SQLite refuses in the middle takes nobody with it that shares
// its transaction.
func TestCommit_OneBadAppendDoesNotHurtItsNeighbours(t *testing.T) {
	d := testDB(t)
	begin(t, d, "first")
	mustAppend(t, d, "first", 1, by(ada, planning.ThreadOpened{Thread: "taken", Body: "x"}))
	l := listen(d)
	var batch []*job
	for i, thread := range []string{"a", "taken", "b"} {
		p, err := d.workOut(context.Background(), fmt.Sprint("session-", i), 0, []planning.Event{created, by(ada, planning.ThreadOpened{Thread: thread, Body: "x"})})
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, appendJob(d, p))
	}
	d.commit(batch)
	for i, j := range batch {
		if err := <-j.answer; (err != nil) != (i == 1) {
			t.Errorf("append %d: %v", i, err)
		}
	}
	if _, err := d.State(context.Background(), "session-1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the bad one left something: %v", err)
	}
	for _, session := range []string{"session-0", "session-2"} {
		if got := l.heard(session); len(got) != 2 {
			t.Errorf("%s: heard %v", session, got)
		}
		if got := mustState(t, d, session); got.Seq != 2 {
			t.Errorf("%s stands at %d", session, got.Seq)
		}
	}
}

func TestClose_LetsWaitingAppendsFinishAndRefusesNewOnes(t *testing.T) {
	d := testDB(t)
	const appenders = 64
	var acknowledged [appenders]int64
	started := make(chan struct{}, appenders)
	var wg sync.WaitGroup
	for i := range appenders {
		wg.Go(func() {
			session := fmt.Sprint("session-", i)
			s, err := d.Append(context.Background(), session, 0, created)
			started <- struct{}{}
			for err == nil {
				acknowledged[i] = s.Seq
				s, err = d.Append(context.Background(), session, s.Seq, said("x"))
			}
			if !fault.Is(err, fault.Unavailable) {
				t.Error(err)
			}
		})
	}
	for range appenders {
		<-started
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if _, err := d.State(context.Background(), "session-0"); err != nil && !fault.Is(err, fault.Unavailable) {
		t.Errorf("State after Close: %v", err)
	}
	if err := d.Ping(context.Background()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Ping after Close: %v", err)
	}
	again := openAt(t, d.path)
	for i, seq := range acknowledged {
		if s := mustState(t, again, fmt.Sprint("session-", i)); s.Seq != seq {
			t.Errorf("session %d: acknowledged %d, stored %d", i, seq, s.Seq)
		}
	}
}

func TestCache_IsBoundedAndNeverBehindTheLog(t *testing.T) {
	d := testDB(t)
	const sessions = cacheSize + 50
	each(sessions, func(i int) { begin(t, d, fmt.Sprint("session-", i)) })
	if n := d.cache.entries.Len(); n > cacheSize {
		t.Errorf("%d states in the cache", n)
	}
	each(sessions, func(i int) {
		session := fmt.Sprint("session-", i)
		s := mustAppend(t, d, session, mustState(t, d, session).Seq, said("x"))
		sameState(t, session, mustState(t, d, session), s)
	})

	// What was loaded before a commit does not come in after it.
	d.cache.clear()
	old, err := d.load(context.Background(), "session-1")
	if err != nil {
		t.Fatal(err)
	}
	_, mark, _ := d.cache.get("session-1")
	s := mustAppend(t, d, "session-1", old.state.Seq, said("newer"))
	d.cache.offer("session-1", old, mark)
	sameState(t, "after a late offer", mustState(t, d, "session-1"), s)
}

func TestLog_S6_RecordOfALaterVersionIsKeptAndSkipped(t *testing.T) {
	d := testDB(t)
	begin(t, d, "one")
	want := mustAppend(t, d, "one", 1, said("task"))
	s := mustAppend(t, d, "one", 2, by(ada, planning.TodoWritten{Items: []planning.Todo{{ID: "t1"}}}))
	rechain(t, d, "one", 3, func(r *planning.Record) { r.Version, r.Data = 99, []byte(`["of another shape"]`) })
	want.Seq, want.UpdatedAt = s.Seq, s.UpdatedAt
	sameState(t, "a later version moves nothing but the seq", mustState(t, d, "one"), want)
	if r := allRecords(t, d, "one")[2]; r.Version != 99 || string(r.Data) != `["of another shape"]` {
		t.Errorf("kept as %+v", r)
	}
}
