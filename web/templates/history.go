package templates

import (
	"fmt"

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
	planning.KindAgreementWithdrawn: true, planning.KindScopeEdited: true, planning.KindEditUndone: true,
	planning.KindApprovalWithdrawn: true,
	planning.KindReviewApproved:    true, planning.KindReviewDecided: true, planning.KindPermissionAsked: true,
	planning.KindPermissionAnswered: true, planning.KindRunPaused: true, planning.KindRunResumed: true,
	planning.KindRunFailed: true, planning.KindRunFinished: true,
}

// HistoryLine says what a record did, to what, and under which hash. All three
// are plain text; the last two may be empty.
func HistoryLine(r planning.Record) (words, about, sha string) {
	payload, err := r.Payload()
	if err != nil {
		return string(r.Kind), "", ""
	}
	name := r.Actor.Name
	switch p := payload.(type) {
	case planning.SessionCreated:
		return name + " started the session", p.Title, ""
	case planning.UserMessage:
		return name + " wrote", p.Text, ""
	case planning.ModeChanged:
		return modeWords(p.To), p.Reason, ""
	case planning.PlanSubmitted:
		return fmt.Sprintf("%s submitted plan v%d", name, p.Version), p.Title, p.SHA256
	case planning.StepEdited:
		return edited(planning.Edit{Op: p.Op, By: r.Actor}), p.Title, p.SHA256
	case planning.PermissionAsked:
		return name + " asked for permission", planning.Permission{PermissionAsked: p}.Subject(), ""
	case planning.PermissionAnswered:
		return answeredBy(name, p.Answer), p.Reason, ""
	case planning.RunPaused:
		return p.Reason, "", ""
	case planning.RunResumed:
		return name + " resumed", "", ""
	case planning.RunFailed:
		return "The agent stopped", p.Message, ""
	case planning.RunFinished:
		return finishedWords(p.Unfinished), "", ""
	default:
		return reviewLineOf(name, payload)
	}
}

func reviewLineOf(name string, payload planning.Payload) (words, about, sha string) {
	switch p := payload.(type) {
	case planning.ThreadOpened:
		return fmt.Sprintf("%s commented on v%d", name, p.Version), p.Body, ""
	case planning.ThreadReplied:
		return name + " replied", p.Body, ""
	case planning.ThreadResolved:
		return name + " resolved a thread", "", ""
	case planning.ThreadReopened:
		return name + " reopened a thread", "", ""
	case planning.ReviewApproved:
		return fmt.Sprintf("%s approved v%d", name, p.Version), p.Note, p.SHA256
	case planning.ReviewDecided:
		switch p.Verdict {
		case planning.VerdictApprove:
			return fmt.Sprintf("Plan v%d is approved and runs", p.Version), "", p.SHA256
		case planning.VerdictAbandon:
			return name + " stopped the session", p.Note, p.SHA256
		default:
			return fmt.Sprintf("%s asked for changes to v%d", name, p.Version), p.Note, p.SHA256
		}
	default:
		return secondLineOf(name, payload)
	}
}

// secondLineOf is about what people took back, or thought better of.
func secondLineOf(name string, payload planning.Payload) (words, about, sha string) {
	switch p := payload.(type) {
	case planning.CommentEdited:
		return name + " changed a comment", p.Body, ""
	case planning.CommentDeleted:
		return name + " deleted a comment", "", ""
	case planning.CommentAgreed:
		return name + " agreed with a comment", "", ""
	case planning.AgreementWithdrawn:
		return name + " no longer agrees with a comment", "", ""
	case planning.ScopeEdited:
		return name + " set what the plan may write and run", scopeText(p.Scope), p.SHA256
	case planning.EditUndone:
		return undid(name, p.Op), p.Title, p.SHA256
	case planning.ApprovalWithdrawn:
		return fmt.Sprintf("%s withdrew the approval of v%d", name, p.Version), "", p.SHA256
	default:
		return "Something happened", "", ""
	}
}

func undid(name string, op planning.EditOp) string {
	switch op {
	case planning.EditInsert:
		return name + " undid the insertion of a step"
	case planning.EditMove:
		return name + " undid the move of a step"
	case planning.EditDelete:
		return name + " undid the deletion of a step"
	case planning.EditScope:
		return name + " undid a change of what the plan may write and run"
	default:
		return name + " undid the rewrite of a step"
	}
}
