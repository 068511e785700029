package planning

import (
	"slices"

	"countersign/internal/planning/document"
)

// ThreadPlace says that a thread goes to another block with a new version: its
// own one was split or merged.
type ThreadPlace struct {
	Thread string `json:"thread"`
	Step   string `json:"step"` // block id in the new version
}

// placeThreads finds the threads that do not simply stay with their block. It
// is decided once, when the version is made, and recorded with it.
func (s State) placeThreads(next Plan, heirs heirs) []ThreadPlace {
	var places []ThreadPlace
	for _, t := range s.Threads {
		list := heirs[t.Step]
		if t.Step == "" || len(list) == 0 {
			continue // for the plan as a whole, or detached
		}
		if to := next.Blocks[s.choose(t, next, list)].ID; to != t.Step {
			places = append(places, ThreadPlace{Thread: t.ID, Step: to})
		}
	}
	return places
}

// choose returns which heir of its block a thread goes to: the one that holds
// the quoted words, or else the one most like the step that the thread was
// made on.
func (s State) choose(t Thread, next Plan, list []int) int {
	if t.Quote != "" {
		holders := slices.DeleteFunc(slices.Clone(list), func(i int) bool {
			return !document.Holds(next.Text(next.Blocks[i]), t.Quote)
		})
		if len(holders) > 0 {
			list = holders
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	first, _ := s.PlanVersion(t.Version)
	if b, ok := first.Block(t.origin()); ok {
		to := make([]document.Piece, len(list))
		for n, i := range list {
			to[n] = document.Piece{Title: next.Blocks[i].Title, Text: next.Text(next.Blocks[i])}
		}
		made := document.Trace([]document.Piece{{Title: b.Title, Text: first.Text(b)}}, to)
		if found := made.Heirs[0]; len(found) > 0 {
			return list[found[0]]
		}
	}
	return list[0]
}

// origin is the block that the thread was made on.
func (t Thread) origin() string {
	if len(t.Trail) > 0 {
		return t.Trail[0]
	}
	return t.Step
}

// moves tells whether a thread goes to another block with this version.
func (p PlanSubmitted) moves(thread string) bool {
	return slices.ContainsFunc(p.Threads, func(m ThreadPlace) bool { return m.Thread == thread })
}

// followQuote notes when the quoted words leave the thread's step, and when
// they come back.
func (t *Thread) followQuote(old, plan Plan, b Block, found bool) {
	if t.Quote == "" || !found {
		return
	}
	text := plan.Text(b)
	was, had := old.Block(t.Step)
	switch {
	case had && old.Text(was) == text: // as it was
	case document.Holds(text, t.Quote):
		t.QuoteGone, t.QuotedIn = 0, ""
	case t.QuoteGone == 0:
		for _, id := range []string{t.Step, t.before()} {
			if was, ok := old.Block(id); ok && document.Holds(old.Text(was), t.Quote) {
				t.QuoteGone, t.QuotedIn = plan.Version, old.Text(was)
				return
			}
		}
	}
}

// before is the block that the thread was on before its own one, if any.
func (t Thread) before() string {
	if len(t.Trail) == 0 {
		return ""
	}
	return t.Trail[len(t.Trail)-1]
}

// moveThreads puts threads where a new version says. What was answered by
// leaving the step out is open again when the step is back.
func (s State) moveThreads(p PlanSubmitted) State {
	for _, to := range p.Threads {
		s = s.thread(to.Thread, func(t *Thread) { t.moveTo(to.Step) })
	}
	next := Plan{Blocks: p.Blocks}
	for _, t := range s.Threads {
		if _, back := next.Block(t.Step); back && t.Detached {
			s = s.thread(t.ID, func(t *Thread) { t.Answered = 0 })
		}
	}
	return s
}

func (t *Thread) moveTo(step string) {
	t.Trail = append(slices.Clip(t.Trail), t.Step)
	t.Step = step
}

// followCut puts threads whose words a reviewer has cut off their step, and
// made a step of its own, on that one.
func (s State) followCut(p StepEdited) State {
	plan, _ := s.PlanVersion(p.Version)
	for _, t := range s.Threads {
		if t.Step != p.Step || t.QuoteGone != p.Version {
			continue
		}
		holders := slices.DeleteFunc(slices.Clone(p.Made), func(id string) bool {
			b, found := plan.Block(id)
			return !found || !document.Holds(plan.Text(b), t.Quote)
		})
		if len(holders) == 1 {
			s = s.thread(t.ID, func(t *Thread) {
				t.moveTo(holders[0])
				t.QuoteGone, t.QuotedIn = 0, ""
			})
		}
	}
	return s
}

// followBack takes threads back when the cut that they followed is undone.
func (s State) followBack(p EditUndone) State {
	was := Plan{Blocks: p.Blocks}
	for _, t := range s.Threads {
		if _, stays := was.Block(t.Step); !stays && p.Step != "" && t.before() == p.Step {
			s = s.thread(t.ID, func(t *Thread) {
				t.Step, t.Trail = p.Step, slices.Clone(t.Trail[:len(t.Trail)-1])
			})
		}
	}
	return s
}

// restore finds the steps of the next version that an earlier one had, the one
// before had not, and that are back in the same words, and gives them their ids
// again. Only a text that is there once can be told from another one that says
// the same.
func (s State) restore(next Plan) {
	if len(s.Plans) < 2 {
		return
	}
	used := map[string]bool{}
	for _, list := range [][]Block{s.Plans[len(s.Plans)-1].Blocks, next.Blocks} {
		for _, b := range list {
			used[b.ID] = true
		}
	}
	now := next.single()
	for _, p := range slices.Backward(s.Plans[:len(s.Plans)-1]) {
		for text, i := range p.single() {
			was := p.Blocks[i]
			if used[was.ID] {
				continue
			}
			if j, found := now[text]; found && next.Blocks[j].ID == "" {
				next.Blocks[j].ID = was.ID
				next.Blocks[j].pin(was, next.Text(next.Blocks[j]))
			}
		}
		for _, b := range p.Blocks {
			used[b.ID] = true // an older text of it is not looked for
		}
	}
}

// single are the steps whose text no other step has, by that text.
func (p Plan) single() map[string]int {
	list := map[string]int{}
	for i, b := range p.Blocks {
		if b.Kind != document.Step {
			continue
		}
		text := document.Words(p.Text(b))
		if _, again := list[text]; again {
			i = -1
		}
		list[text] = i
	}
	for text, i := range list {
		if i < 0 || text == "" {
			delete(list, text)
		}
	}
	return list
}
