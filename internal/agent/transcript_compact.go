package agent

import (
	"slices"

	"countersign/internal/planning"
)

// compact puts a summary in the place of everything up to a record.
func (t *transcript) compact(p planning.ContextCompacted) {
	if p.Upto == 0 {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(t.said), func(e entry) bool { return e.seq <= p.Upto })
	t.said = append([]entry{{Message{Role: RoleUser, Text: p.Text}, p.Upto}}, rest...)
}

// cut is how many of the oldest entries a summary can stand for, so that about
// keep tokens of the newest stay, and at least the last turn. It falls between
// two turns, never between a call and its result, and where the order of the
// entries is that of their records. 0 means that there is nothing to make
// shorter.
func (t *transcript) cut(keep int64) int {
	if len(t.open) > 0 {
		return 0
	}
	last := t.lastAnswer()
	kept := int64(0)
	best := 0
	for i := len(t.said) - 1; i > 1; i-- { // a summary of one message, or of a summary, is none
		kept += estimate([]Message{t.said[i].Message})
		if i > last || !t.turnBegins(i) {
			continue
		}
		if best == 0 || kept <= keep {
			best = i
		}
		if kept > keep {
			break
		}
	}
	return best
}

// turnBegins tells whether a cut may fall before entry i.
func (t *transcript) turnBegins(i int) bool {
	return t.said[i].Role != RoleTool && t.firstSeq(i) > t.upto(i)
}

// firstSeq is the oldest record among the entries from i on.
func (t *transcript) firstSeq(i int) int64 {
	return slices.MinFunc(t.said[i:], func(a, b entry) int { return int(a.seq - b.seq) }).seq
}

// upto is the newest record among the first n entries.
func (t *transcript) upto(n int) int64 {
	return slices.MaxFunc(t.said[:n], func(a, b entry) int { return int(a.seq - b.seq) }).seq
}

// lastAnswer is where the model's last turn stands, or the end.
func (t *transcript) lastAnswer() int {
	for i, e := range slices.Backward(t.said) {
		if e.Role == RoleAssistant {
			return i
		}
	}
	return len(t.said)
}

// sinceAnswer is what has been said since the model's last turn.
func (t *transcript) sinceAnswer() []Message {
	if i := t.lastAnswer(); i < len(t.said) {
		return t.messagesFrom(i + 1)
	}
	return t.messages()
}

func (t *transcript) messagesFrom(i int) []Message {
	var messages []Message
	for _, e := range t.said[i:] {
		messages = append(messages, e.Message)
	}
	return messages
}
