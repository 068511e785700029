package builtin

import (
	"math"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

const (
	maxRounds = 3  // tries of one step after its outcome was unknown
	batches   = 50 // turns that a long plan is spread over, about
)

// work is a plan being carried out.
type work struct {
	talk  talk
	steps []step
	since int              // index of the message with which it began
	left  map[int]bool     // steps that people asked to leave alone meanwhile
	kept  map[int][]string // numbers of lines that they asked to leave alone in a step
	notes []string         // what became of remarks that came with the approval
	list  *board           // the to-do list as it stands
}

// carryOut goes on with the approved plan, exactly as it was approved.
func (t talk) carryOut(p call, fb feedback) turn {
	text := fb.final
	if text == "" {
		text = submitted(p).Plan
	}
	w := &work{talk: t, since: p.at}
	doc := document.Parse(text)
	for i, b := range doc.Blocks {
		if b.Kind == document.Step {
			w.steps = append(w.steps, readStep(b.Title, doc.Text(i), t.say()))
		}
	}
	w.listen(append(fb.comments, t.remarks(p)...), fb.final == "")
	return w.next()
}

// withoutPlan does the task in a session without planning, where each change
// is asked about. The steps are those that a plan would have; what people
// write once it has begun can only make them fewer.
func (t talk) withoutPlan() turn {
	began := math.MaxInt
	for _, c := range t.calls {
		if c.step > 0 || c.kind == "todo" {
			began = min(began, c.at)
		}
	}
	d, _, more := t.prepare(began)
	if more.text != "" || len(more.calls) > 0 {
		return more
	}
	w := &work{talk: t, steps: d.steps, since: -1}
	for i := range w.steps {
		w.steps[i].title = strings.ReplaceAll(w.steps[i].title, "`", "")
	}
	w.listen(t.remarks(call{at: began}), true)
	return w.next()
}

// next makes the next turn: reading for the steps whose turn it is, or their
// edits, or the report when nothing is left to do. Long plans take several
// steps in a turn.
func (w *work) next() turn {
	b := newBoard(w)
	var due []int
	all := make([]progress, len(w.steps))
	for i := range w.steps {
		all[i] = w.progress(i)
		if !all[i].settled {
			due = append(due, i)
		}
	}
	m := maker{work: w}
	if len(due) == 0 {
		m.todo(b.marks(all, -1))
		if len(m.calls) > 0 && !w.onlyTodos() {
			return m.turn
		}
		return turn{text: w.report(all), stuck: slices.ContainsFunc(all, func(p progress) bool { return !p.whole })}
	}
	if !w.begun() {
		m.text = w.talk.say().starting
	}
	size := (len(w.steps) + batches - 1) / batches
	window := due[:min(size, len(due))]
	if slices.ContainsFunc(window, func(i int) bool { return all[i].read != nil }) {
		m.todo(b.marks(all, window[0]))
		m.reads(window, all, nil)
		return m.turn
	}
	var paths []string
	for _, i := range window {
		m.todo(b.marks(all, i))
		m.edits(i, all[i])
		paths = append(paths, w.steps[i].path)
	}
	ahead := due[len(window):min(2*size, len(due))]
	m.reads(ahead, all, paths)
	return m.turn
}

// begun tells whether anything was called since the plan was approved.
func (w *work) begun() bool {
	return slices.ContainsFunc(w.talk.calls, func(c call) bool { return c.at > w.since && (c.step > 0 || c.kind == "todo") })
}

// onlyTodos tells whether the last turn did nothing but write the to-do list.
// It is not written a second time then, whatever came of it.
func (w *work) onlyTodos() bool {
	calls := w.talk.calls
	if len(calls) == 0 {
		return false
	}
	last := calls[len(calls)-1].at
	return !slices.ContainsFunc(calls, func(c call) bool { return c.at == last && c.kind != "todo" })
}

// maker puts a turn together.
type maker struct {
	turn
	work *work
}

func (m *maker) call(tool string, args any, kind string, step int) {
	m.calls = append(m.calls, planning.ToolCall{
		ID: newID(m.work.talk.turn, kind, step, len(m.calls)), Name: tool, Arguments: encode(args),
	})
}

func (m *maker) todo(w *todoArgs) {
	if w != nil && m.work.talk.has["update_plan"] {
		m.call("update_plan", *w, "todo", 0)
	}
}

// reads asks for the files of these steps, except those that are being edited
// in the same turn.
func (m *maker) reads(steps []int, all []progress, except []string) {
	for _, i := range steps {
		if all[i].read != nil && !slices.Contains(except, m.work.steps[i].path) {
			m.call("read_file", *all[i].read, "read", i+1)
		}
	}
}

func (m *maker) edits(i int, p progress) {
	for _, r := range p.edits {
		m.call("edit_file", editArgs{Path: m.work.steps[i].path, Old: r.old, New: r.new}, "edit", i+1)
	}
}
