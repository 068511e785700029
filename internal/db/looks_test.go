package db

import (
	"context"
	"testing"
	"time"

	"countersign/internal/review"
)

func TestLooked_R5_WhatOneHadSeenBeforeThisVisit(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	start := time.UnixMicro(1_700_000_000_000_000).UTC()
	look := func(version int, sha string, minutes int) review.Look {
		return review.Look{Version: version, SHA256: sha, At: start.Add(time.Duration(minutes) * time.Minute)}
	}
	for i, c := range []struct {
		what, person, session string
		now, want             review.Look
	}{
		{"the first time", "ada", "one", look(1, "a", 0), look(1, "a", 0)},
		{"again on the same visit, edited", "ada", "one", look(1, "b", 10), look(1, "a", 0)},
		{"still the same visit", "ada", "one", look(1, "b", 39), look(1, "a", 0)},
		{"only asking", "ada", "one", review.Look{}, look(1, "a", 0)},
		{"another visit", "ada", "one", look(1, "c", 70), look(1, "b", 39)},
		{"a new version on the same visit", "ada", "one", look(3, "d", 75), look(1, "c", 70)},
		{"an older one again", "ada", "one", look(2, "x", 200), look(1, "c", 70)},
		{"the same after long", "ada", "one", look(3, "d", 210), look(3, "d", 75)},
		{"somebody else", "bob", "one", look(1, "a", 0), look(1, "a", 0)},
		{"another session", "ada", "two", look(2, "a", 0), look(2, "a", 0)},
	} {
		if got, err := d.Looked(ctx, c.person, c.session, c.now); got != c.want || err != nil {
			t.Errorf("%d, %s: %+v, %v; want %+v", i, c.what, got, err, c.want)
		}
	}
}

// What was noted before there were hashes still counts.
func TestLooked_R5_RowsFromBefore(t *testing.T) {
	d, ctx := testDB(t), context.Background()
	mustExec(t, d, "INSERT INTO seen (person, session, version) VALUES ('ada', 'one', 2)")
	now := review.Look{Version: 2, SHA256: "h", At: time.Now()}
	if got, err := d.Looked(ctx, "ada", "one", now); got != (review.Look{Version: 2}) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
