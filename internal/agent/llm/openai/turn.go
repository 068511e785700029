package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
)

// turn puts the pieces of one turn together and emits them as deltas.
type turn struct {
	emit    func(agent.Delta) bool
	calls   calls
	details details
	stop    agent.Stop
	refused bool
	done    bool // the stream said [DONE]
	size    int
}

func newTurn(used wire.IDs, emit func(agent.Delta) bool) *turn {
	return &turn{emit: emit, calls: calls{used: used, at: map[int]int{}}}
}

// read reads a whole answer, whatever form it has.
func (c *Client) read(t *turn, body io.Reader) error {
	r := bufio.NewReaderSize(body, 32<<10)
	first, err := wire.FirstByte(r)
	switch {
	case err == io.EOF:
		return wire.ErrCut
	case err != nil:
		return err
	case first == '<':
		return wire.ErrHTML
	case first == '{':
		return c.readWhole(t, r)
	}
	return c.readStream(t, wire.NewFrames(r))
}

// readWhole reads an answer that came as one JSON object: an error, or the
// turn of a server that doesn't stream.
func (c *Client) readWhole(t *turn, r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, wire.MaxTurn+1))
	switch {
	case err != nil:
		return err
	case len(data) > wire.MaxTurn:
		return wire.ErrTooLong
	}
	if err := c.frame(t, data); err != nil {
		return err
	}
	return t.end()
}

func (c *Client) readStream(t *turn, f *wire.Frames) error {
	for {
		data, complete, err := f.Next()
		switch {
		case err == io.EOF:
			return t.end()
		case err != nil && t.stop != "":
			return t.end() // all was said; how the connection ends is no matter
		case err != nil:
			return err
		}
		switch string(bytes.TrimSpace(data)) {
		case "":
			continue // some servers keep the connection alive with it
		case "[DONE]":
			t.done = true
			return t.end()
		}
		err = c.frame(t, data)
		if errors.As(err, new(*wire.BadFrame)) && !complete {
			return wire.ErrCut
		}
		if err != nil {
			return err
		}
	}
}

// frame takes one piece.
func (c *Client) frame(t *turn, data []byte) error {
	var ch chunk
	if err := json.Unmarshal(data, &ch); err != nil {
		return &wire.BadFrame{Err: err}
	}
	if len(ch.Error) > 0 && string(ch.Error) != "null" {
		return c.server.StreamError(data)
	}
	for _, choice := range ch.Choices {
		if choice.Index != 0 {
			continue // only one is ever asked for
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d == nil {
				continue
			}
			if err := t.add(d); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			t.stop = stop(choice.FinishReason)
		}
	}
	if ch.Usage != nil {
		return t.send(agent.Delta{Usage: ch.Usage.plan()})
	}
	return nil
}

// add emits what one delta holds. Some servers send the reasoning under several
// of its names, so it is taken from one of them.
func (t *turn) add(d *delta) error {
	reasoning := d.ReasoningContent
	if reasoning == "" {
		reasoning = d.Reasoning
	}
	for _, block := range d.Details {
		t.details.add(block)
		for name, value := range block {
			t.size += len(name) + len(value)
		}
	}
	if reasoning == "" {
		reasoning = d.Details.text()
	}
	if d.Refusal != "" {
		t.refused = true
	}
	if out := (agent.Delta{Text: string(d.Content + d.Refusal), Reasoning: string(reasoning)}); out.Text+out.Reasoning != "" {
		if err := t.send(out); err != nil {
			return err
		}
	}
	for i := range d.ToolCalls {
		for _, piece := range t.calls.add(d.ToolCalls[i]) {
			if err := t.send(agent.Delta{Call: piece}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *turn) send(d agent.Delta) error {
	t.size += len(d.Text) + len(d.Reasoning)
	if d.Call != nil {
		t.size += len(d.Call.Arguments) + len(d.Call.Name) + len(d.Call.ID)
	}
	if t.size > wire.MaxTurn {
		return wire.ErrTooLong
	}
	if !t.emit(d) {
		return wire.ErrStopped
	}
	return nil
}

// end finishes the turn, or says that it was cut off.
func (t *turn) end() error {
	if t.stop == "" && !t.done {
		return wire.ErrCut
	}
	for _, piece := range t.calls.rest() {
		if err := t.send(agent.Delta{Call: piece}); err != nil {
			return err
		}
	}
	switch {
	case t.refused:
		t.stop = agent.StopRefusal
	case t.stop == "":
		t.stop = agent.StopEnd
	}
	return t.send(agent.Delta{Stop: t.stop, Kept: t.kept()})
}
