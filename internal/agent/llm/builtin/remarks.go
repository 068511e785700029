package builtin

import (
	"fmt"
	"slices"

	"countersign/internal/planning"
)

// heed is what became of a wish that came beside a plan being carried out, the
// worst last.
type heed int

const (
	heeded  heed = iota
	nothing      // the plan has nothing to do with it
	tooLate      // what was to be left alone had been changed
	beyond       // not in this planner's power
)

// listen obeys what people wrote beside the plan, as far as it asks for less
// than was approved, and notes what became of it. numbered says that the steps
// have the numbers that people knew them by. What the planner has got in an
// earlier round was answered there.
func (w *work) listen(comments []comment, numbered bool) {
	w.left, w.kept, w.list = map[int]bool{}, map[int][]string{}, newBoard(w)
	for _, c := range comments {
		if c.earlier {
			continue
		}
		say := w.talk.say().replying(c.text)
		if !numbered {
			c.step = 0
		}
		became := map[heed]bool{}
		worst := heeded
		for _, s := range sentences(c.text) {
			h := w.heed(readWish(s, w.known), c)
			became[h] = true
			worst = max(worst, h)
		}
		form := map[heed]string{heeded: say.noteObeyed, nothing: say.noteNone, tooLate: say.noteLate, beyond: say.noteNot}[worst]
		if worst == beyond && became[heeded] {
			form = say.notePart
		}
		w.notes = append(w.notes, fmt.Sprintf(form, plain(c.by), plain(short(c.text, 100))))
	}
}

// known tells whether a bare word is the name of a file or folder in the plan.
func (w *work) known(word string) bool {
	return slices.ContainsFunc(w.steps, func(s step) bool { return matchesPath(word, s.path) })
}

// heed fulfils a wish if it is to leave files or lines alone.
func (w *work) heed(wish wish, c comment) heed {
	patterns := slices.Concat(wish.skip, wish.in)
	switch {
	case wish.noted:
		return heeded
	case len(patterns) == 0 && (len(wish.lines) == 0 || c.step < 1 || c.step > len(w.steps)):
		return beyond
	}
	found, late := false, false
	for i, s := range w.steps {
		if len(patterns) > 0 && !matchesAny(patterns, s.path) || len(patterns) == 0 && i != c.step-1 {
			continue
		}
		some := covering(s.hunks, wish.lines)
		switch {
		case len(wish.lines) > 0 && len(some) == 0:
		case w.changed(i, c.at):
			found, late = true, true
		case len(wish.lines) == 0 || len(some) == len(s.hunks):
			found, w.left[i] = true, true
		default:
			found = true
			w.kept[i] = append(w.kept[i], hunkNumbers(some)...)
			w.steps[i].hunks = slices.DeleteFunc(slices.Clone(s.hunks), func(h hunk) bool { return h.covers(wish.lines) })
		}
	}
	switch {
	case late:
		return tooLate
	case !found:
		return nothing
	}
	return heeded
}

// changed tells whether a step's file was changed for it, or may have been,
// before the message at this index: under an earlier plan, or by an edit.
func (w *work) changed(i, before int) bool {
	if len(w.rounds(i)) == 0 && w.todo(i) == planning.TodoCompleted {
		return true
	}
	return slices.ContainsFunc(w.talk.calls, func(c call) bool {
		return c.at > w.since && c.at < before && c.step == i+1 && c.kind == "edit" && (!c.failed || interrupted(c))
	})
}
