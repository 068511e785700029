package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"countersign/internal/agent"
)

// errStopped ends reading because nobody wants more.
var errStopped = errors.New("stopped")

// errCut is a stream that ended in the middle of a turn.
var errCut = errors.New("the stream ended in the middle of a turn")

// turn puts the pieces of one turn together and emits them as deltas.
type turn struct {
	emit    func(agent.Delta) bool
	calls   calls
	stop    agent.Stop
	refused bool
	done    bool // the stream said [DONE]
	size    int
}

func newTurn(used map[string]bool, emit func(agent.Delta) bool) *turn {
	return &turn{emit: emit, calls: calls{used: used, at: map[int]int{}}}
}

// read reads a whole answer, whatever form it has.
func (c *Client) read(t *turn, body io.Reader) error {
	r := bufio.NewReaderSize(body, 32<<10)
	first, err := firstByte(r)
	switch {
	case err == io.EOF:
		return errCut
	case err != nil:
		return err
	case first == '<':
		return errHTML
	case first == '{':
		return c.readWhole(t, r)
	}
	return c.readStream(t, newFrames(r))
}

// firstByte returns the first byte that is neither white space nor part of a
// byte order mark, without reading it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\ufeff", b) < 0 {
			return b, r.UnreadByte()
		}
	}
}

// readWhole reads an answer that came as one JSON object: an error, or the
// turn of a server that doesn't stream.
func (c *Client) readWhole(t *turn, r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, maxFrame+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxFrame:
		return errTooLong
	}
	if err := c.frame(t, data); err != nil {
		return err
	}
	return t.end()
}

func (c *Client) readStream(t *turn, f *frames) error {
	for {
		data, complete, err := f.next()
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
		if errors.As(err, new(*badFrame)) && !complete {
			return errCut
		}
		if err != nil {
			return err
		}
	}
}

// badFrame is a piece of the stream that isn't JSON of the expected form.
type badFrame struct{ err error }

func (e *badFrame) Error() string { return e.err.Error() }

// frame takes one piece.
func (c *Client) frame(t *turn, data []byte) error {
	var ch chunk
	if err := json.Unmarshal(data, &ch); err != nil {
		return &badFrame{err}
	}
	if len(ch.Error) > 0 && string(ch.Error) != "null" {
		return c.streamError(data)
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

// add emits what one delta holds. Some servers send the reasoning under both
// of its names, so it is taken from one of them.
func (t *turn) add(d *delta) error {
	reasoning := d.ReasoningContent
	if reasoning == "" {
		reasoning = d.Reasoning
	}
	if d.Refusal != "" {
		t.refused = true
	}
	if out := (agent.Delta{Text: string(d.Content + d.Refusal), Reasoning: string(reasoning)}); out != (agent.Delta{}) {
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
	if t.size > maxFrame {
		return errTooLong
	}
	if !t.emit(d) {
		return errStopped
	}
	return nil
}

// end finishes the turn, or says that it was cut off.
func (t *turn) end() error {
	if t.stop == "" && !t.done {
		return errCut
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
	return t.send(agent.Delta{Stop: t.stop})
}
