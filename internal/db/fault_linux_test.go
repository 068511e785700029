package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/trial"

	lib "modernc.org/sqlite/lib"
)

// TestFault_02_PowerLoss: what was acknowledged is there when the power is
// back, whatever the disk made of the writes that had not been flushed.
func TestFault_02_PowerLoss(t *testing.T) {
	const fresh = 25 // rounds on one database
	r := rand.New(rand.NewPCG(1, 2))
	acknowledged := map[string]int64{}
	var total, dir = 0, ""
	rounds := trial.Often(60, 1000)
	for round := range rounds {
		if round%fresh == 0 {
			dir, acknowledged = t.TempDir(), map[string]int64{}
		}
		d := newDisk(dir)
		d.left = 1 + r.IntN(120)
		if r.IntN(8) == 0 {
			d.left = r.IntN(1000) // far enough for a checkpoint and for the end
		}
		total += loseWhileWriting(filepath.Join(dir, "countersign.db"), d, acknowledged)
		next := t.TempDir()
		if err := d.crash(r, next); err != nil {
			t.Fatal(err)
		}
		disks.Delete(dir)
		if dir = next; !survived(t, dir, acknowledged) {
			t.Fatalf("round %d", round)
		}
	}
	trial.Figures(t, "%d power losses, %d acknowledged appends, 0 lost, 0 gaps", rounds, total)
}

// loseWhileWriting appends to four sessions at once until the power goes, and
// notes what was acknowledged.
func loseWhileWriting(path string, disk *disk, acknowledged map[string]int64) int {
	d, err := openQuietly(path)
	if err != nil {
		return 0 // the power went while it was opened
	}
	type ack struct {
		session string
		seq     int64
	}
	acks := make(chan ack)
	for w := range 4 {
		go func() {
			session := fmt.Sprint("session-", w)
			s, err := d.State(context.Background(), session)
			if err != nil {
				s, err = d.Append(context.Background(), session, 0, created)
			}
			for n := 0; err == nil; n++ {
				acks <- ack{session, s.Seq}
				if n%10 == w {
					_ = d.checkpoint()
				}
				if n == 100 { // the power has not gone; it goes now
					disk.mu.Lock()
					disk.off = true
					disk.mu.Unlock()
				}
				s, err = d.Append(context.Background(), session, s.Seq, said(fmt.Sprint(session, s.Seq)))
			}
			acks <- ack{}
		}()
	}
	total := 0
	for ended := 0; ended < 4; {
		a := <-acks
		if a.session == "" {
			ended++
			continue
		}
		total++
		acknowledged[a.session] = a.seq
	}
	_ = d.Close() // its last checkpoint finds no power either
	return total
}

// survived checks what is on the disk against what was acknowledged.
func survived(t *testing.T, dir string, acknowledged map[string]int64) bool {
	t.Helper()
	d, err := openQuietly(filepath.Join(dir, "countersign.db"))
	if err != nil {
		t.Error(err)
		return false
	}
	defer d.Close()
	if found := verify(t, d); len(found) > 0 {
		t.Error(found)
	}
	for session, seq := range acknowledged {
		s, err := d.State(context.Background(), session)
		if err != nil || s.Seq < seq {
			t.Errorf("%s: %d was acknowledged, there are %d, %v", session, seq, s.Seq, err)
		}
		for i, r := range allRecords(t, d, session) {
			if r.Seq != int64(i+1) {
				t.Errorf("%s: a gap before %d", session, r.Seq)
			}
		}
		acknowledged[session] = max(s.Seq, seq) // what was not acknowledged may be there as well
	}
	return !t.Failed()
}

// TestFault_03_NoRoomAndIOErrors: each write of a session is refused once, in
// each way. The append says so, nothing else breaks, and it goes on by itself.
func TestFault_03_NoRoomAndIOErrors(t *testing.T) {
	dir := t.TempDir()
	disk := newDisk(dir)
	d, err := openQuietly(filepath.Join(dir, "countersign.db"))
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, d, "one")
	refusals, words := 0, map[string]bool{}
	for n := range trial.Often(25, 400) {
		for _, code := range []int32{lib.SQLITE_FULL, lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_FSYNC, lib.SQLITE_READONLY} {
			left := n
			disk.mu.Lock()
			disk.refuse = func(string) int32 {
				if left--; left >= 0 {
					return 0
				}
				return code
			}
			disk.mu.Unlock()
			s = refusedOnce(t, d, s, words)
			refusals++
			disk.mu.Lock()
			disk.refuse = nil
			disk.mu.Unlock()
			s = mustAppend(t, d, "one", s.Seq, said("room again"))
		}
	}
	if len(words) < 3 {
		t.Errorf("the sentences are %v", words)
	}
	if d = reopen(t, d); int64(len(allRecords(t, d, "one"))) != s.Seq || len(verify(t, d)) > 0 {
		t.Errorf("%d records, want %d; %v", len(allRecords(t, d, "one")), s.Seq, verify(t, d))
	}
	trial.Figures(t, "%d refused writes, every append refused with a sentence, 0 lost, goes on by itself", refusals)
}

// refusedOnce appends until the disk refuses, and checks how.
func refusedOnce(t *testing.T, d *DB, s planning.State, words map[string]bool) planning.State {
	t.Helper()
	for range 1000 {
		next, err := d.Append(t.Context(), "one", s.Seq, said(strings.Repeat("x", 3000)))
		if err == nil {
			s = next
			if s.Seq%7 == 0 {
				_ = d.checkpoint()
			}
			continue
		}
		f, ok := fault.As(err)
		if !ok || f.Code != fault.Unavailable {
			t.Fatalf("refused with %v", err)
		}
		words[f.Message] = true
		if got := mustState(t, d, "one"); got.Seq != s.Seq {
			t.Fatalf("reads %d of %d", got.Seq, s.Seq)
		}
		return s
	}
	t.Fatal("nothing was refused")
	return s
}
