package templates

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/planning"
	"countersign/internal/planning/document"
	"countersign/internal/review"
)

// PlanPage is one version of a plan and what people say about it.
type PlanPage struct {
	Page
	State   planning.State
	Plan    planning.Plan // the version shown; Version 0 if there is none yet
	From    planning.Plan // changes are marked against this text; Version 0 for none
	Since   Since
	Compose Compose
	Rules   review.Rules // of the server
	// Root is the path of the session with a slash at its end, where the page
	// is not served under it; relative addresses keep a long page small.
	Root string
}

// Compose is a comment or a reply that is being written, as a form that came
// back brought it.
type Compose struct {
	Open    bool
	Step    string
	Thread  string // for a reply
	Comment int64  // seq of the comment that is being changed; 0 for none
	Edit    int64  // seq of the edit that could not be undone; 0 for none
	Quote   string
	Body    string
	Problem string
}

// block is a piece of the plan as the page shows it.
type block struct {
	planning.Block
	html string
	lead bool // the title and what stands before the first step
	// paragraph counts the other texts between steps, from 1; 0 for a step.
	paragraph int
	was       *planning.Block
	by        authors
	changed   bool
	fresh     bool // not in the version it is compared with
	threads   []planning.Thread
	edits     []planning.Edit
	compose   Compose
	removed   string // the title of a step that is gone; nothing else is set then
	old       string // its text
	unkept    []planning.Unkept
}

func (p PlanPage) newest() bool { return p.Plan.Version == len(p.State.Plans) }

func (p PlanPage) inReview() bool { return p.newest() && p.Plan.Status == planning.PlanInReview }

// open tells whether people can still work on the version.
func (p PlanPage) open() bool { return p.inReview() && !p.Damaged }

func (p PlanPage) mayComment() bool { return p.open() && p.can(review.ActionComment) }

func (p PlanPage) mayEdit() bool { return p.open() && p.can(review.ActionEdit) }

func (p PlanPage) mayDecide() bool { return p.open() && p.can(review.ActionDecide) }

// hasApproved tells whether the person's approval stands on this very text.
func (p PlanPage) hasApproved() bool {
	return slices.ContainsFunc(p.Plan.ValidApprovals(), func(a planning.Approval) bool { return a.By.ID == p.Person.ID })
}

// mayReply: a thread can be answered as long as its version is the newest.
func (p PlanPage) mayReply() bool { return p.newest() && p.can(review.ActionComment) }

// here is the page's own address, as short as it can be.
func (p PlanPage) here() string {
	if p.Root == "" {
		return ""
	}
	return p.Root + "plan"
}

func (p PlanPage) root() string { return "/sessions/" + p.State.ID + "/" }

// blocks puts the pieces of the plan together, with steps that are gone since
// From where they stood.
func (p PlanPage) blocks() []block {
	threads := p.threadsByStep()
	gone := p.gone()
	links := references(p.Plan.Markdown)
	by, edits := p.authors(), p.Plan.Standing()
	list := gone[""]
	paragraphs := 0
	for i, b := range p.Plan.Blocks {
		v := block{Block: b, lead: i == 0 && b.Kind == document.Text, threads: threads[b.ID], by: by[b.ID]}
		if b.Kind == document.Text && !v.lead {
			paragraphs++
			v.paragraph = paragraphs
		}
		if v.lead {
			v.threads = append(slices.Clip(threads[""]), v.threads...)
		}
		v.html = blockHTML(p.Plan, b, links)
		if p.From.Version > 0 {
			p.compare(&v, links)
		}
		for _, u := range p.Plan.Outstanding() {
			if u.Step == b.ID || u.Op == planning.EditScope && i == 0 {
				v.unkept = append(v.unkept, u)
			}
		}
		for _, e := range edits {
			if e.Step == b.ID || e.Step == "" && i == 0 {
				v.edits = append(v.edits, e)
			}
		}
		if c := p.Compose; c.Open && c.Thread == "" && (c.Step == b.ID || c.Step == "" && v.lead) {
			v.compose = c
		}
		list = append(append(list, v), gone[b.ID]...)
	}
	return list
}

// compare marks what is new in a block since From.
func (p PlanPage) compare(v *block, links string) {
	was, found := p.From.Block(v.ID)
	if !found {
		v.fresh = true
		return
	}
	v.was = &was
	if text := p.From.Text(was); planning.SameText(text, p.Plan.Text(v.Block)) {
		return
	}
	v.changed = true
	v.html = wordDiff(blockHTML(p.From, was, links), v.html)
}

func titleOr(b planning.Block, text string) string {
	if b.Title != "" {
		return b.Title
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// threadsByStep leaves out threads that came after this version, and those
// whose step is gone: they have a section of their own.
func (p PlanPage) threadsByStep() map[string][]planning.Thread {
	list := map[string][]planning.Thread{}
	for _, t := range p.State.Threads {
		if t.Version > p.Plan.Version {
			continue
		}
		if _, here := p.Plan.Block(t.Step); t.Step == "" || here {
			list[t.Step] = append(list[t.Step], t)
		}
	}
	return list
}

func (p PlanPage) detached() []planning.Thread {
	var list []planning.Thread
	for _, t := range p.State.Threads {
		if _, here := p.Plan.Block(t.Step); t.Step != "" && !here && t.Version <= p.Plan.Version {
			list = append(list, t)
		}
	}
	return list
}

// answered counts the comments on the version before that this one answers.
func (p PlanPage) answered() (answered, all int) {
	for _, t := range p.State.Threads {
		if t.Version == p.Plan.Version-1 {
			all++
			if t.Answered == p.Plan.Version || t.Resolved {
				answered++
			}
		}
	}
	return answered, all
}

// openOn counts the open threads of a step, for the outline.
func (p PlanPage) openOn(step string) int {
	n := 0
	for _, t := range p.State.Threads {
		if t.Step == step && t.Open() {
			n++
		}
	}
	return n
}

// editsOn counts the reviewers' own changes to a step of this version.
func (p PlanPage) editsOn(step string) int {
	n := 0
	for _, e := range p.Plan.Standing() {
		if e.Step == step {
			n++
		}
	}
	return n
}

// moved says where a step stood before, or is empty if it stands there still.
func (b block) moved() int {
	if b.was == nil || b.Kind != document.Step || b.was.Number == b.Number {
		return 0
	}
	return b.was.Number
}

// firstNotKept is the id of the first thing on the page that the model did not
// keep.
func (p PlanPage) firstNotKept() string {
	for _, u := range p.Plan.Outstanding() {
		return unkeptID(u)
	}
	return "outline"
}

// unkeptID is where the page shows what the model did not keep.
func unkeptID(u planning.Unkept) string {
	return "unkept-" + string(u.Op) + "-" + cmp.Or(u.Step, "plan")
}

// replyTo is the reply to a thread that a form brought back, or an empty one.
func (p PlanPage) replyTo(thread string) Compose {
	if p.Compose.Thread == thread && p.Compose.Comment == 0 {
		return p.Compose
	}
	return Compose{}
}
