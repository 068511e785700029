package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/planning"
)

func TestBackup_GoesBesideARunningServerAndRestoreWithoutOne(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.db")
	store := fill(t, dir)
	if out, err := command(t, "backup", file, "--data", dir); err != nil || !strings.HasSuffix(out, "2 sessions with 6 records\n") {
		t.Fatalf("%q, %v", out, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := command(t, "backup", "--data", dir, file); err == nil || !strings.Contains(sentence(err), "there already") {
		t.Errorf("over a file: %v", err)
	}
	if _, err := command(t, "backup", "--data", dir, "--overwrite", file); err != nil {
		t.Errorf("over a file, as told: %v", err)
	}
	said := planning.Event{Actor: planning.System, Payload: planning.UserMessage{Text: "later"}}
	if _, err := store.Append(t.Context(), "one", 3, said); err != nil {
		t.Fatal(err)
	}
	if _, err := command(t, "restore", file, "--data", dir); err == nil || !strings.Contains(sentence(err), "already uses") {
		t.Errorf("beside a server: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "restore", file, "--data", dir)
	if err != nil || !strings.HasPrefix(out, "restored 2 sessions with 6 records from "+file) {
		t.Fatalf("%q, %v", out, err)
	}
	if out, err := command(t, "verify", "--data", dir); err != nil || out != "2 sessions with 6 sound records\n" {
		t.Errorf("%q, %v", out, err)
	}
	_, before, _ := strings.Cut(strings.TrimSpace(out), "from before is ")
	if out, err := command(t, "restore", before, "--data", dir); err != nil || !strings.HasPrefix(out, "restored 2 sessions with 7 records") {
		t.Errorf("and back again: %q, %v", out, err)
	}
}

func TestBackup_ThePlaceIsNamed(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	for _, args := range [][]string{
		{"backup", "--data", dir}, {"restore", "--data", dir}, {"backup", "a", "--data", dir, "b"},
		{"backup", dir, "--data", dir, "--overwrite"},
		{"backup", filepath.Join(dir, "private", databaseFile), "--data", dir, "--overwrite"},
		{"backup", filepath.Join(dir, "private", databaseFile+"-wal"), "--data", dir, "--overwrite"},
		{"backup", filepath.Join(dir, "none", "b.db"), "--data", dir},
	} {
		if out, err := command(t, args...); err == nil {
			t.Errorf("%q: %q", args, out)
		}
	}
}
