package web

import (
	"context"
	"testing"

	"countersign/internal/planning"

	"github.com/google/go-cmp/cmp"
)

func TestAPI_R11_Changes(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	changed := func(path, before, after string, existed, exists, inPlan bool, todo string) planning.FileChanged {
		return planning.FileChanged{Path: path, Before: before, After: after, Existed: existed, Exists: exists, InPlan: inPlan, Todo: todo}
	}
	r.agent(id,
		changed("a.go", "one\ntwo\nthree\n", "one\n2\nthree\n", true, true, true, "s1"),
		changed("a.go", "one\n2\nthree\n", "one\n2\nthree\nfour", true, true, true, "s2"),
		changed("new.go", "", "package x\n", false, true, false, ""),
		changed("gone.go", "package y\n", "", true, false, true, "s2"),
		changed("back.go", "same\n", "other\n", true, true, true, ""),
		changed("back.go", "other\n", "same\n", true, true, true, ""),
		changed("brief.go", "", "x\n", false, true, true, ""),
		changed("brief.go", "x\n", "", true, false, true, ""),
		changed("empty", "", "", false, true, true, ""),
		planning.FileChanged{Path: "pic.png", Existed: true, Exists: true, InPlan: true, Omitted: "It is binary."},
	)
	got := read[changesView](r.api("GET", "/sessions/"+id+"/changes", nil).is(200)).Changes
	want := []Change{
		{Path: "a.go", Existed: true, Exists: true, InPlan: true, Todos: []string{"s1", "s2"}, Added: 2, Removed: 1,
			Unified: "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n\\ No newline at end of file\n"},
		{Path: "new.go", Exists: true, Todos: []string{}, Added: 1, Unified: "--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+package x\n"},
		{Path: "gone.go", Existed: true, InPlan: true, Todos: []string{"s2"}, Removed: 1, Unified: "--- a/gone.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package y\n"},
		{Path: "empty", Exists: true, InPlan: true, Todos: []string{}},
		{Path: "pic.png", Existed: true, Exists: true, InPlan: true, Todos: []string{}, Omitted: "It is binary."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	st, err := r.db.State(context.Background(), id)
	r.must(err)
	list, err := changes(context.Background(), r.db, st)
	r.must(err)
	lines := []Line{{' ', 1, 1, "one", false}, {'-', 2, 0, "two", false}, {'+', 0, 2, "2", false}, {' ', 3, 3, "three", false}, {'+', 0, 4, "four", true}}
	if diff := cmp.Diff([]Hunk{{From: 1, To: 1, Lines: lines}}, list[0].Hunks); diff != "" {
		t.Error(diff)
	}
}
