package review

import (
	"fmt"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
)

// Feedback is what the agent gets when by gives this verdict with this note:
// the page shows it beforehand, the decision stores it, and the model receives
// it, the same bytes each time (R3). Comments are quoted word for word and
// rewritten steps in full. It is empty while there is no plan.
func Feedback(s planning.State, by Person, verdict planning.Verdict, note string) string {
	p, ok := s.Plan()
	if !ok {
		return ""
	}
	l := letter{state: s, plan: p}
	switch verdict {
	case planning.VerdictApprove:
		l.approved(by, strings.TrimSpace(note))
	case planning.VerdictAbandon:
		l.line("The plan was abandoned by %s. The session is over; do nothing more.", by.Name)
		l.note(by.Name, strings.TrimSpace(note))
	default:
		l.requested(by, strings.TrimSpace(note))
	}
	return strings.TrimRight(l.String(), "\n") + "\n"
}

// letter puts the text together, section by section.
type letter struct {
	strings.Builder
	state planning.State
	plan  planning.Plan
}

func (l *letter) line(format string, args ...any) {
	fmt.Fprintf(l, format+"\n", args...)
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
	if len(threads) == 0 && len(l.plan.Edits) == 0 && note == "" {
		l.line("\nNo comment was made. Look again at what the task asks for, and improve the plan.")
	}
}

func (l *letter) approved(by Person, note string) {
	var names []string
	for _, a := range l.plan.ValidApprovals() {
		names = append(names, a.By.Name)
	}
	if !slices.Contains(names, by.Name) {
		names = append(names, by.Name)
	}
	l.line("Approved by %s. Carry out exactly this plan now.", list(names))
	if len(l.plan.Edits) > 0 {
		l.line("\nThe reviewers changed it. This is the final text:")
		l.fenced(l.plan.Markdown)
	}
	if files := l.plan.Scope.Files; len(files) > 0 {
		l.line("\nOnly these files may be changed: %s", strings.Join(files, ", "))
	}
	l.comments(l.threads())
	for _, a := range l.plan.ValidApprovals() {
		if a.By.ID != by.ID {
			l.note(a.By.Name, a.Note)
		}
	}
	l.note(by.Name, note)
}

// threads are those that the agent is to hear of: open ones, in the order of
// the plan, those about the whole plan first.
func (l *letter) threads() []planning.Thread {
	var open []planning.Thread
	for _, t := range l.state.Threads {
		if t.Open() {
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

func (l *letter) comments(threads []planning.Thread) {
	heading := ""
	for _, t := range threads {
		if h := l.about(t); h != heading {
			l.line("\n%s:", h)
			heading = h
		}
		for quoted := range strings.Lines(t.Quote) {
			l.line("> %s", strings.TrimRight(quoted, "\r\n"))
		}
		for _, c := range t.Comments {
			l.line("%s: %s", c.By.Name, c.Body)
		}
	}
}

// about says what a thread is on, as the agent knows it: by the number in the
// version that it submitted.
func (l *letter) about(t planning.Thread) string {
	if t.Step == "" {
		return "On the plan as a whole"
	}
	b, ok := l.plan.Block(t.Step)
	switch {
	case !ok:
		return fmt.Sprintf("On %s, which is not in the plan any more", quote(t.StepTitle))
	case b.Origin > 0:
		return fmt.Sprintf("On step %d %s", b.Origin, quote(b.Title))
	default:
		return "On " + quote(b.Title)
	}
}

// edits lists the reviewers' own changes, each text once, as it ended up.
func (l *letter) edits() {
	reordered := false
	for i := 0; i < len(l.plan.Blocks); {
		first := l.madeBy(l.plan.Blocks[i].ID)
		if first == nil {
			i++
			continue
		}
		// One edit may have made several blocks; they are told as one text.
		text, by := "", first.By.Name
		for ; i < len(l.plan.Blocks) && l.madeBy(l.plan.Blocks[i].ID) == first; i++ {
			text += l.plan.Text(l.plan.Blocks[i])
			by = l.lastEditor(l.plan.Blocks[i].ID, by)
		}
		switch {
		case first.Op == planning.EditInsert:
			reordered = true
			l.line("\nA step was inserted by %s. Keep it word for word:", by)
		case planning.SameText(first.Before, text):
			continue // it was undone again
		default:
			l.line("\n%s was rewritten by %s. Keep it word for word:", subject(first.Number, first.Title), by)
		}
		l.fenced(strings.TrimRight(text, "\r\n \t"))
	}
	for _, e := range l.plan.Edits {
		if e.Op == planning.EditDelete && !l.reviewersOwn(e.Step) {
			l.line("\n%s was deleted by %s. Leave it out.", subject(e.Number, e.Title), e.By.Name)
		}
		reordered = reordered || e.Op == planning.EditMove
	}
	if reordered {
		l.line("\nThe steps are now, in this order: %s.", l.order())
	}
}

// madeBy is the first edit of this version that the block's text comes from,
// or nil.
func (l *letter) madeBy(block string) *planning.Edit {
	for i, e := range l.plan.Edits {
		if slices.Contains(e.Made, block) {
			return &l.plan.Edits[i]
		}
	}
	return nil
}

// lastEditor is who changed the block's text last, or else otherwise.
func (l *letter) lastEditor(block, otherwise string) string {
	for _, e := range l.plan.Edits {
		if slices.Contains(e.Made, block) {
			otherwise = e.By.Name
		}
	}
	return otherwise
}

// reviewersOwn tells whether the block was never the agent's.
func (l *letter) reviewersOwn(block string) bool {
	e := l.madeBy(block)
	return e != nil && (e.Op == planning.EditInsert || e.Step != block)
}

// order names the steps by the numbers that the agent gave them.
func (l *letter) order() string {
	var numbers []string
	for _, b := range l.plan.Blocks {
		switch {
		case b.Kind != document.Step:
		case b.Origin > 0:
			numbers = append(numbers, fmt.Sprint(b.Origin))
		default:
			numbers = append(numbers, "new")
		}
	}
	return strings.Join(numbers, ", ")
}

func (l *letter) note(name, note string) {
	if note != "" {
		l.line("\nNote from %s:\n%s", name, note)
	}
}

// fenced writes text between fences that are longer than any inside it.
func (l *letter) fenced(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	l.line("%s\n%s\n%s", fence, strings.TrimRight(text, "\n"), fence)
}

// names lists who took part: writers of comments, editors, and who decides.
func (l *letter) names(by Person, threads []planning.Thread) string {
	var names []string
	add := func(a planning.Actor) {
		if a.Kind == planning.ActorPerson && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	for _, t := range threads {
		for _, c := range t.Comments {
			add(c.By)
		}
	}
	for _, e := range l.plan.Edits {
		add(e.By)
	}
	add(by.Actor())
	return list(names)
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func subject(number int, title string) string {
	if number > 0 {
		return fmt.Sprintf("Step %d %s", number, quote(title))
	}
	return quote(title)
}

func quote(title string) string { return "“" + title + "”" }
