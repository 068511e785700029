package main

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/db"
	"countersign/internal/planning"

	_ "modernc.org/sqlite" // registers itself as "sqlite"
)

// command runs a command on a data folder and returns what it prints.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, func(string) string { return "" }, &out, &out)
	return out.String(), err
}

// fill makes a data folder with two sessions and leaves it open, as a server
// has it.
func fill(t *testing.T, dir string) *db.DB {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{Path: filepath.Join(config{data: dir}.private(), databaseFile)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	ada := planning.Actor{Kind: planning.ActorPerson, ID: "ada", Name: "Ada"}
	for _, session := range []string{"one", "two"} {
		_, err := store.Append(t.Context(), session, 0,
			planning.Event{Actor: ada, Payload: planning.SessionCreated{Title: "Rename", Workspace: "/w", Model: "builtin", Mode: planning.ModePlan}},
			planning.Event{Actor: ada, Payload: planning.UserMessage{Text: "rename"}},
			planning.Event{Actor: ada, Payload: planning.UserMessage{Text: "and test"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// harm changes the database behind the server's back.
func harm(t *testing.T, dir, statement string) {
	t.Helper()
	file, err := sql.Open("sqlite", filepath.Join(config{data: dir}.private(), databaseFile))
	if err == nil {
		_, err = file.Exec(statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}

func TestVerify_S1_NamesTheFirstBadRecordBesideARunningServer(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	if out, err := command(t, "verify", "--data", dir); err != nil || out != "2 sessions with 6 sound records\n" {
		t.Fatalf("%q, %v", out, err)
	}
	harm(t, dir, "UPDATE events SET actor_name = 'Eve' WHERE session = 'two' AND seq > 1")
	out, err := command(t, "verify", "--data", dir)
	if err == nil || !strings.HasPrefix(out, "session two: entry 2 was changed after it was written\n") || strings.Contains(out, "session one") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestVerify_WithoutADatabase(t *testing.T) {
	if _, err := command(t, "verify", "--data", t.TempDir()); err == nil {
		t.Error("there is nothing to check")
	}
}
