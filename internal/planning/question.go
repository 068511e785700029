package planning

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/planning/document"
)

// The kinds of record about questions.
const (
	KindQuestionAsked     Kind = "question.asked"
	KindQuestionAnswered  Kind = "question.answered"
	KindQuestionDismissed Kind = "question.dismissed"
)

// WaitQuestion is a session that waits for the answer to a question.
const WaitQuestion Wait = "question"

// Limits on what can be asked at once, in bytes where it is a text.
const (
	MaxQuestions  = 10
	MaxOptions    = 20
	MaxQuestion   = 2 << 10
	MaxOption     = 500
	MaxQuestionID = 64
	// MaxCustom bounds an answer in one's own words.
	MaxCustom = 16 << 10
)

// Question is one thing that the agent wants to know. Without options it is
// answered in one's own words; with them, these may stand beside the choice.
type Question struct {
	ID       string   `json:"id"` // within its request
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
	Multiple bool     `json:"multiple,omitempty"` // more than one option may be chosen
}

// QuestionAnswer is the answer to one question. On a single choice one's own
// words replace the option, on a multiple choice they are added (Q4).
type QuestionAnswer struct {
	ID       string   `json:"id"`
	Selected []string `json:"selected"`         // options, to the letter, in the order of the question
	Custom   string   `json:"custom,omitempty"` // in one's own words
}

type (
	// QuestionAsked parks the session until a person answers all of it.
	QuestionAsked struct {
		ID        string     `json:"id"`
		Call      string     `json:"call"`
		Questions []Question `json:"questions"`
	}
	// QuestionAnswered is a person's answer; the first one counts. Result is
	// what the model gets as the result of its call, byte for byte.
	QuestionAnswered struct {
		ID      string           `json:"id"`
		Call    string           `json:"call"`
		Answers []QuestionAnswer `json:"answers"` // one for each question, in its order
		Result  string           `json:"result"`
	}
	// QuestionDismissed ends a question without an answer. Unless a message
	// went along, the agent waits for one (Q5).
	QuestionDismissed struct {
		ID      string `json:"id"`
		Call    string `json:"call"`
		Message bool   `json:"message,omitempty"` // the person's message stands before this record
		Result  string `json:"result"`
	}
)

// Kind implements Payload, here and below.
func (QuestionAsked) Kind() Kind     { return KindQuestionAsked }
func (QuestionAnswered) Kind() Kind  { return KindQuestionAnswered }
func (QuestionDismissed) Kind() Kind { return KindQuestionDismissed }

// Inquiry is what was asked in one call, and what came of it.
type Inquiry struct {
	QuestionAsked
	AskedAt    time.Time        `json:"asked_at"`
	Outcome    InquiryOutcome   `json:"outcome,omitempty"`    // empty while it is open
	Answers    []QuestionAnswer `json:"answers,omitempty"`    // one for each question, in its order
	AnsweredBy Actor            `json:"answered_by,omitzero"` // or dismissed by
	AnsweredAt time.Time        `json:"answered_at,omitzero"`
}

// InquiryOutcome is how an inquiry ended. The zero value is not at all.
type InquiryOutcome string

// The outcomes of an inquiry.
const (
	InquiryAnswered  InquiryOutcome = "answered"
	InquiryDismissed InquiryOutcome = "dismissed" // a person said something else instead
)

// Open tells whether nobody has answered or dismissed it.
func (q Inquiry) Open() bool { return q.Outcome == "" }

// Answer returns the answer to one of its questions.
func (q Inquiry) Answer(id string) (QuestionAnswer, bool) {
	i := slices.IndexFunc(q.Answers, func(a QuestionAnswer) bool { return a.ID == id })
	if i < 0 {
		return QuestionAnswer{}, false
	}
	return q.Answers[i], true
}

// Inquiry returns what was asked under this id.
func (s State) Inquiry(id string) (Inquiry, bool) {
	i := slices.IndexFunc(s.Inquiries, func(q Inquiry) bool { return q.ID == id })
	if i < 0 {
		return Inquiry{}, false
	}
	return s.Inquiries[i], true
}

// OpenInquiries returns what nobody has answered, the oldest first. An
// abandoned session asks nothing any more.
func (s State) OpenInquiries() []Inquiry {
	if s.Abandoned() {
		return nil
	}
	var open []Inquiry
	for _, q := range s.Inquiries {
		if q.Open() {
			open = append(open, q)
		}
	}
	return open
}

// NewQuestions checks what the model wants to ask and returns it, trimmed. The
// error is for the model and names what is wrong (Q2).
func NewQuestions(list []Question) ([]Question, error) {
	switch {
	case len(list) == 0:
		return nil, wrongQuestion("there is no question. Put at least one into questions.")
	case len(list) > MaxQuestions:
		return nil, wrongQuestion("there are %d questions, and at most %d can be asked at once. Ask what matters most.", len(list), MaxQuestions)
	}
	asked := make([]Question, len(list))
	ids := map[string]bool{}
	for i, q := range list {
		var err error
		if asked[i], err = q.check(i + 1); err != nil {
			return nil, err
		}
		if ids[asked[i].ID] {
			return nil, wrongQuestion("the id %q is there twice. Give each question an id of its own.", asked[i].ID)
		}
		ids[asked[i].ID] = true
	}
	return asked, nil
}

func (q Question) check(number int) (Question, error) {
	q.ID, q.Question = strings.TrimSpace(q.ID), strings.TrimSpace(q.Question)
	switch {
	case q.ID == "":
		return q, wrongQuestion("question %d has no id.", number)
	case len(q.ID) > MaxQuestionID:
		return q, wrongQuestion("the id of question %d has %d bytes, and at most %d are allowed.", number, len(q.ID), MaxQuestionID)
	case q.Question == "":
		return q, wrongQuestion("question %d has no text.", number)
	case len(q.Question) > MaxQuestion:
		return q, wrongQuestion("question %d has %d bytes, and at most %d are allowed. Ask it in short.", number, len(q.Question), MaxQuestion)
	case len(q.Options) > MaxOptions:
		return q, wrongQuestion("question %d has %d options, and at most %d are allowed.", number, len(q.Options), MaxOptions)
	}
	options := make([]string, len(q.Options))
	for i, o := range q.Options {
		o = strings.TrimSpace(o)
		switch {
		case o == "":
			return q, wrongQuestion("option %d of question %d is empty.", i+1, number)
		case len(o) > MaxOption:
			return q, wrongQuestion("option %d of question %d has %d bytes, and at most %d are allowed.", i+1, number, len(o), MaxOption)
		case slices.Contains(options[:i], o):
			return q, wrongQuestion("question %d has the option %q twice.", number, o)
		}
		options[i] = o
	}
	for _, text := range append([]string{q.ID, q.Question}, options...) {
		if f := document.CheckText("The question", text); f != nil {
			return q, wrongQuestion("question %d has characters that can't be shown. Leave them out.", number)
		}
	}
	q.Options = options
	q.Multiple = q.Multiple && len(options) > 0
	return q, nil
}

// Subject is its first question.
func (q QuestionAsked) Subject() string {
	if len(q.Questions) == 0 {
		return ""
	}
	return q.Questions[0].Question
}
