package agent

import (
	"context"
	"slices"

	"countersign/internal/planning"
)

// transcript is the conversation as the model gets it: a fold over the log.
// Every call is followed by its one result before anything else is said (T9).
type transcript struct {
	session string
	seq     int64
	said    []entry
	held    []entry         // people's messages that wait until the calls have their results
	open    map[string]bool // calls without a result
}

// entry is a message and the record it came from.
type entry struct {
	Message
	seq int64
}

// readPage is how many records are read at once: a record can hold two whole
// files.
const readPage = 200

// catchUp reads the log up to seq.
func (t *transcript) catchUp(ctx context.Context, log planning.Log, seq int64) error {
	for t.seq < seq {
		records, err := log.Records(ctx, t.session, t.seq, int(min(readPage, seq-t.seq)))
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return nil
		}
		for _, r := range records {
			payload, err := r.Payload()
			if err != nil {
				return err
			}
			t.add(r.Seq, payload)
		}
	}
	return nil
}

func (t *transcript) add(seq int64, payload planning.Payload) {
	t.seq = seq
	switch p := payload.(type) {
	case planning.UserMessage:
		if p.Text != "" {
			t.say(entry{Message{Role: RoleUser, Text: p.Text}, seq})
		}
	case planning.GoalRoundStarted:
		t.say(entry{Message{Role: RoleUser, Text: p.Text}, seq})
	case planning.TodoReminded:
		t.say(entry{Message{Role: RoleUser, Text: p.Text}, seq})
	case planning.ContextCompacted:
		t.compact(p)
	case planning.ModelMessage:
		t.answer(seq, p)
	case planning.ToolFinished:
		t.result(seq, Message{Role: RoleTool, CallID: p.Call, Text: p.Output, Failed: p.Outcome != planning.OutcomeOK})
	case planning.QuestionAnswered:
		t.result(seq, Message{Role: RoleTool, CallID: p.Call, Text: p.Result})
	case planning.QuestionDismissed:
		t.result(seq, Message{Role: RoleTool, CallID: p.Call, Text: p.Result})
	case planning.ReviewDecided:
		if p.Call == "" { // the plan came as text, so the decision comes as a message
			t.say(entry{Message{Role: RoleUser, Text: p.Result}, seq})
			return
		}
		t.result(seq, Message{Role: RoleTool, CallID: p.Call, Text: p.Result})
	}
}

func (t *transcript) say(e entry) {
	if len(t.open) > 0 {
		t.held = append(t.held, e)
		return
	}
	t.said = append(t.said, e)
}

// answer adds the model's turn. What people wrote while it was on its way was
// not in its request, so it stands behind it.
func (t *transcript) answer(seq int64, p planning.ModelMessage) {
	i := len(t.said)
	for i > 0 && t.said[i-1].Role == RoleUser && t.said[i-1].seq > p.Seen {
		i--
	}
	t.held = append(slices.Clone(t.said[i:]), t.held...)
	t.said = append(t.said[:i], entry{Message{
		Role: RoleAssistant, Text: p.Text, Reasoning: p.Reasoning, Calls: p.Calls, Kept: p.Kept,
	}, seq})
	t.open = make(map[string]bool, len(p.Calls))
	for _, c := range p.Calls {
		t.open[c.ID] = true
	}
	t.release()
}

// result adds the result of a call; a second one for the same call is dropped.
func (t *transcript) result(seq int64, m Message) {
	if !t.open[m.CallID] {
		return
	}
	t.said = append(t.said, entry{m, seq})
	delete(t.open, m.CallID)
	t.release()
}

func (t *transcript) release() {
	if len(t.open) == 0 {
		t.said = append(t.said, t.held...)
		t.held = nil
	}
}

// newsAfter tells whether a person has said something after seq.
func (t *transcript) newsAfter(seq int64) bool {
	later := func(e entry) bool { return e.Role == RoleUser && e.seq > seq }
	return slices.ContainsFunc(t.said, later) || slices.ContainsFunc(t.held, later)
}

func (t *transcript) messages() []Message {
	messages := make([]Message, len(t.said), len(t.said)+1)
	for i, e := range t.said {
		messages[i] = e.Message
	}
	return messages
}
