package planning

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var threeTodos = []Todo{
	{ID: "s3", Text: "Read", Status: TodoCompleted},
	{ID: "s4", Text: "Write", Status: TodoInProgress},
	{ID: "t1", Text: "Test", Status: TodoPending},
}

// write parses and applies arguments as a model would send them.
func write(t *testing.T, list []Todo, arguments string, parallel bool) ([]Todo, error) {
	t.Helper()
	w, err := ParseTodoWrite([]byte(arguments))
	if err != nil {
		return list, err
	}
	return w.Write(list, parallel)
}

func TestTodo_T2_ErrorsNameTheItem(t *testing.T) {
	cases := map[string]struct{ arguments, want string }{
		"blank":          {`{"steps":[{"step":"a","status":"pending"},{"step":" \t","status":"pending"}]}`, "item 2"},
		"twice":          {`{"steps":[{"step":"a","status":"pending"},{"step":" a ","status":"pending"}]}`, `item 2: "a"`},
		"unknown status": {`{"steps":[{"step":"a","status":"done"}]}`, `item 1: status "done"`},
		"no status":      {`{"steps":[{"step":"a"}]}`, `item 1: status ""`},
		"unknown key":    {`{"steps":[{"step":"a","status":"pending","when":"now"}]}`, `item 1: json: unknown field "when"`},
		"key outside":    {`{"steps":[],"clear":true}`, `unknown field "clear"`},
		"no steps":       {`{"merge":true}`, "steps is missing"},
		"not an object":  {`[]`, "update_plan"},
		"broken":         {`{"steps":[`, "update_plan"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := write(t, threeTodos, c.arguments, false); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestTodo_T2_TextIsTrimmed(t *testing.T) {
	got, err := write(t, nil, `{"steps":[{"step":"  a\n","status":"pending"}]}`, false)
	if want := []Todo{{ID: "t1", Text: "a", Status: TodoPending}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestTodo_T3_OneInProgressUnlessParallel(t *testing.T) {
	const two = `{"steps":[{"step":"a","status":"in_progress"},{"step":"b","status":"in_progress"}]}`
	if _, err := write(t, nil, two, false); err == nil || !strings.Contains(err.Error(), "item 2") {
		t.Errorf("two in progress: error = %v, want one that names item 2", err)
	}
	if _, err := write(t, nil, two, true); err != nil {
		t.Errorf("two in progress, parallel work allowed: %v", err)
	}
	if _, err := write(t, threeTodos, `{"merge":true,"steps":[{"step":"Test","status":"in_progress"}]}`, false); err == nil {
		t.Error("a merge that makes a second one in progress was accepted")
	}
}

func TestTodo_T4_ReplaceAndMerge(t *testing.T) {
	cases := map[string]struct {
		arguments string
		want      []Todo
	}{
		"replace keeps known ids": {
			`{"steps":[{"step":"Write","status":"completed"},{"step":"New","status":"pending"}]}`,
			[]Todo{{"s4", "Write", TodoCompleted}, {"t2", "New", TodoPending}},
		},
		"merge by id renames": {
			`{"merge":true,"steps":[{"id":"t1","step":"Test twice","status":"pending"}]}`,
			[]Todo{threeTodos[0], threeTodos[1], {"t1", "Test twice", TodoPending}},
		},
		"merge by text, new ones behind": {
			`{"merge":true,"steps":[{"step":"Write","status":"completed"},{"step":"Ship","status":"pending"}]}`,
			[]Todo{threeTodos[0], {"s4", "Write", TodoCompleted}, threeTodos[2], {"t2", "Ship", TodoPending}},
		},
		"empty merge does nothing": {`{"merge":true,"steps":[]}`, threeTodos},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := append([]Todo{}, threeTodos...)
			got, err := write(t, threeTodos, c.arguments, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("list after (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, threeTodos); diff != "" {
				t.Errorf("the old list was changed:\n%s", diff)
			}
		})
	}
	if _, err := write(t, threeTodos, `{"steps":[]}`, false); err == nil {
		t.Error("an empty list was accepted without merge")
	}
}

func TestTodo_T6_CompletedNeverGoesBackToPending(t *testing.T) {
	for _, arguments := range []string{
		`{"merge":true,"steps":[{"step":"Read","status":"pending"}]}`,
		`{"steps":[{"step":"Read","status":"pending"}]}`,
		`{"steps":[{"id":"s3","step":"Read again","status":"pending"}]}`,
	} {
		if _, err := write(t, threeTodos, arguments, false); err == nil {
			t.Errorf("%s: accepted", arguments)
		}
	}
	got, err := write(t, threeTodos[:1], `{"merge":true,"steps":[{"step":"Read","status":"in_progress"}]}`, false)
	if err != nil || got[0].Status != TodoInProgress {
		t.Errorf("reopening: %v, %v", got, err)
	}
}
