package db

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/trial"
)

// sound is what the sessions of a database are before anything happens to it.
type sound map[string][]planning.Record

// sample makes a database with some sessions, one of them long enough for a
// snapshot, and returns its files as a killed server leaves them.
func sample(t *testing.T) (file, wal []byte, sessions sound) {
	t.Helper()
	d := testDB(t)
	sessions = sound{}
	for i, n := range []int{40, 60, 1030} {
		session := fmt.Sprint("session-", i)
		s := mustAppend(t, d, session, 0, story(session, min(n, 1000))...)
		if n > 1000 {
			for range n - 1000 {
				s = mustAppend(t, d, session, s.Seq, said("tail"))
			}
		}
		if i == 1 { // what comes later is in the WAL only
			if err := d.checkpoint(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 3 {
		session := fmt.Sprint("session-", i)
		sessions[session] = allRecords(t, d, session)
	}
	return mustRead(t, d.path), mustRead(t, d.path+"-wal"), sessions
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// outcome counts what came of harm.
type outcome struct{ refused, readOnly, found, harmless, shorter int }

// TestFault_04_FlippedBitsAndCutFiles: whatever a disk does to the file, a
// session is as it was, or it is known to be damaged and takes nothing more.
func TestFault_04_FlippedBitsAndCutFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	file, wal, sessions := sample(t)
	whole := folded(t, file, wal)
	var in, inWAL outcome
	for n := range trial.Often(120, 3000) {
		harmed := harmed(r, whole, n%10 == 9)
		in.add(t, r, harmed, nil, sessions, false)
	}
	for n := range trial.Often(40, 1000) {
		inWAL.add(t, r, file, harmed(r, wal, n%10 == 9), sessions, true)
	}
	// Damage in the last commit looks like a power loss before its flush.
	if inWAL.refused < inWAL.shorter {
		t.Errorf("damage in the WAL is rarely found: %+v", inWAL)
	}
	trial.Figures(t, "database: %+v; WAL: %+v (shorter: a WAL that is cut, or damaged in its last commit, looks as if the rest had never been flushed)", in, inWAL)
}

// folded is the database with its WAL in it.
func folded(t *testing.T, file, wal []byte) []byte {
	t.Helper()
	path := place(t, file, wal)
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	return mustRead(t, path)
}

func place(t *testing.T, file, wal []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "countersign.db")
	err := os.WriteFile(path, file, 0o600)
	if err == nil && wal != nil {
		err = os.WriteFile(path+"-wal", wal, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// harmed flips a bit, or cuts the end off.
func harmed(r *rand.Rand, b []byte, cut bool) []byte {
	b = bytes.Clone(b)
	at := r.IntN(len(b))
	if cut {
		return b[:at]
	}
	b[at] ^= 1 << r.IntN(8)
	return b
}

// add opens what is left and counts what came of it.
func (o *outcome) add(t *testing.T, r *rand.Rand, file, wal []byte, sessions sound, mayEndEarly bool) {
	t.Helper()
	d, err := openQuietly(place(t, file, wal))
	if err != nil {
		if _, ok := fault.As(err); !ok {
			t.Errorf("refused without a sentence: %v", err)
		}
		o.refused++
		return
	}
	defer d.Close()
	d.patrol()
	readOnly, shorter := 0, 0
	for session, records := range sessions {
		s, err := d.State(context.Background(), session)
		if mayEndEarly && fault.Is(err, fault.NotFound) {
			shorter = 1
			continue
		}
		if err != nil || s.Damage != nil {
			readOnly++
			if _, err := d.Append(context.Background(), session, max(s.Seq, 1), said("more")); err == nil {
				t.Errorf("%s is damaged and takes more", session)
			}
			continue
		}
		if mayEndEarly && s.Seq < int64(len(records)) {
			records, shorter = records[:s.Seq], 1
		}
		if !sameLog(t, d, s, records) {
			t.Errorf("%s is not what was written, and nothing was noticed", session)
		}
	}
	found := 0
	if _, err := d.Verify(context.Background(), func(Finding) { found++ }); err != nil {
		found++
	}
	switch {
	case readOnly > 0:
		if o.readOnly++; found == 0 {
			t.Error("verify finds nothing")
		}
	case found > 0:
		o.found++
	case shorter > 0:
		o.shorter++
	default:
		o.harmless++
	}
}

// sameLog compares a session with what was written.
func sameLog(t *testing.T, d *DB, s planning.State, want []planning.Record) bool {
	t.Helper()
	var got []planning.Record
	for {
		page, err := d.Records(context.Background(), s.ID, int64(len(got)), 0)
		if err != nil || len(page) == 0 {
			break
		}
		got = append(got, page...)
	}
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(a, b) && s.Seq == int64(len(want))
}
