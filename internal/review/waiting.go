package review

import (
	"slices"

	"countersign/internal/planning"
)

// Reason is why a session waits for a person.
type Reason string

// The reasons, in the order in which a list has them.
const (
	ReasonReview     Reason = "review"     // its plan is in review, and they have not decided on it
	ReasonPermission Reason = "permission" // the agent asks, and they may answer
	ReasonMessage    Reason = "message"    // the agent waits for a message
	ReasonResume     Reason = "resume"     // it was paused, or stopped by an error
	ReasonQuestion   Reason = "question"   // the agent has asked something, and they may answer
	ReasonAnswer     Reason = "answer"     // somebody, or a new version, answers a comment of theirs
)

// Waits returns why a session waits for this person, nil if it does not. Read is
// how far, by seq, they have read its threads. A damaged session waits for
// nobody: it takes no answer.
func (r Rules) Waits(s planning.Summary, by Person, read int64) []Reason {
	if s.Damage != nil {
		return nil
	}
	var list []Reason
	switch s.Status {
	case planning.StatusInReview:
		if by.Can(ActionDecide) && !slices.Contains(s.ApprovedBy, by.ID) && !r.own(s.CreatedBy, by) {
			list = append(list, ReasonReview)
		}
	case planning.StatusWaiting:
		asks := s.Wait == planning.WaitPermission || s.Asks != ""
		switch {
		case asks && by.Can(ActionDecide):
			list = append(list, ReasonPermission)
		case !asks && s.Question == "" && by.Can(ActionTask):
			list = append(list, ReasonMessage)
		}
	case planning.StatusPaused, planning.StatusFailed:
		if by.Can(ActionTask) {
			list = append(list, ReasonResume)
		}
	}
	if s.Question != "" && by.Can(ActionAnswer) { // it may be open beside anything else
		list = append(list, ReasonQuestion)
	}
	if _, ok := Unread(s, by, read); ok {
		list = append(list, ReasonAnswer)
	}
	return list
}

// Unread returns what answers this person in a session and is newer than read.
func Unread(s planning.Summary, by Person, read int64) (planning.Answer, bool) {
	for _, a := range s.Answers {
		if a.Person == by.ID && a.Seq > read && by.Can(ActionView) {
			return a, true
		}
	}
	return planning.Answer{}, false
}
