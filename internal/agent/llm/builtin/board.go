package builtin

import (
	"fmt"
	"slices"

	"countersign/internal/planning"
)

// board is the to-do list as it will be after the calls of this turn.
type board struct {
	todos []planning.Todo
	of    []int // index of the item of each step, -1 for none
	fresh bool  // there is no list yet
}

func newBoard(w *work) *board {
	b := &board{todos: slices.Clone(w.talk.todos), of: make([]int, len(w.steps)), fresh: len(w.talk.todos) == 0}
	names := w.names()
	for i := range w.steps {
		b.of[i] = slices.IndexFunc(b.todos, func(t planning.Todo) bool { return t.Text == names[i] })
		if b.of[i] < 0 && len(b.todos) == len(w.steps) {
			b.of[i] = i
		}
		if b.fresh {
			b.of[i] = i
		}
	}
	if b.fresh {
		for _, n := range names {
			b.todos = append(b.todos, planning.Todo{Text: n, Status: planning.TodoPending})
		}
	}
	return b
}

// names are the texts of the steps' to-do items: their titles, numbered where
// two are the same, as the list is filled when a plan is approved.
func (w *work) names() []string {
	seen := map[string]int{}
	names := make([]string, len(w.steps))
	for i, s := range w.steps {
		names[i] = s.title
		if seen[s.title]++; seen[s.title] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", s.title, seen[s.title])
		}
	}
	return names
}

// todo is where the item of a step stands in the list.
func (w *work) todo(i int) planning.TodoStatus {
	if b := w.list; !b.fresh && b.of[i] >= 0 {
		return b.todos[b.of[i]].Status
	}
	return planning.TodoPending
}

// marks makes the write that brings the list up to date, with one step in
// progress (-1: none); nil if the list is right. What has failed stays
// pending, so that people see that it is unfinished.
func (b *board) marks(all []progress, current int) *todoArgs {
	want := map[int]planning.TodoStatus{}
	for i, t := range b.todos {
		if t.Status == planning.TodoInProgress {
			want[i] = planning.TodoPending
		}
	}
	for i, p := range all {
		switch at := b.of[i]; {
		case at < 0:
		case i == current:
			want[at] = planning.TodoInProgress
		case p.settled && p.whole:
			want[at] = planning.TodoCompleted
		}
	}
	var write todoArgs
	for i := range b.todos {
		status, ok := want[i]
		if ok && b.todos[i].Status != status {
			b.todos[i].Status = status
		} else if !b.fresh {
			continue
		}
		t := b.todos[i]
		write.Steps = append(write.Steps, planning.TodoItem{Step: t.Text, Status: t.Status, ID: t.ID})
	}
	if len(write.Steps) == 0 {
		return nil
	}
	write.Merge, b.fresh = !b.fresh, false
	return &write
}
