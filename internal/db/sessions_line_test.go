package db

import (
	"slices"
	"testing"

	"countersign/internal/planning"
)

// A line for lists that can't be read is derived from the log, and a session of
// which nothing can be read is listed as damaged: the others are there as ever.
func TestSessions_S1_OneBrokenLineHidesNoOther(t *testing.T) {
	d := testDB(t)
	for _, id := range []string{"one", "two", "three"} {
		begin(t, d, id)
	}
	mustExec(t, d, "UPDATE sessions SET summary = x'7B' WHERE id IN ('one', 'two')")
	mustExec(t, d, "DELETE FROM events WHERE session = 'two'")
	mustExec(t, d, "DELETE FROM snapshots WHERE session = 'two'")
	d.cache.clear()
	list, err := d.Sessions(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string]bool{}
	for _, s := range list {
		damaged[s.ID] = s.Damage != nil
		if s.Title == "" || s.ID != "two" && s.Status != planning.StatusPlanning {
			t.Errorf("%s: %+v", s.ID, s)
		}
	}
	if len(list) != 3 || damaged["one"] || !damaged["two"] || damaged["three"] {
		t.Errorf("damaged of %d: %v", len(list), damaged)
	}
	if !slices.ContainsFunc(list, func(s planning.Summary) bool { return s.ID == "one" && !s.CreatedAt.IsZero() }) {
		t.Error("the derived line says nothing")
	}
}
