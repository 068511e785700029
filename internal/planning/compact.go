package planning

import (
	"fmt"
	"strings"
)

// ContextCompacted says that from now on the model is sent a summary in place
// of the older part of the conversation. The log keeps that part (S8).
type ContextCompacted struct {
	// Upto is the last record that the summary stands for; 0 if there was
	// nothing to make shorter.
	Upto int64 `json:"upto"`
	// Text is what the model gets in their place, word for word.
	Text     string `json:"text"`
	Messages int    `json:"messages"` // that Text stands for
	Before   int64  `json:"before"`   // tokens of a request before it, as far as is known
	After    int64  `json:"after"`    // and after it, estimated
	Asked    bool   `json:"asked,omitempty"`
	Usage    Usage  `json:"usage"` // what the summary cost
}

// CompactText is what stands in the place of the older conversation: the
// model's summary, and the plan as it is now. The goal and the to-do list are
// in every request anyway, and a question that is open is in its newest turn.
func (s State) CompactText(summary string) string {
	text := "The conversation so far was made shorter. What it came to:\n\n" + strings.TrimSpace(summary) + "\n"
	p, ok := s.Plan()
	if !ok {
		return text
	}
	stands := strings.ReplaceAll(string(p.Status), "_", " ")
	text += fmt.Sprintf("\nThe plan, version %d, %s, word for word:\n\n%s\n", p.Version, stands, p.Markdown)
	for _, part := range []struct {
		name  string
		items []string
	}{{"files", p.Scope.Files}, {"commands", p.Scope.Commands}} {
		if len(part.items) > 0 {
			text += fmt.Sprintf("Its %s:\n%s\n", part.name, strings.Join(part.items, "\n"))
		}
	}
	return text
}

// compacted: the size of the next request is known again when it was answered.
func (s State) compacted(p ContextCompacted) State {
	s.CompactAsked, s.Context = false, 0
	s.Usage = s.Usage.Add(p.Usage)
	return s
}
