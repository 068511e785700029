package review

import (
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"countersign/internal/planning"
)

// plans writes every version, with what people did to it.
func (h *history) plans() {
	for _, p := range h.state.Plans {
		h.part("## Plan, version %d: %s", p.Version, inline(p.Title))
		h.part("Submitted %s by %s. Status: %s.", clock(p.SubmittedAt), actor(p.SubmittedBy), p.Status)
		h.part("SHA-256: %s", code(p.SHA256))
		h.scope(p.Scope)
		if p.Submitted != "" && p.Submitted != p.Markdown {
			h.part("As submitted:")
			h.fence("markdown", p.Submitted)
			h.part("As changed by the reviewers:")
		}
		h.fence("markdown", p.Markdown)
		h.edits(p)
		h.threads(p)
		h.decision(p)
	}
}

func (h *history) scope(scope planning.Scope) {
	for _, part := range []struct {
		name  string
		items []string
	}{{"Files", scope.Files}, {"Commands", scope.Commands}} {
		if len(part.items) == 0 {
			continue
		}
		h.part("%s:", part.name)
		for _, item := range part.items {
			h.line("- %s", code(item))
		}
	}
}

var editVerbs = map[planning.EditOp]string{
	planning.EditRewrite: "rewrote", planning.EditInsert: "inserted", planning.EditDelete: "deleted", planning.EditMove: "moved",
	planning.EditScope: "set the scope",
}

func (h *history) edits(p planning.Plan) {
	if len(p.Edits) == 0 {
		return
	}
	h.part("### Changes by reviewers")
	for _, e := range p.Edits {
		h.part("%s, %s %s%s%s.", clock(e.At), actor(e.By), editVerb(e), editedStep(e), undoneBy(e))
		if e.Scopes != nil {
			e.Before, e.After = submittedAs(e.Scopes.Before), submittedAs(e.Scopes.After)
		}
		if diff := udiff.Unified("before", "after", lineEnd(e.Before), lineEnd(e.After)); diff != "" {
			h.fence("diff", diff)
		}
	}
}

// releaseVerbs are for what a reviewer had done and is not asked for any more.
var releaseVerbs = map[planning.EditOp]string{
	planning.EditRewrite: "took the agent's text of", planning.EditInsert: "took the agent's text of",
	planning.EditDelete: "no longer asks to delete", planning.EditMove: "took the agent's place for",
	planning.EditScope: "took the agent's scope",
}

func editVerb(e planning.Edit) string {
	if e.Op == planning.EditRelease {
		return releaseVerbs[e.Of]
	}
	return editVerbs[e.Op]
}

func editedStep(e planning.Edit) string {
	if e.Op == planning.EditScope || e.Of == planning.EditScope {
		return ""
	}
	return " " + stepName(e.Number, e.Title)
}

func undoneBy(e planning.Edit) string {
	if e.Undone == nil {
		return ""
	}
	return fmt.Sprintf(" (undone by %s, %s)", actor(e.Undone.By), clock(e.Undone.At))
}

// lineEnd ends the text with a line break, so that a diff has no lines that
// differ only in that.
func lineEnd(s string) string {
	if s == "" || s[len(s)-1] == '\n' {
		return s
	}
	return s + "\n"
}

func (h *history) threads(p planning.Plan) {
	first := true
	for _, t := range h.state.Threads {
		if t.Version != p.Version {
			continue
		}
		if first {
			h.part("### Comments")
			first = false
		}
		h.thread(t)
	}
}

func (h *history) thread(t planning.Thread) {
	about := "the plan as a whole"
	if t.Step != "" {
		about = stepName(0, t.StepTitle)
	}
	h.part("On %s%s:", about, threadEnd(t))
	if t.Quote != "" {
		h.part("Quoted:")
		h.fence("text", t.Quote)
	}
	for _, c := range t.Comments {
		h.comment(c)
	}
}

func (h *history) comment(c planning.Comment) {
	if c.Deleted() {
		h.part("%s, deleted by %s.", clock(c.DeletedAt), actor(c.By))
		return
	}
	edited := ""
	if c.Edited() {
		edited = ", edited " + clock(c.EditedAt)
	}
	h.part("%s, %s%s:", clock(c.At), actor(c.By), edited)
	h.fence("text", c.Body)
	if len(c.Agreed) > 0 {
		names := make([]string, len(c.Agreed))
		for i, a := range c.Agreed {
			names[i] = actor(a)
		}
		h.part("Agreed by %s.", list(names))
	}
}

func threadEnd(t planning.Thread) string {
	switch {
	case t.Resolved:
		return fmt.Sprintf(" (resolved by %s)", actor(t.ResolvedBy))
	case t.Answered > 0:
		return fmt.Sprintf(" (answered in version %d)", t.Answered)
	case t.Detached:
		return " (its step is gone)"
	case t.Revised > 0:
		return fmt.Sprintf(" (open; the plan changed in version %d)", t.Revised)
	}
	return " (open)"
}

var verdictVerbs = map[planning.Verdict]string{
	planning.VerdictApprove: "approved", planning.VerdictRequestChanges: "asked for changes", planning.VerdictAbandon: "abandoned the plan",
}

func (h *history) decision(p planning.Plan) {
	if len(p.Approvals) == 0 && p.Decision == nil {
		return
	}
	h.part("### Decision")
	for _, a := range p.Approvals {
		stale := ""
		if a.SHA256 != p.SHA256 {
			stale = " (stale: the plan was changed after that)"
		}
		h.part("%s, %s approved %s%s.", clock(a.At), actor(a.By), code(a.SHA256), stale)
		h.note(a.Note)
	}
	d := p.Decision
	if d == nil {
		return
	}
	h.part("%s, %s %s: %s.", clock(d.At), actor(d.By), verdictVerbs[d.Verdict], code(d.SHA256))
	h.note(d.Note)
	if d.Result != "" {
		h.part("The agent got:")
		h.fence("text", d.Result)
	}
}

func (h *history) note(text string) {
	if text != "" {
		h.fence("text", text)
	}
}

func stepName(number int, title string) string {
	if number > 0 {
		return fmt.Sprintf("step %d “%s”", number, inline(title))
	}
	return "“" + inline(title) + "”"
}
