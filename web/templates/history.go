package templates

import (
	"cmp"
	"context"
	"strings"

	"countersign/internal/planning"
)

// HistoryKinds are the records that the history shows: what people decided,
// and what they decided on.
var HistoryKinds = map[planning.Kind]bool{
	planning.KindSessionCreated: true, planning.KindUserMessage: true, planning.KindModeChanged: true,
	planning.KindPlanSubmitted: true, planning.KindStepRewritten: true, planning.KindStepInserted: true,
	planning.KindStepDeleted: true, planning.KindStepMoved: true, planning.KindThreadOpened: true,
	planning.KindThreadReplied: true, planning.KindThreadResolved: true, planning.KindThreadReopened: true,
	planning.KindCommentEdited: true, planning.KindCommentDeleted: true, planning.KindCommentAgreed: true,
	planning.KindAgreementWithdrawn: true, planning.KindScopeEdited: true, planning.KindEditUndone: true, planning.KindChangeReleased: true,
	planning.KindApprovalWithdrawn: true,
	planning.KindReviewApproved:    true, planning.KindReviewDecided: true, planning.KindPermissionAsked: true,
	planning.KindPermissionAnswered: true, planning.KindRunPaused: true, planning.KindRunResumed: true,
	planning.KindRunFailed: true, planning.KindRunFinished: true,
	planning.KindPermissionWithdrawn: true,
	planning.KindQuestionAsked:       true, planning.KindQuestionAnswered: true, planning.KindQuestionDismissed: true,
	planning.KindGoalChanged: true, planning.KindAgentStarted: true, planning.KindAgentFinished: true,
	planning.KindContextCompacted: true, planning.KindInstructionsRead: true,
}

// HistoryLine says what a record did, to what, and under which hash. All three
// are plain text; the last two may be empty.
func HistoryLine(ctx context.Context, r planning.Record) (words, about, sha string) {
	payload, err := r.Payload()
	if err != nil {
		return string(r.Kind), "", ""
	}
	name := visible(r.Actor.Name)
	switch p := payload.(type) {
	case planning.SessionCreated:
		return tr(ctx, "%s started the session", name), p.Title, ""
	case planning.UserMessage:
		return tr(ctx, "%s wrote", name), p.Text, ""
	case planning.ModeChanged:
		return modeWords(ctx, p.To), logged(ctx, p.Reason), ""
	case planning.PlanSubmitted:
		return tr(ctx, "%s submitted plan v%d", name, p.Version), p.Title, p.SHA256
	case planning.StepEdited:
		return editedWords(ctx, name, p.Op), p.Title, p.SHA256
	case planning.PermissionAsked:
		return tr(ctx, "%s asked for permission", name), planning.Permission{PermissionAsked: p}.Subject(), ""
	case planning.PermissionAnswered:
		return answeredBy(ctx, name, p.Answer), cmp.Or(p.Reason, strings.Join(p.Patterns, tr(ctx, ", "))), ""
	case planning.PermissionWithdrawn:
		return tr(ctx, "%s withdrew what was allowed for this session", name), "", ""
	case planning.QuestionAsked:
		return tr(ctx, "%s asked", name), questionsLine(p.Questions), ""
	case planning.QuestionAnswered:
		return endedWords(ctx, name, planning.InquiryAnswered), answersLine(ctx, p.Answers), ""
	case planning.QuestionDismissed:
		return endedWords(ctx, name, planning.InquiryDismissed), "", ""
	case planning.RunPaused:
		return logged(ctx, p.Reason), "", ""
	case planning.RunResumed:
		return tr(ctx, "%s resumed", name), "", ""
	case planning.RunFailed:
		return tr(ctx, "The agent stopped"), logged(ctx, p.Message), ""
	case planning.RunFinished:
		return finishedWords(ctx, p.Unfinished), "", ""
	default:
		return reviewLineOf(ctx, name, payload)
	}
}

func reviewLineOf(ctx context.Context, name string, payload planning.Payload) (words, about, sha string) {
	switch p := payload.(type) {
	case planning.ThreadOpened:
		return tr(ctx, "%s commented on v%d", name, p.Version), p.Body, ""
	case planning.ThreadReplied:
		return tr(ctx, "%s replied", name), p.Body, ""
	case planning.ThreadResolved:
		return tr(ctx, "%s resolved a thread", name), "", ""
	case planning.ThreadReopened:
		return tr(ctx, "%s reopened a thread", name), "", ""
	case planning.ReviewApproved:
		return tr(ctx, "%s approved v%d", name, p.Version), p.Note, p.SHA256
	case planning.ReviewDecided:
		switch p.Verdict {
		case planning.VerdictApprove:
			return tr(ctx, "Plan v%d is approved and runs", p.Version), "", p.SHA256
		case planning.VerdictAbandon:
			return tr(ctx, "%s stopped the session", name), p.Note, p.SHA256
		default:
			return tr(ctx, "%s asked for changes to v%d", name, p.Version), p.Note, p.SHA256
		}
	default:
		return secondLineOf(ctx, name, payload)
	}
}

// secondLineOf is about what people took back, or thought better of.
func secondLineOf(ctx context.Context, name string, payload planning.Payload) (words, about, sha string) {
	switch p := payload.(type) {
	case planning.CommentEdited:
		return tr(ctx, "%s changed a comment", name), p.Body, ""
	case planning.CommentDeleted:
		return tr(ctx, "%s deleted a comment", name), "", ""
	case planning.CommentAgreed:
		return tr(ctx, "%s agreed with a comment", name), "", ""
	case planning.AgreementWithdrawn:
		return tr(ctx, "%s no longer agrees with a comment", name), "", ""
	case planning.ScopeEdited:
		return tr(ctx, "%s set what the plan may write and run", name), scopeText(ctx, p.Scope), p.SHA256
	case planning.ChangeReleased:
		return released(ctx, name, p.Of), p.Title, ""
	case planning.EditUndone:
		return undid(ctx, name, p.Op), p.Title, p.SHA256
	case planning.ApprovalWithdrawn:
		return tr(ctx, "%s withdrew the approval of v%d", name, p.Version), "", p.SHA256
	default:
		return contextLineOf(ctx, name, payload)
	}
}

// contextLineOf is about the goal and sub-agents, and about what the model gets.
func contextLineOf(ctx context.Context, name string, payload planning.Payload) (words, about, sha string) {
	switch p := payload.(type) {
	case planning.GoalChanged:
		words, about = goalWords(ctx, name, p)
		return words, about, ""
	case planning.AgentStarted:
		return tr(ctx, "%s started sub-agent %s", name, visible(p.Agent)), p.Task, ""
	case planning.AgentFinished:
		_, state := subagentState(ctx, p.Outcome)
		return tr(ctx, "Sub-agent %s: %s", visible(p.Agent), state), "", ""
	case planning.ContextCompacted:
		return compactedWords(ctx, p), "", ""
	case planning.InstructionsRead:
		if p.Same {
			return tr(ctx, "Looked for project instructions: nothing new"), "", ""
		}
		return instructionsWords(ctx, p.Files), "", ""
	default:
		return tr(ctx, "Something happened"), "", ""
	}
}

func undid(ctx context.Context, name string, op planning.EditOp) string {
	switch op {
	case planning.EditInsert:
		return tr(ctx, "%s undid the insertion of a step", name)
	case planning.EditMove:
		return tr(ctx, "%s undid the move of a step", name)
	case planning.EditDelete:
		return tr(ctx, "%s undid the deletion of a step", name)
	case planning.EditScope:
		return tr(ctx, "%s undid a change of what the plan may write and run", name)
	case planning.EditRelease:
		return tr(ctx, "%s asks again for what a reviewer had made", name)
	default:
		return tr(ctx, "%s undid the rewrite of a step", name)
	}
}

// editWords says what somebody did to the plan.
func editWords(ctx context.Context, e planning.Edit) string {
	if e.Op == planning.EditRelease {
		return released(ctx, visible(e.By.Name), e.Of)
	}
	return editedWords(ctx, visible(e.By.Name), e.Op)
}

// changesOf counts what reviewers changed in a version.
func changesOf(p planning.Plan) int {
	n := 0
	for _, e := range p.Standing() {
		if e.Op != planning.EditRelease {
			n++
		}
	}
	return n
}

// editedWords says what somebody did to a step of the plan.
func editedWords(ctx context.Context, name string, op planning.EditOp) string {
	switch op {
	case planning.EditInsert:
		return tr(ctx, "%s added this step", name)
	case planning.EditMove:
		return tr(ctx, "%s moved this step", name)
	case planning.EditDelete:
		return tr(ctx, "%s deleted this step", name)
	case planning.EditScope:
		return tr(ctx, "%s set what the plan may write and run", name)
	default:
		return tr(ctx, "%s rewrote this step", name)
	}
}
