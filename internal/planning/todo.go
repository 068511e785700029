package planning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// TodoStatus is where an item of the to-do list stands.
type TodoStatus string

// The statuses of an item.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
)

// Todo is one item of the to-do list.
type Todo struct {
	ID     string     `json:"id"` // of the plan's step if it came from one, else "t1", "t2", …
	Text   string     `json:"text"`
	Status TodoStatus `json:"status"`
}

// TodoWrite is what a model asks for with update_plan.
type TodoWrite struct {
	Steps []TodoItem
	Merge bool
}

// TodoItem is one item of a write; ID is optional.
type TodoItem struct {
	Step   string     `json:"step"`
	Status TodoStatus `json:"status"`
	ID     string     `json:"id,omitempty"`
}

// ParseTodoWrite reads the arguments of update_plan. Its errors are meant for
// the model and name the item that is wrong (T2).
func ParseTodoWrite(arguments []byte) (TodoWrite, error) {
	var raw struct {
		Steps []json.RawMessage `json:"steps"`
		Merge bool              `json:"merge"`
	}
	if err := strict(arguments, &raw); err != nil {
		return TodoWrite{}, fmt.Errorf("update_plan: %w", err)
	}
	if raw.Steps == nil {
		return TodoWrite{}, fmt.Errorf("update_plan: steps is missing")
	}
	w := TodoWrite{Steps: make([]TodoItem, len(raw.Steps)), Merge: raw.Merge}
	seen := make(map[string]bool, len(raw.Steps))
	for i, item := range raw.Steps {
		t := &w.Steps[i]
		if err := strict(item, t); err != nil {
			return TodoWrite{}, fmt.Errorf("update_plan: item %d: %w", i+1, err)
		}
		t.Step = strings.TrimSpace(t.Step)
		switch {
		case t.Step == "":
			return TodoWrite{}, fmt.Errorf("update_plan: item %d: step is blank", i+1)
		case seen[t.Step]:
			return TodoWrite{}, fmt.Errorf("update_plan: item %d: %q is in the list twice", i+1, t.Step)
		case !slices.Contains([]TodoStatus{TodoPending, TodoInProgress, TodoCompleted}, t.Status):
			return TodoWrite{}, fmt.Errorf("update_plan: item %d: status %q is not pending, in_progress or completed", i+1, t.Status)
		}
		seen[t.Step] = true
	}
	return w, nil
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("there is something behind the JSON value")
	}
	return nil
}

// Write applies a write to the list and returns the whole list after it. On an
// error, which is meant for the model, the list stays as it was. With parallel
// more than one item may be in progress (T3).
func (w TodoWrite) Write(list []Todo, parallel bool) ([]Todo, error) {
	if len(w.Steps) == 0 && !w.Merge {
		return nil, fmt.Errorf("update_plan: the list is empty; send at least one step, or merge")
	}
	next := []Todo{}
	if w.Merge {
		next = slices.Clone(list)
	}
	number := firstFree(list)
	for i, item := range w.Steps {
		old := find(list, item)
		if old >= 0 && list[old].Status == TodoCompleted && item.Status == TodoPending {
			return nil, fmt.Errorf("update_plan: item %d: %q is completed and can't become pending; use in_progress to reopen it", i+1, list[old].Text)
		}
		entry := Todo{Text: item.Step, Status: item.Status}
		if old >= 0 {
			entry.ID = list[old].ID
		} else {
			entry.ID = fmt.Sprintf("t%d", number)
			number++
		}
		if at := slices.IndexFunc(next, func(t Todo) bool { return t.ID == entry.ID }); at >= 0 {
			if !w.Merge {
				return nil, fmt.Errorf("update_plan: item %d: id %q is in the list twice", i+1, entry.ID)
			}
			next[at] = entry
		} else {
			next = append(next, entry)
		}
	}
	return next, checkTodos(next, parallel)
}

// find returns the index of the item that is meant: by id, else by text.
func find(list []Todo, item TodoItem) int {
	if item.ID != "" {
		if i := slices.IndexFunc(list, func(t Todo) bool { return t.ID == item.ID }); i >= 0 {
			return i
		}
	}
	return slices.IndexFunc(list, func(t Todo) bool { return t.Text == item.Step })
}

// firstFree is the first number above those in use for items of the model's own.
func firstFree(list []Todo) int {
	n := 1
	for _, t := range list {
		var used int
		if _, err := fmt.Sscanf(t.ID, "t%d", &used); err == nil {
			n = max(n, used+1)
		}
	}
	return n
}

func checkTodos(list []Todo, parallel bool) error {
	active := 0
	texts := make(map[string]bool, len(list))
	for i, t := range list {
		if t.Status == TodoInProgress {
			active++
		}
		if active > 1 && !parallel {
			return fmt.Errorf("update_plan: item %d: %q: only one step may be in_progress", i+1, t.Text)
		}
		if texts[t.Text] {
			return fmt.Errorf("update_plan: item %d: %q is in the list twice", i+1, t.Text)
		}
		texts[t.Text] = true
	}
	return nil
}

// TodoCounts says how many items are completed and how many there are.
func (s State) TodoCounts() (done, all int) {
	for _, t := range s.Todos {
		if t.Status == TodoCompleted {
			done++
		}
	}
	return done, len(s.Todos)
}

// TodoNow returns the first item in progress.
func (s State) TodoNow() (Todo, bool) {
	i := slices.IndexFunc(s.Todos, func(t Todo) bool { return t.Status == TodoInProgress })
	if i < 0 {
		return Todo{}, false
	}
	return s.Todos[i], true
}

// SeedTodos makes the list for an approved plan: one item for each step, under
// the step's id. Items that are already completed stay so (T8, P25).
func SeedTodos(list []Todo, p Plan) []Todo {
	steps := p.Steps()
	seeded := make([]Todo, 0, len(steps))
	taken := map[string]bool{}
	for _, b := range steps {
		text := b.Title
		for n := 2; taken[text]; n++ {
			text = fmt.Sprintf("%s (%d)", b.Title, n)
		}
		taken[text] = true
		t := Todo{ID: b.ID, Text: text, Status: TodoPending}
		if i := slices.IndexFunc(list, func(o Todo) bool { return o.ID == b.ID }); i >= 0 && list[i].Status == TodoCompleted {
			t.Status = TodoCompleted
		}
		seeded = append(seeded, t)
	}
	return seeded
}
