package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/internal/planning"
)

const (
	defaultWindow = 128_000 // tokens, of a model that nobody knows the window of

	summaryPrompt = `The conversation is getting long and will go on from a summary of yours. Write it now, as plain text and without calling tools: what was asked, what was decided and by whom, what was found out, what is done, what is still open. Keep names of files, commands, identifiers and figures exactly. The newest messages stay as they are.`
)

// window is the size of the session's model, in tokens.
func (r *run) window() int64 {
	if r.Window != nil {
		if n := r.Window(r.state.Model); n > 0 {
			return n
		}
	}
	return defaultWindow
}

// size is what the next request weighs, in tokens: what the provider counted of
// the last one, and an estimate of what came after it.
func (r *run) size() int64 {
	if known := r.state.Context; known > 0 {
		return known + estimate(r.transcript.sinceAnswer())
	}
	return estimate(r.request().Messages)
}

// estimate counts four bytes of text for a token, as T11 does.
func estimate(messages []Message) int64 {
	n := 0
	for _, m := range messages {
		n += len(m.Text) + len(m.Reasoning)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	return int64(n / 4)
}

// full tells whether the conversation is to be made shorter before the next
// request, and can be.
func (r *run) full() bool {
	share := r.Settings.CompactAt
	return share > 0 && float64(r.size()) > share*float64(r.window()) && r.transcript.cut(r.kept()) > 0
}

// kept is how much of the newest conversation stays as it is, a fifth of the
// window, in tokens as estimate counts them: a text that weighs more than it
// guesses, Chinese for one, gets less of them.
func (r *run) kept() int64 {
	kept := r.window() / 5
	if guess := estimate(r.request().Messages); guess > 0 && r.size() > guess {
		kept = int64(float64(kept) * float64(guess) / float64(r.size()))
	}
	return kept
}

// compact has the model sum up the older part of the conversation, which from
// then on is sent in its place. A failure ends the run like any other request's
// (S7).
func (r *run) compact(ctx context.Context) (phase, error) {
	if err := r.equip(ctx); err != nil {
		return nil, err
	}
	if err := r.transcript.catchUp(ctx, r.Log, r.state.Seq); err != nil {
		return nil, err
	}
	before, n := r.size(), r.transcript.cut(r.kept())
	if n == 0 && r.state.CompactAsked {
		n = r.transcript.cut(0)
	}
	done := planning.ContextCompacted{Before: before, After: before, Asked: r.state.CompactAsked}
	if n > 0 {
		summary, err := r.summary(ctx)
		if err != nil {
			return nil, err
		}
		rest := r.transcript.messagesFrom(n)
		done.Upto, done.Messages, done.Usage = r.transcript.upto(n), n, r.priced(summary.Usage)
		done.Text = r.state.CompactText(summary.Text)
		done.After = estimate(append(rest, Message{Text: r.system() + done.Text}))
	}
	return r.next, r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		return by(actor(s), done), nil
	}))
}

// summary asks for it with what the last request began with, so that the
// provider has it in its cache. Where that no longer fits, the older half is
// left out.
func (r *run) summary(ctx context.Context) (planning.ModelMessage, error) {
	quiet := *r
	shared := *r.Agent
	shared.Live, quiet.Agent = onlyRetries{r.Live}, &shared
	req := Request{System: r.system(), Tools: r.offered(), Messages: r.transcript.messages()}
	ask := Message{Role: RoleUser, Text: summaryPrompt, Passing: true}
	for empty := 0; ; {
		whole := req
		whole.Messages = append(slices.Clone(req.Messages), ask)
		message, err := quiet.stream(ctx, whole)
		var failed *ModelError
		half := halfOf(req.Messages)
		switch {
		case errors.As(err, &failed) && failed.TooLong && len(half) < len(req.Messages):
			req.Messages = half
		case err == nil && strings.TrimSpace(message.Text) == "" && empty < 2:
			empty++
		case err == nil && strings.TrimSpace(message.Text) == "":
			return message, &ModelError{Message: "The model gave no summary of the conversation."}
		default:
			return message, err
		}
	}
}

// halfOf is the newer half, from the beginning of a turn. It begins, as every
// conversation has to, with a message to the model.
func halfOf(messages []Message) []Message {
	for i := (len(messages) + 1) / 2; i < len(messages); i++ {
		switch messages[i].Role {
		case RoleUser:
			return messages[i:]
		case RoleAssistant:
			return append([]Message{{Role: RoleUser, Text: "[The beginning of the conversation is left out.]"}}, messages[i:]...)
		}
	}
	return messages
}

// onlyRetries keeps a summary out of what people see as the model's words.
type onlyRetries struct{ live Live }

// Publish implements Live.
func (l onlyRetries) Publish(session string, f Frame) {
	if f.Type == "retry" {
		l.live.Publish(session, f)
	}
}
