package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// turn is what the model says and calls.
type turn struct {
	text  string
	calls []planning.ToolCall
	stuck bool // without calls: something is left that this planner can't do
}

// maxTurns ends a task that comes to no end, whatever the tools answer.
const maxTurns = 1000

// answer decides what to do. Every path ends: each question is asked once, each
// step is tried a few times, and a turn without calls is the last.
func (t talk) answer() turn {
	say := t.say()
	switch {
	case !t.found:
		return turn{text: say.help, stuck: true}
	case t.resting && t.unread != "":
		say = say.replying(t.unread)
		return turn{text: fmt.Sprintf(say.notUnderstood, short(t.unread, 120)) + "\n\n" + say.help, stuck: true}
	case t.turns >= maxTurns:
		return turn{text: say.gaveUp, stuck: true}
	case slices.ContainsFunc(t.task.changes, func(c change) bool { return c.old == c.new }):
		return turn{text: say.same}
	}
	p, submitted := t.lastPlan()
	fb := readFeedback(p.result)
	running := submitted && p.done && !p.failed && fb.verdict == approved
	canPlan, canEdit := t.has["submit_plan"], t.has["edit_file"]
	switch {
	case running && canPlan && (!canEdit || t.sentBack(p)):
		return t.revise(p, feedback{final: fb.final})
	case running && canEdit:
		return t.carryOut(p, fb)
	case canPlan && submitted:
		return t.afterReview(p, fb)
	case canPlan:
		return t.plan()
	case canEdit:
		return t.withoutPlan()
	}
	return turn{text: say.noTools, stuck: true}
}

// sentBack tells whether a person sent the session back to planning after this
// plan was approved.
func (t talk) sentBack(p call) bool {
	return slices.ContainsFunc(t.calls, func(c call) bool {
		return c.at > p.at && c.failed && strings.Contains(c.result, "goes back to plan mode")
	})
}

// plan looks around until enough is known, and submits the first version.
func (t talk) plan() turn {
	d, notes, more := t.prepare(math.MaxInt)
	if more.text != "" || len(more.calls) > 0 {
		return more
	}
	plan := d.markdown(t.task, notes, t.say())
	if len(plan) > document.MaxPlan {
		return turn{text: fmt.Sprintf(t.say().tooLong, t.say().lines(d.lines()), t.say().files(len(d.steps)))}
	}
	return t.submit(fmt.Sprintf(t.say().found, t.say().lines(d.lines()), t.say().files(len(d.steps))), plan, scopeArgs{Files: d.files()})
}

// prepare makes the draft, or says what is to be asked first, or why there is
// none. Of what people wrote it minds what stands before this message.
func (t talk) prepare(before int) (draft, []string, turn) {
	say := t.say()
	t.obeyNotes(before)
	s := look(t)
	inUse := s.collisions()
	switch {
	case len(s.ask) > 0:
		return draft{}, nil, t.askNext(s)
	case s.failed != "":
		return draft{}, nil, turn{text: fmt.Sprintf(say.searchFailed, short(s.failed, 300)), stuck: true}
	case len(s.files) > maxFiles:
		return draft{}, nil, turn{text: fmt.Sprintf(say.tooManyFiles, len(s.files), maxFiles), stuck: true}
	}
	d := draftOf(s)
	notes := inUse
	for _, l := range s.leftOut {
		notes = append(notes, fmt.Sprintf(say.excluded, l))
	}
	for _, u := range t.task.unread {
		notes = append(notes, fmt.Sprintf(say.notRead, plain(short(u, 100))))
	}
	if len(d.steps) == 0 {
		text := fmt.Sprintf(say.nothingFound, say.olds(t.task), say.where(t.task))
		for _, n := range notes {
			text += "\n- " + n
		}
		return d, nil, turn{text: text}
	}
	return d, notes, turn{}
}

// obeyNotes takes into the task what people wrote about it meanwhile.
func (t *talk) obeyNotes(before int) {
	for _, n := range t.notes {
		if n.at >= before {
			continue
		}
		for _, s := range sentences(n.text) {
			w := readWish(s, nil)
			t.task.skip = append(t.task.skip, w.skip...)
			t.task.only = append(t.task.only, w.only...)
			if len(w.skip)+len(w.only) == 0 && !w.noted {
				t.task.unread = append(t.task.unread, s)
			}
		}
	}
}

// askNext makes the next questions of a survey.
func (t talk) askNext(s *survey) turn {
	next := turn{text: fmt.Sprintf(t.say().searching, t.say().olds(t.task))}
	switch s.ask[0].kind {
	case "read":
		next.text = fmt.Sprintf(t.say().reading, t.say().files(len(s.files)))
	case "list":
		next.text = t.say().narrowing
	}
	for i, q := range s.ask[:min(len(s.ask), maxCallsTurn)] {
		next.calls = append(next.calls, planning.ToolCall{
			ID: newID(t.turn, q.kind, 0, i), Name: q.tool, Arguments: encode(q.args),
		})
	}
	return next
}

func (t talk) submit(text, plan string, scope scopeArgs) turn {
	return turn{text: text, calls: []planning.ToolCall{{
		ID: newID(t.turn, "plan", 0, 0), Name: "submit_plan", Arguments: encode(submitArgs{plan, scope}),
	}}}
}
