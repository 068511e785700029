package review

import (
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// Limits on what a person writes, in bytes.
const (
	MaxComment = 16 << 10
	MaxQuote   = 4 << 10
	MaxNote    = 16 << 10
	MaxStep    = 256 << 10
)

// Comment opens a thread on a step, on a quote from it, or on the plan. A
// thread can be opened only while its version is in review: after that nobody
// would read it (a fault.Conflict says so, and the text stays with the person).
func Comment(s planning.State, by Person, in NewComment) ([]planning.Event, error) {
	if err := by.May(ActionComment); err != nil {
		return nil, err
	}
	p, err := underReview(s, in.Version)
	if err != nil {
		return nil, err
	}
	body, err := text(in.Body, "body", "The comment", MaxComment)
	if err != nil {
		return nil, err
	}
	if in.Step != "" {
		if _, ok := p.Block(in.Step); !ok {
			return nil, goneStep(p, in.Step).At("step")
		}
	}
	if len(in.Quote) > MaxQuote {
		return nil, fault.New(fault.TooLarge, "A quote may have at most %d KB.", MaxQuote>>10).At("quote")
	}
	if f := document.CheckText("The quote", in.Quote); f != nil {
		return nil, f.At("quote")
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.ThreadOpened{
		Thread: in.Thread, Version: p.Version, Step: in.Step, Quote: strings.TrimSpace(in.Quote), Body: body,
	}}}, nil
}

// Reply adds a comment to a thread. A reply reopens a resolved thread's
// conversation without reopening the thread.
func Reply(s planning.State, by Person, thread, body string) ([]planning.Event, error) {
	if err := by.May(ActionComment); err != nil {
		return nil, err
	}
	if _, err := findThread(s, thread); err != nil {
		return nil, err
	}
	body, err := text(body, "body", "The reply", MaxComment)
	if err != nil {
		return nil, err
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.ThreadReplied{Thread: thread, Body: body}}}, nil
}

// Resolve closes a thread; it is not sent to the agent any more.
func Resolve(s planning.State, by Person, thread string) ([]planning.Event, error) {
	return setResolved(s, by, thread, true)
}

// Reopen undoes Resolve.
func Reopen(s planning.State, by Person, thread string) ([]planning.Event, error) {
	return setResolved(s, by, thread, false)
}

func setResolved(s planning.State, by Person, thread string, resolved bool) ([]planning.Event, error) {
	if err := by.May(ActionComment); err != nil {
		return nil, err
	}
	t, err := findThread(s, thread)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Withdrawn():
		return nil, fault.New(fault.Conflict, "All that was said here has been deleted.")
	case resolved && t.Resolved:
		return nil, fault.New(fault.Conflict, "%s has already resolved this.", t.ResolvedBy.Name)
	case resolved:
		return []planning.Event{{Actor: by.Actor(), Payload: planning.ThreadResolved{Thread: thread}}}, nil
	case t.Resolved || t.Answered > 0:
		return []planning.Event{{Actor: by.Actor(), Payload: planning.ThreadReopened{Thread: thread}}}, nil
	default:
		return nil, fault.New(fault.Conflict, "This thread is open already.")
	}
}

func findThread(s planning.State, id string) (planning.Thread, error) {
	t, ok := s.Thread(id)
	if !ok {
		return planning.Thread{}, fault.New(fault.NotFound, "There is no such thread.")
	}
	return t, nil
}

// underReview returns the version if it is the newest and nobody has decided.
func underReview(s planning.State, version int) (planning.Plan, error) {
	p, ok := s.Plan()
	switch {
	case !ok:
		return p, fault.New(fault.NotFound, "There is no plan yet.")
	case version < 1 || version > p.Version:
		return p, fault.New(fault.NotFound, "There is no version %d of this plan.", version).At("version")
	case version < p.Version:
		return p, fault.New(fault.Conflict, "Version %d is out by now; this was about version %d.", p.Version, version).
			With(current(p))
	case p.Status != planning.PlanInReview:
		return p, reviewOver(p).With(current(p))
	}
	return p, nil
}

// goneStep is the fault about a block that is not there: a conflict if somebody
// has just deleted it, or undone what made it, so that what was typed comes
// back.
func goneStep(p planning.Plan, step string) *fault.Fault {
	by := ""
	for _, e := range p.Edits {
		switch {
		case e.Undone != nil && slices.Contains(e.Made, step):
			by = e.Undone.By.Name
		case e.Undone == nil && e.Op == planning.EditDelete && e.Step == step:
			by = e.By.Name
		}
	}
	if by == "" {
		return fault.New(fault.NotFound, "There is no such step in this plan.")
	}
	return fault.New(fault.Conflict, "%s has deleted this step.", by).With(current(p))
}

// reviewOver is the fault about a version that has been decided on.
func reviewOver(p planning.Plan) *fault.Fault {
	if p.Decision == nil {
		return fault.New(fault.Conflict, "The review of this version is over.")
	}
	name := p.Decision.By.Name
	switch p.Status {
	case planning.PlanApproved:
		return fault.New(fault.Conflict, "%s has approved this version; its review is over.", name)
	case planning.PlanChangesRequested:
		return fault.New(fault.Conflict, "%s has asked for changes to this version; its review is over.", name)
	case planning.PlanAbandoned:
		return fault.New(fault.Conflict, "%s has stopped this session; its review is over.", name)
	default:
		return fault.New(fault.Conflict, "The review of this version is over.")
	}
}

// current is what a conflict tells about the plan as it is now.
func current(p planning.Plan) map[string]any {
	c := map[string]any{"version": p.Version, "status": p.Status, "sha256": p.SHA256}
	if p.Decision != nil {
		c["verdict"], c["by"], c["at"] = p.Decision.Verdict, p.Decision.By.Name, p.Decision.At
	}
	return c
}

// text checks what a person typed and trims it. What is how a sentence calls it.
func text(s, field, what string, most int) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", fault.New(fault.Invalid, "%s is empty.", fault.NewPart(what)).At(field)
	case len(s) > most:
		return "", fault.New(fault.TooLarge, "%s is too long: it may have at most %d KB.", fault.NewPart(what), most>>10).At(field)
	}
	if f := document.CheckText(what, s); f != nil {
		return "", f.At(field)
	}
	return s, nil
}
