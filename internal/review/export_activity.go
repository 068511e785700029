package review

import (
	"fmt"
	"strings"

	"countersign/internal/planning"
)

// activity lists what happened, one line an event, in the order of the log.
// What was said is added in full.
func (h *history) activity() {
	h.part("## Activity")
	for _, r := range h.records {
		payload, err := r.Payload()
		if err != nil || payload == nil {
			h.event(r, "%s (not known to this version)", inline(string(r.Kind)))
			continue
		}
		h.record(r, payload)
	}
}

func (h *history) event(r planning.Record, format string, args ...any) {
	h.line("- %d · %s, %s: %s", r.Seq, clock(r.At), actor(r.Actor), fmt.Sprintf(format, args...))
}

// said writes text below the line of its event, as part of the list item.
func (h *history) said(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	var block history
	block.fence("text", text)
	h.gap()
	for l := range strings.Lines(block.String()) {
		h.WriteString("  " + l)
	}
	h.gap()
}

func (h *history) record(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.SessionCreated:
		h.event(r, "began the session in %s mode", inline(string(p.Mode)))
	case planning.UserMessage:
		h.event(r, "wrote")
		h.said(p.Text)
	case planning.ModelMessage:
		h.event(r, "answered%s", asking(len(p.Calls)))
		h.said(p.Text)
	case planning.ToolStarted, planning.ToolFinished, planning.FileChanged,
		planning.PermissionAsked, planning.PermissionAnswered, planning.PermissionWithdrawn, planning.TodoWritten:
		h.tool(r, payload)
	case planning.PlanSubmitted, planning.StepEdited, planning.ThreadOpened, planning.ThreadReplied,
		planning.ThreadResolved, planning.ThreadReopened, planning.ReviewApproved, planning.ReviewDecided:
		h.review(r, payload)
	case planning.CommentEdited, planning.CommentDeleted, planning.CommentAgreed, planning.AgreementWithdrawn,
		planning.ScopeEdited, planning.ChangeReleased, planning.EditUndone, planning.ApprovalWithdrawn:
		h.second(r, payload)
	case planning.QuestionAsked, planning.QuestionAnswered, planning.QuestionDismissed:
		h.question(r, payload)
	case planning.AgentStarted, planning.AgentMessage, planning.AgentToolStarted, planning.AgentToolFinished, planning.AgentFinished:
		h.subagent(r, payload)
	case planning.ContextCompacted, planning.InstructionsRead, planning.ToolsListed, planning.GoalRoundStarted, planning.GoalChanged, planning.TodoReminded:
		h.context(r, payload)
	default:
		h.run(r, payload)
	}
}

func (h *history) tool(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.ToolStarted:
		h.event(r, "%s: %s", inline(p.Name), inline(p.Summary))
	case planning.ToolFinished:
		h.event(r, "%s: %s%s", inline(p.Name), p.Outcome, because(outcomeReason(p)))
	case planning.FileChanged:
		place := "in the plan"
		if !p.InPlan {
			place = "not in the plan"
		}
		h.event(r, "changed %s, +%d −%d, %s", code(p.Path), p.Added, p.Removed, place)
	case planning.PermissionAsked:
		h.event(r, "asked for permission: %s, %s%s", inline(p.Tool),
			code(planning.Permission{PermissionAsked: p}.Subject()), because(p.Reason))
	case planning.PermissionAnswered:
		h.event(r, "answered the request for permission: %s%s", inline(string(p.Answer)), because(p.Reason))
		if len(p.Patterns) > 0 {
			h.line("  - files: %s", code(strings.Join(p.Patterns, ", ")))
		}
	case planning.PermissionWithdrawn:
		h.event(r, "withdrew what was allowed for the session")
	case planning.TodoWritten:
		done := 0
		for _, t := range p.Items {
			if t.Status == planning.TodoCompleted {
				done++
			}
		}
		h.event(r, "to-do list, %d of %d done", done, len(p.Items))
	}
}

// outcomeReason is what came of a call; of one that was refused or failed, the
// reason that the model got.
func outcomeReason(p planning.ToolFinished) string {
	if p.Outcome == planning.OutcomeOK {
		return p.Note
	}
	return p.Output
}

// maxReason is how much of a reason is shown, in bytes: a failed command may
// have written a lot.
const maxReason = 400

func because(reason string) string {
	if reason = strings.TrimSpace(reason); reason == "" {
		return ""
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + " …"
	}
	return ": " + inline(reason)
}

func (h *history) review(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.PlanSubmitted:
		h.event(r, "submitted version %d of the plan, %s", p.Version, code(p.SHA256))
	case planning.StepEdited:
		h.event(r, "%s %s of version %d, which is now %s", editVerbs[p.Op], stepName(p.Number, p.Title), p.Version, code(p.SHA256))
	case planning.ThreadOpened:
		h.event(r, "commented on version %d", p.Version)
		h.first(r, p.Thread, p.Body)
	case planning.ThreadReplied:
		h.event(r, "replied to a comment")
		h.first(r, p.Thread, p.Body)
	case planning.ThreadResolved:
		h.event(r, "resolved a comment")
	case planning.ThreadReopened:
		h.event(r, "reopened a comment")
	case planning.ReviewApproved:
		h.event(r, "approved version %d, %s", p.Version, code(p.SHA256))
	case planning.ReviewDecided:
		h.event(r, "%s, version %d, %s", verdictVerbs[p.Verdict], p.Version, code(p.SHA256))
	}
}

// first writes what a comment said when it was made, if it says something else
// by now.
func (h *history) first(r planning.Record, thread, body string) {
	t, _ := h.state.Thread(thread)
	if c, ok := t.Comment(r.Seq); ok && (c.Edited() || c.Deleted()) {
		h.said(body)
	}
}

// second lists what people took back, or thought better of.
func (h *history) second(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.CommentEdited:
		h.event(r, "changed the comment of event %d", p.Comment)
		h.said(p.Body)
	case planning.CommentDeleted:
		h.event(r, "deleted the comment of event %d", p.Comment)
	case planning.CommentAgreed:
		h.event(r, "agreed with the comment of event %d", p.Comment)
	case planning.AgreementWithdrawn:
		h.event(r, "no longer agrees with the comment of event %d", p.Comment)
	case planning.ScopeEdited:
		h.event(r, "set the scope of version %d, which is now %s", p.Version, code(p.SHA256))
	case planning.ChangeReleased:
		h.event(r, "%s%s in version %d", releaseVerbs[p.Of], editedStep(planning.Edit{Of: p.Of, Number: p.Number, Title: p.Title}), p.Version)
	case planning.EditUndone:
		h.event(r, "undid the change of event %d to version %d, which is now %s", p.Edit, p.Version, code(p.SHA256))
	case planning.ApprovalWithdrawn:
		h.event(r, "withdrew the approval of version %d, %s", p.Version, code(p.SHA256))
	}
}

func (h *history) run(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.ModeChanged:
		h.event(r, "mode %s → %s%s", inline(string(p.From)), inline(string(p.To)), because(p.Reason))
	case planning.RunParked:
		h.event(r, "the agent waits: %s", inline(string(p.Wait)))
	case planning.RunPaused:
		h.event(r, "paused%s", because(p.Reason))
	case planning.RunResumed:
		h.event(r, "resumed")
	case planning.RunFailed:
		h.event(r, "the agent can't go on%s", because(p.Message))
	case planning.RunFinished:
		h.event(r, "the agent is done, %d to-do items unfinished", p.Unfinished)
	default:
		h.event(r, "%s", inline(string(r.Kind)))
	}
}

// asking says how many tool calls an answer has.
func asking(calls int) string {
	switch calls {
	case 0:
		return ""
	case 1:
		return ", asking for 1 tool call"
	default:
		return fmt.Sprintf(", asking for %d tool calls", calls)
	}
}
