package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
)

// What a backup holds is the database at one moment, whatever is written
// meanwhile: each session is whole, and none is behind what was acknowledged
// before the backup began.
func TestBackup_UnderWritesIsTheDatabaseAtOneMoment(t *testing.T) {
	d := testDB(t)
	const sessions = 8
	for i := range sessions {
		begin(t, d, fmt.Sprint("session-", i))
	}
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan int64)
	for i := range sessions {
		go func() {
			session := fmt.Sprint("session-", i)
			seq := int64(1)
			for ctx.Err() == nil {
				s, err := d.Append(context.Background(), session, seq, said(strings.Repeat("x", 2000)))
				if err != nil {
					t.Error(err)
					break
				}
				seq = s.Seq
			}
			written <- seq
		}()
	}
	for n := range 5 {
		before := map[string]int64{}
		for i := range sessions {
			session := fmt.Sprint("session-", i)
			before[session] = mustState(t, d, session).Seq
		}
		file := filepath.Join(t.TempDir(), fmt.Sprint(n))
		if _, err := d.Backup(t.Context(), file, BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		b := openAt(t, file)
		for session, seq := range before {
			if got := mustState(t, b, session).Seq; got < seq {
				t.Errorf("%s: %d in the backup, %d were acknowledged before", session, got, seq)
			}
		}
	}
	stop()
	var total int64
	for range sessions {
		total += <-written
	}
	if total <= sessions {
		t.Error("nothing was written meanwhile")
	}
}

// Rowids are what webhooks remember their place by.
func TestBackup_KeepsRowids(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 20)...)
	mustAppend(t, d, "two", 0, story("two", 20)...)
	mustExec(t, d, "UPDATE events SET rowid = rowid + 1000 WHERE session = 'two'")
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := d.Backup(t.Context(), file, BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dump(t, d), dump(t, openAt(t, file))); diff != "" {
		t.Error(diff)
	}
	var first int64
	mustScan(t, openAt(t, copyOf(t, file)), &first, "SELECT min(rowid) FROM events WHERE session = 'two'")
	if first != 1021 {
		t.Errorf("rowid %d", first)
	}
}

func copyOf(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBackup_IsOneFileOrNone(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 40)...)
	mustExec(t, d, "UPDATE events SET at = 1 WHERE seq = 7")
	dir := t.TempDir()
	file := filepath.Join(dir, "backup")
	var found []string
	o := BackupOptions{Found: func(f Finding) { found = append(found, f.String()) }}
	if _, err := d.Backup(t.Context(), file, o); !fault.Is(err, fault.Invalid) || len(found) != 1 {
		t.Errorf("of a damaged database: %v, %v", err, found)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	o.Damaged = true
	if _, err := d.Backup(t.Context(), file, o); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	target := filepath.Join(t.TempDir(), "countersign.db")
	if _, _, err := Restore(t.Context(), target, file, BackupOptions{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("restored: %v", err)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("it was put in place")
	}
	if _, _, err := Restore(t.Context(), target, file, BackupOptions{Damaged: true}); err != nil {
		t.Error(err)
	}
}

func TestRestore_RefusesWhatIsNoBackup(t *testing.T) {
	d := testDB(t)
	want := mustAppend(t, d, "one", 0, story("one", 40)...)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, make := range map[string]func(string) error{
		"none":   func(string) error { return nil },
		"text":   func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("text\n", 999)), 0o600) },
		"empty":  func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"cut":    func(p string) error { return cut(d.path, p) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"other":  func(p string) error { rawSQL(t, p, "CREATE TABLE notes (x)"); return nil },
		"newer": func(p string) error {
			rawSQL(t, p, "PRAGMA application_id = 1131696999", "CREATE TABLE goose_db_version (version_id)", "INSERT INTO goose_db_version VALUES (999)")
			return nil
		},
	} {
		file := filepath.Join(dir, name)
		if err := make(file); err != nil {
			t.Fatal(err)
		}
		_, _, err := Restore(t.Context(), d.path, file, BackupOptions{})
		if f, ok := fault.As(err); !ok || !strings.Contains(f.Message, ".") {
			t.Errorf("%s: %v", name, err)
		}
	}
	d = openAt(t, d.path)
	sameState(t, "what was there", mustState(t, d, "one"), want)
	if list, err := filepath.Glob(d.path + ".*"); err != nil || len(list) != 1 { // the lock
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// cut copies the first half of a file.
func cut(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b[:len(b)/2], 0o600)
}

// A database whose WAL could not be folded in keeps it, and the backup does not
// get it.
func TestRestore_KeepsTheDatabaseFromBefore(t *testing.T) {
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 40)...)
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := d.Backup(t.Context(), file, BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	want := mustAppend(t, d, "one", 40, said("after the backup"))
	// As a killed server leaves it: the WAL beside the database.
	left := filepath.Join(t.TempDir(), "countersign.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(d.path + suffix)
		if err == nil {
			err = os.WriteFile(left+suffix, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before, n, err := Restore(t.Context(), left, file, BackupOptions{})
	if err != nil || n != (Checked{1, 40}) {
		t.Fatalf("%+v, %v", n, err)
	}
	sameState(t, "the one from before", mustState(t, openAt(t, before), "one"), want)
	if s := mustState(t, openAt(t, left), "one"); s.Seq != 40 {
		t.Errorf("restored up to %d", s.Seq)
	}
}
