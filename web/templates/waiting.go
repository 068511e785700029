package templates

import (
	"context"
	"slices"

	"countersign/internal/planning"
	"countersign/internal/review"
)

// Waiting is a session that waits for a person, and why.
type Waiting struct {
	Summary planning.Summary
	Why     []review.Reason // at least one
	Answer  planning.Answer // for review.ReasonAnswer
}

// Icon is the address of a page's icon while so many things wait.
func Icon(waiting int) string { return icon(waiting) }

// Shown is plain text as it is safe to show.
func Shown(text string) string { return visible(text) }

// Reason says why a session waits for somebody, in a whole sentence.
func Reason(ctx context.Context, w Waiting, why review.Reason) string {
	switch why {
	case review.ReasonReview:
		return tr(ctx, "Plan v%d waits for your decision", w.Summary.PlanVersion)
	case review.ReasonPermission:
		return tr(ctx, "The agent asks for permission")
	case review.ReasonQuestion:
		return tr(ctx, "The agent asks a question")
	case review.ReasonMessage:
		return tr(ctx, "The agent waits for a message")
	case review.ReasonResume:
		if w.Summary.Status == planning.StatusFailed {
			return tr(ctx, "It was stopped by an error")
		}
		return tr(ctx, "It is paused")
	case review.ReasonAnswer:
		if w.Answer.By == "" {
			return tr(ctx, "Plan v%d answers your comment", w.Answer.Version)
		}
		return tr(ctx, "%s replied to you", visible(w.Answer.By))
	default:
		return ""
	}
}

// because tells whether this is among the reasons.
func (w Waiting) because(why review.Reason) bool { return slices.Contains(w.Why, why) }

// onlyAnswer tells whether there is nothing to do but to read.
func (w Waiting) onlyAnswer() bool { return len(w.Why) == 1 && w.because(review.ReasonAnswer) }

// href leads to where one can do something about it.
func (w Waiting) href() string {
	switch {
	case w.because(review.ReasonQuestion):
		return "/sessions/" + w.Summary.ID + "/questions"
	case w.because(review.ReasonAnswer):
		return "/sessions/" + w.Summary.ID + "/plan"
	}
	return "/sessions/" + w.Summary.ID
}

// group is where the session would stand if it waited for nobody here.
func (w Waiting) group() string {
	switch s := w.Summary; {
	case s.Damage != nil:
		return "damaged"
	case s.Status == planning.StatusDone:
		return "finished"
	case s.Phase == planning.PhaseRunning && s.Status != planning.StatusWaiting:
		return "running"
	default:
		return "others"
	}
}
