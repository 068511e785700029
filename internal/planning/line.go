package planning

import (
	"fmt"
	"slices"
	"time"
)

// OnLine says on which line of a changed file a person's message is. Record
// holds the text that they looked at, so it says where the line was, whatever
// becomes of the file.
type OnLine struct {
	Record int64  `json:"record"`
	Path   string `json:"path"`
	Line   int    `json:"line"`          // from 1
	Old    bool   `json:"old,omitempty"` // in the text before Record, not after it
	Quote  string `json:"quote"`         // the line, without its end; a long one is cut
	Body   string `json:"body"`          // what the person wrote; the message quotes the line besides
}

// LineComment is a comment on a line of a changed file, and what came of it.
type LineComment struct {
	OnLine
	Seq int64     `json:"seq"` // of the message
	By  Actor     `json:"by"`
	At  time.Time `json:"at"`
	// Answer is the last message with text that the agent wrote after it had
	// read the comment and before it next stopped to be told what to do; 0 if
	// there is none yet.
	Answer  int64 `json:"answer,omitempty"`
	Settled bool  `json:"settled,omitempty"` // Answer stays as it is
}

// SayOnLine records a message about a line, of which the session's log holds
// the record. Faults as of Say.
func SayOnLine(s State, by Actor, text string, on OnLine) ([]Event, error) {
	events, err := Say(s, by, text)
	if err != nil {
		return nil, err
	}
	m, ok := events[0].Payload.(UserMessage)
	if !ok {
		return nil, fmt.Errorf("a message about a line begins with %s", events[0].Payload.Kind())
	}
	m.On = &on
	events[0].Payload = m
	return events, nil
}

// applyLine follows the comments on lines.
func (s State) applyLine(r Record, payload Payload) State {
	switch p := payload.(type) {
	case UserMessage:
		if p.On != nil {
			s.LineComments = append(slices.Clip(s.LineComments), LineComment{OnLine: *p.On, Seq: r.Seq, By: r.Actor, At: r.At})
		}
	case ModelMessage:
		if p.Text != "" {
			s.eachHeard(p.Seen, func(c *LineComment) { c.Answer = r.Seq })
		}
	case RunFinished:
		s.eachHeard(s.Heard, func(c *LineComment) { c.Settled = true })
	case RunParked:
		if p.Wait == WaitMessage {
			s.eachHeard(s.Heard, func(c *LineComment) { c.Settled = true })
		}
	}
	return s
}

// eachHeard changes the comments up to a record that are not settled. The slice
// is copied, because older states share it.
func (s *State) eachHeard(seq int64, change func(*LineComment)) {
	due := func(c LineComment) bool { return !c.Settled && c.Seq <= seq }
	if !slices.ContainsFunc(s.LineComments, due) {
		return
	}
	s.LineComments = slices.Clone(s.LineComments)
	for i := range s.LineComments {
		if due(s.LineComments[i]) {
			change(&s.LineComments[i])
		}
	}
}
