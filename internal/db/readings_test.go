package db

import (
	"context"
	"maps"
	"testing"
)

func TestReadings_R8_OnlyEverGoOn(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	note := func(person, session string, seq int64) {
		t.Helper()
		if err := d.NoteRead(ctx, person, session, seq); err != nil {
			t.Fatal(err)
		}
	}
	note("ann", "s1", 5)
	note("ann", "s1", 3)
	note("ann", "s2", 8)
	note("ben", "s1", 9)
	d = reopen(t, d)
	got, err := d.Readings(ctx, "ann")
	if err != nil || !maps.Equal(got, map[string]int64{"s1": 5, "s2": 8}) {
		t.Errorf("read %v, %v", got, err)
	}
	if got, err := d.Readings(ctx, "nobody"); err != nil || len(got) != 0 {
		t.Errorf("nobody read %v, %v", got, err)
	}
}
