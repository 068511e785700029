package planning

import (
	"slices"
	"time"
)

// Comment is one message in a thread.
type Comment struct {
	Seq       int64     `json:"seq"` // of the record that made it; it names the comment
	By        Actor     `json:"by"`
	At        time.Time `json:"at"`
	Body      string    `json:"body"` // as it stands; empty once it is deleted
	EditedAt  time.Time `json:"edited_at,omitzero"`
	DeletedAt time.Time `json:"deleted_at,omitzero"` // only its writer can delete it
	Got       bool      `json:"got,omitempty"`       // the agent has got it
	// GotAs is the text that the agent got, where the comment has been edited or
	// deleted since: the next round tells it so.
	GotAs  string  `json:"got_as,omitempty"`
	Agreed []Actor `json:"agreed,omitempty"` // with Body as it stands, in the order in which they did
}

// Deleted tells whether its writer has taken it back.
func (c Comment) Deleted() bool { return !c.DeletedAt.IsZero() }

// Edited tells whether it once had another text.
func (c Comment) Edited() bool { return !c.EditedAt.IsZero() }

// Untold tells whether it says something that the agent has not got.
func (c Comment) Untold() bool { return !c.Deleted() && (!c.Got || c.GotAs != "") }

// AgreedBy tells whether a person has agreed with it.
func (c Comment) AgreedBy(person string) bool {
	return slices.ContainsFunc(c.Agreed, func(a Actor) bool { return a.ID == person })
}

// change gives it another text. What the agent got before stays known until
// the agent has got the new one.
func (c *Comment) change(body string) {
	if c.Got && c.GotAs == "" {
		c.GotAs = c.Body
	}
	if c.Body = body; c.GotAs == body {
		c.GotAs = "" // back to what the agent has
	}
	c.Agreed = nil
}

// told notes that the agent has now got it as it stands.
func (c *Comment) told() {
	c.Got, c.GotAs = c.Got || !c.Deleted(), ""
}

// applyComment follows what happens to single comments.
func (s State) applyComment(r Record, payload Payload) State {
	switch p := payload.(type) {
	case CommentEdited:
		return s.comment(p.Thread, p.Comment, func(c *Comment) {
			c.change(p.Body)
			c.EditedAt = r.At
		})
	case CommentDeleted:
		return s.comment(p.Thread, p.Comment, func(c *Comment) {
			c.change("")
			c.DeletedAt = r.At
		})
	case CommentAgreed:
		return s.comment(p.Thread, p.Comment, func(c *Comment) {
			if !c.AgreedBy(r.Actor.ID) {
				c.Agreed = append(slices.Clip(c.Agreed), r.Actor)
			}
		})
	case AgreementWithdrawn:
		return s.comment(p.Thread, p.Comment, func(c *Comment) {
			c.Agreed = slices.DeleteFunc(slices.Clone(c.Agreed), func(a Actor) bool { return a.ID == r.Actor.ID })
		})
	}
	return s
}

// comment changes one comment in a copy of its thread; one that was deleted
// stays as it is.
func (s State) comment(thread string, seq int64, change func(*Comment)) State {
	return s.thread(thread, func(t *Thread) {
		i := slices.IndexFunc(t.Comments, func(c Comment) bool { return c.Seq == seq })
		if i < 0 || t.Comments[i].Deleted() {
			return
		}
		t.Comments = slices.Clone(t.Comments)
		change(&t.Comments[i])
	})
}
