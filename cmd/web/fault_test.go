package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/db"
	"countersign/internal/planning"
	"countersign/internal/trial"
)

// servingAgain is what the long form allows on a machine with nothing else to do.
const servingAgain = 200 * time.Millisecond

// TestFault_01_ServingAgain: how long the server takes to answer after a kill,
// with a long log. In the short form its time is a figure and no assertion.
func TestFault_01_ServingAgain(t *testing.T) {
	events := trial.Often(2000, 100_000)
	dir := killed(t, events)
	begun := time.Now()
	listening, _ := started(t, nil, "--addr", "127.0.0.1:0", "--data", dir)
	if got := ask(t, listening+"/healthz", strings.TrimPrefix(listening, "http://")); got != http.StatusOK {
		t.Fatalf("it answers %d", got)
	}
	took := time.Since(begun)
	trial.Figures(t, "serving again in %d ms with %d events and their WAL", took.Milliseconds(), events)
	if trial.Long() && took > servingAgain {
		t.Errorf("it took %v, want at most %v", took, servingAgain)
	}
}

// killed is a data folder as a killed server leaves it: the end of what was
// written is in the WAL only.
func killed(t *testing.T, events int) string {
	t.Helper()
	from := t.TempDir()
	path := filepath.Join(config{data: from}.private(), databaseFile)
	store, err := db.Open(t.Context(), db.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	said := planning.Event{Actor: planning.System, Payload: planning.ToolFinished{Call: "c", Name: "read_file", Outcome: planning.OutcomeOK, Output: strings.Repeat("x", 940)}}
	s, err := store.Append(t.Context(), "long", 0, planning.Event{Actor: planning.System, Payload: planning.SessionCreated{Title: "Long", Workspace: "/w", Model: "builtin", Mode: planning.ModePlan}})
	for err == nil && int(s.Seq) < events {
		var batch []planning.Event
		for range min(500, events-int(s.Seq)) {
			batch = append(batch, said)
		}
		s, err = store.Append(t.Context(), "long", s.Seq, batch...)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := os.MkdirAll(config{data: to}.private(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(filepath.Join(config{data: to}.private(), databaseFile+suffix), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}
