package db

import (
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// makeEarlier makes the databases in testdata/earlier that are not there yet:
// go test ./internal/db -run Earlier -make-earlier
var makeEarlier = flag.Bool("make-earlier", false, "make the missing databases of earlier schemas")

func earlierFile(version int64) string {
	return filepath.Join("testdata", "earlier", fmt.Sprintf("schema-%02d.db", version))
}

// schemas are the versions that a database can have.
func schemas(t *testing.T) (list []int64) {
	t.Helper()
	pool, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "none.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	p, err := newMigrator(pool, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.ListSources() {
		list = append(list, s.Version)
	}
	return list
}

// earlierStory is the log of the session in each of these databases.
const earlierStory = 30

// TestEarlier_S1_DatabasesOfEveryVersionOpenAndFold: each database that an
// earlier version wrote is brought up to date, and its session is what its
// events say.
func TestEarlier_S1_DatabasesOfEveryVersionOpenAndFold(t *testing.T) {
	for _, version := range schemas(t) {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			if _, err := os.Stat(earlierFile(version)); err != nil && *makeEarlier {
				makeDatabase(t, version)
			}
			d := openAt(t, copyOf(t, earlierFile(version)))
			s := mustState(t, d, "old")
			folded, err := planning.Fold(planning.State{}, allRecords(t, d, "old")...)
			if err != nil || s.Seq != earlierStory {
				t.Fatalf("at %d, %v", s.Seq, err)
			}
			sameState(t, "the fold of what it holds", s, folded)
			if found := verify(t, d); len(found) > 0 {
				t.Errorf("found %v", found)
			}
			mustAppend(t, d, "old", s.Seq, said("goes on"))
			people, err := d.People(t.Context())
			if err != nil || len(people) != 1 || people[0].Name != "Ada" {
				t.Errorf("people %+v, %v", people, err)
			}
			if found := verify(t, reopen(t, d)); len(found) > 0 {
				t.Errorf("after going on: %v", found)
			}
		})
	}
}

// A backup of any version can be put in place.
func TestEarlier_BackupsOfEveryVersionAreRestored(t *testing.T) {
	for _, version := range schemas(t) {
		target := filepath.Join(t.TempDir(), "countersign.db")
		if _, n, err := Restore(t.Context(), target, earlierFile(version), BackupOptions{}); err != nil || n.Records != earlierStory {
			t.Errorf("schema %d: %+v, %v", version, n, err)
		}
	}
}

// What is open for reading only is not brought up to date.
func TestEarlier_ReadingOnlyAsksForTheServer(t *testing.T) {
	if _, err := Open(t.Context(), Options{Path: copyOf(t, earlierFile(1)), ReadOnly: true}); !fault.Is(err, fault.Conflict) {
		t.Errorf("opened: %v", err)
	}
}

// makeDatabase runs the migrations up to a version and writes a session, its
// row for lists, and a person, in the columns that the first version had.
func makeDatabase(t *testing.T, version int64) {
	t.Helper()
	pool, err := sql.Open("sqlite", earlierFile(version))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	p, err := newMigrator(pool, slog.New(slog.DiscardHandler))
	if err == nil {
		_, err = p.UpTo(t.Context(), version)
	}
	if err != nil {
		t.Fatal(err)
	}
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	var s planning.State
	var sum planning.Sum
	for _, r := range records(t, "old", earlierStory) {
		if s, err = s.Apply(r); err != nil {
			t.Fatal(err)
		}
		exec("INSERT INTO events (session, seq, kind, version, at, actor_kind, actor_id, actor_name, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			r.Session, r.Seq, string(r.Kind), r.Version, r.At.UnixMicro(), string(r.Actor.Kind), r.Actor.ID, r.Actor.Name, []byte(r.Data))
		if sum = r.Link(sum); version >= 8 {
			exec("UPDATE events SET sum = ? WHERE seq = ?", sum[:], r.Seq)
		}
	}
	summary, err := json.Marshal(s.Summary())
	if err != nil {
		t.Fatal(err)
	}
	exec("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", "old", s.Seq, string(s.Status()), s.UpdatedAt.UnixMicro(), summary)
	exec("INSERT INTO snapshots (session, seq, fold, state) VALUES ('old', 10, 'of then', x'7b7d')")
	exec("INSERT INTO meta VALUES ('fold', 'of then')")
	exec("INSERT INTO people (id, name, name_key, role, created_at) VALUES ('ada', 'Ada', 'ada', 'owner', ?)", testTime.UnixMicro())
}
