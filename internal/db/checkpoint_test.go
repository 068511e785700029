package db

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func walSize(t *testing.T, d *DB) int64 {
	t.Helper()
	info, err := os.Stat(d.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestCheckpoint_TheWALStaysSmallWhileEverybodyWritesAndReads(t *testing.T) {
	d := testDB(t)
	const sessions, rounds = 8, 16
	each(sessions, func(i int) {
		session := fmt.Sprint("session-", i)
		s := begin(t, d, session)
		for range rounds {
			s = mustAppend(t, d, session, s.Seq, said(strings.Repeat("x", 512<<10)))
			if _, err := d.load(t.Context(), session); err != nil {
				t.Error(err)
			}
		}
	})
	// It is behind by what is written while one checkpoint runs.
	if size := walSize(t, d); size > 3*walLimit {
		t.Errorf("%d MB of WAL after writing %d MB", size>>20, sessions*rounds/2)
	}
}

func TestCheckpoint_CopiesAndStartsOver(t *testing.T) {
	d := testDB(t)
	s := begin(t, d, "one")
	for walSize(t, d) < walLimit {
		// Not through the writer's goroutine, which would ask for checkpoints.
		d.grown.Store(0)
		s = mustAppend(t, d, "one", s.Seq, said(strings.Repeat("x", 1<<20)))
	}
	if err := d.checkpoint(); err != nil {
		t.Fatal(err)
	}
	before := walSize(t, d)
	for range 8 {
		d.grown.Store(0)
		s = mustAppend(t, d, "one", s.Seq, said(strings.Repeat("x", 1<<20)))
	}
	if after := walSize(t, d); after > before {
		t.Errorf("the WAL went on growing, from %d to %d bytes", before, after)
	}
	var timeout string
	mustScan(t, d, &timeout, "PRAGMA busy_timeout")
	if timeout != "5000" {
		t.Errorf("the writer now waits %s ms", timeout)
	}
}
