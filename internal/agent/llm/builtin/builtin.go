// Package builtin is a model that needs no network and no key: a small planner
// for renames and replacements, which works through the same tools and the
// same loop as any other model.
//
// It remembers nothing. At each turn it reads the conversation anew: the task
// is the newest message that is one, what it has seen are the results of its
// own calls, and where it stands follows from these. So it goes on after a
// crash as if nothing had been, and the same conversation always brings the
// same turn.
package builtin

import (
	"context"
	"iter"

	"countersign/internal/agent"
)

// New makes the model.
func New() agent.Model { return model{} }

type model struct{}

// pieceOf is how many characters of text come in one piece.
const pieceOf = 48

// Stream implements agent.Model.
func (model) Stream(ctx context.Context, req agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		t := reply(req)
		for text := []rune(t.text); len(text) > 0; {
			n := min(pieceOf, len(text))
			if !send(ctx, yield, agent.Delta{Text: string(text[:n])}) {
				return
			}
			text = text[n:]
		}
		for i, c := range t.calls {
			piece := &agent.CallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}
			if !send(ctx, yield, agent.Delta{Call: piece}) {
				return
			}
		}
		send(ctx, yield, agent.Delta{Stop: agent.StopEnd})
	}
}

// send yields a piece unless the context has ended.
func send(ctx context.Context, yield func(agent.Delta, error) bool, d agent.Delta) bool {
	if err := ctx.Err(); err != nil {
		yield(agent.Delta{}, err)
		return false
	}
	return yield(d, nil)
}
