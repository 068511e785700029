package review

import (
	"slices"
	"strings"

	"countersign/internal/planning"
)

// Feedback is what the agent gets when by gives this verdict with this note:
// the page shows it beforehand, the decision stores it, and the model receives
// it, the same bytes each time (R3). Comments are quoted word for word and
// rewritten steps in full, each between borders that it can't cross (see
// letter). It is empty while there is no plan.
func Feedback(s planning.State, by Person, verdict planning.Verdict, note string) string {
	p, ok := s.Plan()
	if !ok {
		return ""
	}
	p.Edits = p.Standing()
	l := letter{state: s, plan: p}
	switch verdict {
	case planning.VerdictApprove:
		l.approved(by, strings.TrimSpace(note))
	case planning.VerdictAbandon:
		l.line("The plan was abandoned by %s. The session is over; do nothing more.", person(by.Name))
		l.note(by.Name, strings.TrimSpace(note))
	default:
		l.requested(by, strings.TrimSpace(note))
	}
	return l.text()
}

func (l *letter) requested(by Person, note string) {
	threads := l.threads()
	l.line("The plan was reviewed by %s. Please change it and submit it again with submit_plan.", l.names(by, threads))
	l.comments(threads)
	l.edits()
	for _, a := range l.plan.Approvals {
		if a.By.ID != by.ID {
			l.note(a.By.Name, a.Note)
		}
	}
	l.note(by.Name, note)
	if len(threads) == 0 && len(l.plan.Edits) == 0 && len(l.plan.Outstanding()) == 0 && note == "" {
		l.line("\nNo comment was made. Look again at what the task asks for, and improve the plan.")
	}
}

func (l *letter) approved(by Person, note string) {
	var names []string
	for _, a := range l.plan.ValidApprovals() {
		names = append(names, person(a.By.Name))
	}
	if me := person(by.Name); !slices.Contains(names, me) {
		names = append(names, me)
	}
	l.line("Approved by %s. Carry out exactly this plan now.", list(names))
	if slices.ContainsFunc(l.plan.Edits, planning.Edit.OfPlanText) {
		l.line("\nThe reviewers changed it. This is the final text:")
		l.fenced(strings.TrimRight(l.plan.Markdown, "\n"))
	}
	l.scopeSet("\nWhat may be changed and run was set by %s:")
	if files := l.plan.Scope.Files; len(files) > 0 {
		spans := make([]string, len(files))
		for i, f := range files {
			spans[i] = span(f)
		}
		l.line("\nOnly these files may be changed: %s", strings.Join(spans, ", "))
	}
	l.comments(l.threads())
	for _, a := range l.plan.ValidApprovals() {
		if a.By.ID != by.ID {
			l.note(a.By.Name, a.Note)
		}
	}
	l.note(by.Name, note)
}

// threads are those that the agent is to hear of, in the order of
// the plan, those about the whole plan first.
func (l *letter) threads() []planning.Thread {
	var open []planning.Thread
	for _, t := range l.state.Threads {
		if t.Due() {
			open = append(open, t)
		}
	}
	place := func(t planning.Thread) int {
		if t.Step == "" {
			return -1
		}
		i := slices.IndexFunc(l.plan.Blocks, func(b planning.Block) bool { return b.ID == t.Step })
		if i < 0 {
			return len(l.plan.Blocks)
		}
		return i
	}
	slices.SortStableFunc(open, func(a, b planning.Thread) int { return place(a) - place(b) })
	return open
}
