package review

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// EditPlan records a reviewer's own change to the plan. A change that was made
// on a text that is not there any more is a fault.Conflict, which carries that
// text, so that nothing typed is lost (R6).
func EditPlan(s planning.State, by Person, in NewEdit) ([]planning.Event, error) {
	if err := by.May(ActionEdit); err != nil {
		return nil, err
	}
	p, err := underReview(s, in.Version)
	if err != nil {
		return nil, err
	}
	if len(in.Markdown) > MaxStep {
		return nil, fault.New(fault.TooLarge, "A step may have at most %d KB.", MaxStep>>10).At("markdown")
	}
	if in.Base == "" && in.Seen == nil {
		return nil, fault.New(fault.Invalid, "Say which text you saw: base is the SHA-256 of the plan.").At("base")
	}
	for _, step := range []string{in.Step, in.After} {
		if _, ok := p.Block(step); step != "" && !ok {
			return nil, goneStep(p, step)
		}
	}
	if err := onSeenText(p, in); err != nil {
		return nil, err
	}
	edit, err := planning.ApplyEdit(s, planning.PlanEdit{
		Op: in.Op, Step: in.Step, After: in.After, Markdown: in.Markdown, By: by.Name,
	})
	if err != nil {
		return nil, err
	}
	if edit.SHA256 == p.SHA256 {
		return nil, fault.New(fault.Invalid, "This changes nothing.").At("markdown")
	}
	return []planning.Event{{Actor: by.Actor(), Payload: edit}}, nil
}

// onSeenText holds the edit against what the reviewer saw: the block's text
// where it came along, else the whole plan.
func onSeenText(p planning.Plan, in NewEdit) error {
	if in.Base == p.SHA256 {
		return nil
	}
	b, found := p.Block(in.Step)
	if in.Seen != nil && found && sameSeen(*in.Seen, p.Text(b)) {
		return nil
	}
	now := current(p)
	conflict := fault.New(fault.Conflict, "The plan has changed since you saw it.")
	if by, at, changed := lastChange(p, onStep(in.Step)); changed {
		now["by"], now["at"] = by, at
		conflict = fault.New(fault.Conflict, "%s changed this step while you were writing.", by)
	}
	if found {
		now["markdown"] = p.Text(b)
	}
	return conflict.With(now)
}

// onStep tells edits of a step from others; with no step, all are.
func onStep(step string) func(planning.Edit) bool {
	return func(e planning.Edit) bool {
		return step == "" || e.Step == step || slices.Contains(e.Made, step)
	}
}

// lastChange is who made the last of some edits, or took one of them back, and
// when.
func lastChange(p planning.Plan, some func(planning.Edit) bool) (by string, at time.Time, found bool) {
	note := func(who planning.Actor, when time.Time) {
		if !found || !when.Before(at) {
			by, at, found = who.Name, when, true
		}
	}
	for _, e := range p.Edits {
		if !some(e) {
			continue
		}
		note(e.By, e.At)
		if e.Undone != nil {
			note(e.Undone.By, e.Undone.At)
		}
	}
	return by, at, found
}

// sameSeen: a browser's form turns line ends into CRLF.
func sameSeen(seen, text string) bool {
	lf := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return lf(seen) == lf(text)
}

// Decide records a person's verdict on exactly the text that they saw (P16).
// An approval counts once the session's number of people stand on the same
// hash; the last one of them decides. Faults: Forbidden, NotFound, Invalid,
// and Conflict when the text has changed, somebody else has decided (P17), or
// open comments stand in the way.
func Decide(s planning.State, by Person, in NewDecision) ([]planning.Event, error) {
	if err := by.May(ActionDecide); err != nil {
		return nil, err
	}
	p, err := underReview(s, in.Version)
	if err != nil {
		return nil, err
	}
	note := ""
	if strings.TrimSpace(in.Note) != "" {
		if note, err = text(in.Note, "note", "The note", MaxNote); err != nil {
			return nil, err
		}
	}
	if in.SHA256 == "" {
		return nil, fault.New(fault.Invalid, "A verdict names the text it is about: sha256 is missing.").At("sha256")
	}
	if in.SHA256 != p.SHA256 {
		return nil, fault.New(fault.Conflict, "The plan has changed since you saw it; please look at it again.").With(changed(p))
	}
	in.Note = note
	switch in.Verdict {
	case planning.VerdictApprove:
		return approve(s, p, by, in)
	case planning.VerdictRequestChanges, planning.VerdictAbandon:
		return []planning.Event{decided(s, p, by, in)}, nil
	default:
		return nil, fault.New(fault.Invalid, "The verdict can be \"approve\", \"request_changes\" or \"abandon\".").At("verdict")
	}
}

// changed tells a stale verdict what happened to the text in the meantime.
func changed(p planning.Plan) map[string]any {
	now := current(p)
	var edits []map[string]any
	for _, e := range p.Standing() {
		edits = append(edits, map[string]any{"op": e.Op, "step": e.Step, "title": e.Title, "by": e.By.Name, "at": e.At})
	}
	now["edits"] = edits
	return now
}

func approve(s planning.State, p planning.Plan, by Person, in NewDecision) ([]planning.Event, error) {
	if err := in.Rules.MayApprove(s, by); err != nil {
		return nil, err
	}
	if n := s.OpenThreads(); n > 0 && in.Rules.ThreadsBlock {
		now := current(p)
		now["open_threads"] = n
		return nil, fault.New(fault.Conflict, "Comments are still open. Here they have to be answered or resolved before a plan can be approved.").With(now)
	}
	if _, stands := p.ApprovalOf(by.ID); stands {
		return nil, fault.New(fault.Conflict, "You have already approved exactly this text.").With(current(p))
	}
	events := []planning.Event{{Actor: by.Actor(), Payload: planning.ReviewApproved{
		Version: p.Version, SHA256: p.SHA256, Note: in.Note,
	}}}
	if len(p.ValidApprovals())+1 < s.Approvals {
		return events, nil
	}
	return append(events, decided(s, p, by, in), planning.Event{
		Actor: planning.System, Payload: planning.TodoWritten{Items: planning.SeedTodos(s.Todos, p)},
	}), nil
}

func decided(s planning.State, p planning.Plan, by Person, in NewDecision) planning.Event {
	return planning.Event{Actor: by.Actor(), Payload: planning.ReviewDecided{
		Version: p.Version, SHA256: p.SHA256, Verdict: in.Verdict, Note: in.Note, Call: p.Call,
		Result: Feedback(s, by, in.Verdict, in.Note),
	}}
}
