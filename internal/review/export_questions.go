package review

import "countersign/internal/planning"

// question lists what the agent asked, with all that was offered, and what
// people said, in full.
func (h *history) question(r planning.Record, payload planning.Payload) {
	switch p := payload.(type) {
	case planning.QuestionAsked:
		h.event(r, "asked %d questions", len(p.Questions))
		for _, q := range p.Questions {
			h.said(q.Question)
			for _, o := range q.Options {
				h.line("  - %s", inline(o))
			}
		}
		h.gap()
	case planning.QuestionAnswered:
		h.event(r, "answered the agent's questions")
		for _, a := range p.Answers {
			h.line("  - %s: %s", inline(a.ID), chosen(a.Selected))
			h.said(a.Custom)
		}
		h.gap()
	case planning.QuestionDismissed:
		h.event(r, "ended the agent's question without an answer, to say something else")
	}
}

func chosen(options []string) string {
	if len(options) == 0 {
		return "in their own words"
	}
	said := make([]string, len(options))
	for i, o := range options {
		said[i] = inline(o)
	}
	return list(said)
}
