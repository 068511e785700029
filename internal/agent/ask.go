package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/planning"
)

// request puts the next request together: the conversation as it is in the
// log, and behind it the current goal and to-do list, so that they are always
// the newest, are there once, and leave what came before untouched (T7).
func (r *run) request() Request {
	req := Request{
		System:   r.system(),
		Messages: r.transcript.messages(),
		Tools:    r.offered(),
	}
	if now := goalText(r.state.Goal) + todoText(r.state.Todos); now != "" {
		req.Messages = append(req.Messages, Message{Role: RoleUser, Text: now, Passing: true})
	}
	return req
}

func (r *run) offered() []ToolSpec {
	var specs []ToolSpec
	for _, t := range slices.Concat(r.Tools, r.moreTools()) {
		if r.Settings.Policy.Offered(r.state.Mode, t.Spec().Name, t.Access()) {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

// stream asks until a whole message is there, waiting between the tries. Half
// a message is thrown away (S7).
func (r *run) stream(ctx context.Context, req Request) (planning.ModelMessage, error) {
	model, err := r.Models(r.state.Model)
	if err != nil {
		return planning.ModelMessage{}, err
	}
	wait := r.Settings.Backoff
	for try := 1; ; try++ {
		message, err := r.once(ctx, model, req)
		if err == nil || ctx.Err() != nil {
			return message, err
		}
		r.Live.Publish(r.session, Frame{Type: "reset"})
		var failed *ModelError
		if !errors.As(err, &failed) {
			failed = &ModelError{Message: "The model could not be asked.", Err: err}
		}
		if !failed.Temporary || try >= r.Settings.Tries {
			r.Logger.Warn("model request failed", "session", r.session, "model", r.state.Model, "try", try, "error", err)
			return message, failed
		}
		pause := max(jitter(wait), min(failed.RetryAfter, maxBackoff))
		r.Live.Publish(r.session, Frame{Type: "retry", Text: fmt.Sprintf("%s Trying again in %s.", r.Mask.Text(failed.Message), pause.Round(time.Second))})
		select {
		case <-ctx.Done():
			return message, ctx.Err()
		case <-time.After(pause):
		}
		wait = min(2*wait, maxBackoff)
	}
}

const maxBackoff = time.Minute

// jitter spreads the tries of many sessions that failed together.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/4+1))
}

// once sends the request and joins the pieces of the answer.
func (r *run) once(ctx context.Context, model Model, req Request) (planning.ModelMessage, error) {
	var m assembly
	for delta, err := range model.Stream(ctx, req) {
		if err != nil {
			return planning.ModelMessage{}, err
		}
		if frame, show := m.add(delta); show {
			r.Live.Publish(r.session, frame)
		}
	}
	if err := ctx.Err(); err != nil {
		return planning.ModelMessage{}, err
	}
	return m.message()
}

// assembly joins the pieces of one turn.
type assembly struct {
	text, reasoning strings.Builder
	calls           map[int]*planning.ToolCall
	order           []int
	usage           planning.Usage
	stop            Stop
	kept            json.RawMessage
}

// add takes a piece in and returns what the people who watch get to see.
func (m *assembly) add(d Delta) (frame Frame, show bool) {
	m.text.WriteString(d.Text)
	m.reasoning.WriteString(d.Reasoning)
	if d.Usage != nil {
		m.usage = *d.Usage
	}
	if d.Stop != "" {
		m.stop, m.kept = d.Stop, d.Kept
	}
	if c := d.Call; c != nil {
		frame.Tool = m.addCall(c)
	}
	frame.Type, frame.Text = "delta", d.Text
	return frame, frame.Text != "" || frame.Tool != ""
}

// addCall returns the tool's name when it is first known.
func (m *assembly) addCall(c *CallDelta) string {
	if m.calls == nil {
		m.calls = map[int]*planning.ToolCall{}
	}
	call, known := m.calls[c.Index]
	if !known {
		call = &planning.ToolCall{ID: c.ID, Name: c.Name}
		m.calls[c.Index] = call
		m.order = append(m.order, c.Index)
	}
	call.Arguments += c.Arguments
	if known {
		return ""
	}
	return call.Name
}

func (m *assembly) message() (planning.ModelMessage, error) {
	msg := planning.ModelMessage{Text: m.text.String(), Reasoning: m.reasoning.String(), Usage: m.usage, Kept: m.kept}
	if m.stop == "" {
		return msg, &ModelError{Message: "The model's answer broke off before its end.", Temporary: true}
	}
	if m.stop != StopEnd {
		msg.Stop = string(m.stop)
	}
	ids := map[string]bool{"": true}
	for i, index := range m.order {
		call := *m.calls[index]
		for n := i; ids[call.ID]; n++ { // each call needs a name of its own, or its result could not be told apart
			call.ID = "call_" + strconv.Itoa(n+1)
		}
		ids[call.ID] = true
		msg.Calls = append(msg.Calls, call)
	}
	if strings.TrimSpace(msg.Text) == "" && len(msg.Calls) == 0 && m.stop != StopRefusal {
		if m.stop == StopLength { // it has thought for too long, and would again
			return msg, &ModelError{Message: "The model used up its tokens before it said anything. Ask for less at a time, or choose another model."}
		}
		return msg, &ModelError{Message: "The model answered with nothing.", Temporary: true}
	}
	return msg, nil
}
