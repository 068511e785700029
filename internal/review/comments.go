package review

import (
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// EditComment gives a person's own comment another text. If the agent has got
// it already, the next round corrects it. Faults: Forbidden for somebody
// else's comment, NotFound, Invalid, TooLarge, and Conflict for one that was
// deleted.
func EditComment(s planning.State, by Person, thread string, comment int64, body string) ([]planning.Event, error) {
	c, err := ownComment(s, by, thread, comment)
	if err != nil {
		return nil, err
	}
	if body, err = text(body, "body", "The comment", MaxComment); err != nil {
		return nil, err
	}
	if body == c.Body {
		return nil, fault.New(fault.Invalid, "This changes nothing.").At("body")
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.CommentEdited{Thread: thread, Comment: comment, Body: body}}}, nil
}

// DeleteComment takes a person's own comment back. One that the agent has not
// got yet is not sent; else the next round says that it was taken back. Its
// faults are those of EditComment.
func DeleteComment(s planning.State, by Person, thread string, comment int64) ([]planning.Event, error) {
	if _, err := ownComment(s, by, thread, comment); err != nil {
		return nil, err
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.CommentDeleted{Thread: thread, Comment: comment}}}, nil
}

// Agree says that a person thinks the same as somebody else's comment does. Who
// has agreed already is told nothing, and nothing is recorded. Faults:
// Forbidden, NotFound, Invalid for one's own comment, and Conflict for one that
// was deleted.
func Agree(s planning.State, by Person, thread string, comment int64) ([]planning.Event, error) {
	c, err := findComment(s, by, thread, comment)
	switch {
	case err != nil:
		return nil, err
	case c.By.ID == by.ID:
		return nil, fault.New(fault.Invalid, "This is your own comment.")
	case c.AgreedBy(by.ID):
		return nil, nil
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.CommentAgreed{Thread: thread, Comment: comment}}}, nil
}

// WithdrawAgreement undoes Agree; without one, nothing is recorded.
func WithdrawAgreement(s planning.State, by Person, thread string, comment int64) ([]planning.Event, error) {
	c, err := findComment(s, by, thread, comment)
	if err != nil || !c.AgreedBy(by.ID) {
		return nil, err
	}
	return []planning.Event{{Actor: by.Actor(), Payload: planning.AgreementWithdrawn{Thread: thread, Comment: comment}}}, nil
}

func ownComment(s planning.State, by Person, thread string, comment int64) (planning.Comment, error) {
	c, err := findComment(s, by, thread, comment)
	if err == nil && c.By.ID != by.ID {
		err = fault.New(fault.Forbidden, "This is %s’s comment; only they can change it.", c.By.Name)
	}
	return c, err
}

// findComment returns a comment that is still there.
func findComment(s planning.State, by Person, thread string, comment int64) (planning.Comment, error) {
	if err := by.May(ActionComment); err != nil {
		return planning.Comment{}, err
	}
	t, err := findThread(s, thread)
	if err != nil {
		return planning.Comment{}, err
	}
	c, ok := t.Comment(comment)
	switch {
	case !ok:
		return c, fault.New(fault.NotFound, "There is no such comment in this thread.")
	case c.Deleted():
		return c, fault.New(fault.Conflict, "%s has deleted this comment.", c.By.Name)
	}
	return c, nil
}
