package planning

import "slices"

// applyQuestion follows what the agent asks and what people answer.
func (s State) applyQuestion(r Record, payload Payload) State {
	switch p := payload.(type) {
	case QuestionAsked:
		s.Inquiries = append(slices.Clip(s.Inquiries), Inquiry{QuestionAsked: p, AskedAt: r.At})
		return s.call(p.Call, CallAsking)
	case QuestionAnswered:
		s.eachInquiry(r, p.ID, func(q *Inquiry) { q.Outcome, q.Answers = InquiryAnswered, p.Answers })
		return s.call(p.Call, CallDone).promised(r).wake(r.At)
	case QuestionDismissed:
		s.eachInquiry(r, p.ID, func(q *Inquiry) { q.Outcome = InquiryDismissed })
		s.Promised = !p.Message
		return s.call(p.Call, CallDone).promised(r).wake(r.At)
	case UserMessage:
		if p.Text != "" {
			s.Promised = false
		}
	}
	return s
}

// promised: what waited for an answer waits for the message now.
func (s State) promised(r Record) State {
	if s.Promised && s.Run.Phase == PhaseParked && s.Run.Wait == WaitQuestion && len(s.OpenInquiries()) == 0 {
		s.Run = Run{Phase: PhaseParked, Wait: WaitMessage, Since: r.At}
	}
	return s
}

// eachInquiry ends a request. The slice is copied, because older states share
// it.
func (s *State) eachInquiry(r Record, id string, end func(*Inquiry)) {
	i := slices.IndexFunc(s.Inquiries, func(q Inquiry) bool { return q.ID == id })
	if i < 0 {
		return
	}
	s.Inquiries = slices.Clone(s.Inquiries)
	end(&s.Inquiries[i])
	s.Inquiries[i].AnsweredBy, s.Inquiries[i].AnsweredAt = r.Actor, r.At
}
