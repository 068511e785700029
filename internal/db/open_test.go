package db

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/fault"
)

// refused opens a path that must be refused with one whole sentence.
func refused(t *testing.T, path string, code fault.Code, words ...string) {
	t.Helper()
	d, err := Open(context.Background(), Options{Path: path})
	if err == nil {
		d.Close()
		t.Fatalf("%s was opened", path)
	}
	f, ok := fault.As(err)
	if !ok {
		t.Fatalf("not a fault: %v", err)
	}
	if f.Code != code {
		t.Errorf("code %s, want %s", f.Code, code)
	}
	for _, w := range append(words, ".") {
		if !strings.Contains(f.Message, w) {
			t.Errorf("%q does not say %q", f.Message, w)
		}
	}
}

// rawSQL runs statements on a database file, past this package.
func rawSQL(t *testing.T, path string, statements ...string) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, s := range statements {
		if _, err := raw.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen_WhatCantBeUsedIsRefusedInOneSentence(t *testing.T) {
	file := func(t *testing.T, content string) string {
		path := filepath.Join(t.TempDir(), "countersign.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("not a database", func(t *testing.T) {
		path := file(t, strings.Repeat("just some text\n", 1000))
		refused(t, path, fault.Invalid, path, "is not a database")
		if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), "just some text") {
			t.Errorf("the file was changed: %v", err)
		}
	})
	t.Run("another program's database", func(t *testing.T) {
		path := file(t, "")
		rawSQL(t, path, "CREATE TABLE notes (x)")
		refused(t, path, fault.Conflict, "another program")
	})
	t.Run("a newer schema", func(t *testing.T) {
		d := testDB(t)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		rawSQL(t, d.path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
		refused(t, d.path, fault.Conflict, "newer Countersign", "999")
		if _, err := Open(context.Background(), Options{Path: d.path, ReadOnly: true}); !fault.Is(err, fault.Conflict) {
			t.Errorf("for reading only: %v", err)
		}
	})
	t.Run("a directory in the way", func(t *testing.T) {
		refused(t, t.TempDir(), fault.Invalid, "in the way")
	})
	t.Run("a file where the folder should be", func(t *testing.T) {
		refused(t, filepath.Join(file(t, ""), "countersign.db"), fault.Invalid, "can't be made", "not a directory")
	})
}

func TestOpen_OnlyOneProcessUsesADataDirectory(t *testing.T) {
	d := testDB(t)
	refused(t, d.path, fault.Unavailable, "Another Countersign already uses the data directory "+filepath.Dir(d.path))
	// The refusal has not loosened the first one's hold.
	refused(t, d.path, fault.Unavailable)
	begin(t, d, "one")
	mustState(t, reopen(t, d), "one")
}

func TestOpen_FilesArePrivate(t *testing.T) {
	d := testDB(t)
	begin(t, d, "one")
	entries, err := os.ReadDir(filepath.Dir(d.path))
	if err != nil || len(entries) < 4 {
		t.Fatalf("%d files, %v; want the database, its WAL and index, and the lock", len(entries), err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", e.Name(), info.Mode())
		}
	}
	info, err := os.Stat(filepath.Dir(d.path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info.Mode(), err)
	}
}

func TestOpen_OddPaths(t *testing.T) {
	for _, name := range []string{"with space", "per%41cent", "quest?mark=1&x", "ha#sh", "ünï", "semi;colon"} {
		path := filepath.Join(t.TempDir(), name, name+".db")
		d := openAt(t, path)
		begin(t, d, "one")
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen_Settings(t *testing.T) {
	d := testDB(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "wal_autocheckpoint": "0",
	} {
		var got string
		mustScan(t, d, &got, "PRAGMA "+pragma)
		if got != want {
			t.Errorf("%s = %s, want %s", pragma, got, want)
		}
	}
	if err := d.reader.Exec("DELETE FROM people").Error; code(err) != 8 { // SQLITE_READONLY
		t.Errorf("a reader writes: %v", err)
	}
}

func TestOpen_ReadOnlyBesideARunningServer(t *testing.T) {
	ctx := context.Background()
	d := testDB(t)
	mustAppend(t, d, "one", 0, story("one", 50)...)
	r, err := Open(ctx, Options{Path: d.path, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sameState(t, "seen beside the server", mustState(t, r, "one"), mustState(t, d, "one"))
	if n := len(allRecords(t, r, "one")); n != 50 {
		t.Errorf("%d records", n)
	}
	if _, err := r.Append(ctx, "two", 0, created); !fault.Is(err, fault.Forbidden) {
		t.Errorf("append: %v", err)
	}
	begin(t, d, "two")
	mustState(t, r, "two")

	missing := filepath.Join(t.TempDir(), "none.db")
	if _, err := Open(ctx, Options{Path: missing, ReadOnly: true}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no database there: %v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a database was made")
	}
}
