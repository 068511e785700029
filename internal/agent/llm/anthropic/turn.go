package anthropic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
	"countersign/internal/planning"
)

// turn puts the pieces of one turn together and emits them as deltas.
type turn struct {
	emit   func(agent.Delta) bool
	ids    wire.IDs
	model  string
	prefix print
	server *wire.Server

	open  map[int]*part // by the server's index
	parts []*part
	calls int
	usage usage
	stop  agent.Stop
	size  int
}

// part is a block of the turn.
type part struct {
	keptBlock
	call  int             // place among the calls
	given json.RawMessage // arguments that came with the start
	wrote bool            // arguments came in pieces
}

// read reads a whole answer, whatever form it has.
func (t *turn) read(body io.Reader) error {
	t.open = map[int]*part{}
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
		return t.readWhole(r)
	}
	return t.readStream(wire.NewFrames(r))
}

func (t *turn) readStream(f *wire.Frames) error {
	for {
		data, complete, err := f.Next()
		switch {
		case err == io.EOF, err != nil && t.stop != "": // all was said; how the connection ends is no matter
			return t.end()
		case err != nil:
			return err
		case len(bytes.TrimSpace(data)) == 0:
			continue
		}
		done, err := t.event(data)
		if errors.As(err, new(*wire.BadFrame)) && !complete {
			return wire.ErrCut
		}
		if err != nil {
			return err
		}
		if done {
			return t.end()
		}
	}
}

// readWhole reads an answer that came as one JSON object: an error, or the
// turn of a server that doesn't stream.
func (t *turn) readWhole(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, wire.MaxTurn+1))
	switch {
	case err != nil:
		return err
	case len(data) > wire.MaxTurn:
		return wire.ErrTooLong
	}
	var e event
	var whole wholeTurn
	if err := errors.Join(json.Unmarshal(data, &e), json.Unmarshal(data, &whole)); err != nil {
		return &wire.BadFrame{Err: err}
	}
	if e.Type != "message" {
		return t.server.StreamError(data)
	}
	for i, b := range whole.Content {
		if err := errors.Join(t.begin(i, b), t.finish(i)); err != nil {
			return err
		}
	}
	t.stop = stop(whole.StopReason)
	if err := t.count(whole.Usage); err != nil {
		return err
	}
	return t.end()
}

// event takes one piece, and tells whether it was the last.
func (t *turn) event(data []byte) (done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, &wire.BadFrame{Err: err}
	}
	switch e.Type {
	case "error", "":
		return false, t.server.StreamError(data)
	case "message_start":
		if e.Message != nil {
			return false, t.count(e.Message.Usage)
		}
	case "content_block_start":
		if e.Content != nil {
			return false, t.begin(e.Index, *e.Content)
		}
	case "content_block_delta":
		return false, t.more(e)
	case "content_block_stop":
		return false, t.finish(e.Index)
	case "message_delta":
		if e.Delta.StopReason != "" {
			t.stop = stop(e.Delta.StopReason)
		}
		return false, t.count(e.Usage)
	case "message_stop":
		return true, nil
	}
	return false, nil // a ping, or what later versions say
}

func (t *turn) begin(index int, b startBlock) error {
	p := &part{keptBlock: keptBlock{Type: b.Type}}
	switch b.Type {
	case typeText, typeThinking:
	case typeRedacted:
		p.Data = b.Data
	case typeCall:
		p.call, p.given = t.calls, b.Input
		t.calls++
	default:
		return nil // no block that we asked for
	}
	t.open[index] = p
	t.parts = append(t.parts, p)
	if b.Type == typeCall {
		return t.send(agent.Delta{Call: &agent.CallDelta{Index: p.call, ID: t.ids.Take(b.ID), Name: b.Name}})
	}
	return t.grow(p, b.Text, b.Thinking, b.Signature)
}

func (t *turn) more(e event) error {
	p := t.open[e.Index]
	if p == nil {
		return nil
	}
	if p.Type == typeCall {
		if e.Delta.PartialJSON == "" {
			return nil
		}
		p.wrote = true
		return t.send(agent.Delta{Call: &agent.CallDelta{Index: p.call, Arguments: e.Delta.PartialJSON}})
	}
	return t.grow(p, e.Delta.Text, e.Delta.Thinking, e.Delta.Signature)
}

// grow adds to a block of text or of thinking.
func (t *turn) grow(p *part, text, thinking, signature string) error {
	p.Signature += signature
	t.size += len(signature)
	switch p.Type {
	case typeText:
		p.Bytes += len(text)
		thinking = ""
	case typeThinking:
		p.Thinking += thinking
		text = ""
	}
	if text+thinking == "" {
		return nil
	}
	return t.send(agent.Delta{Text: text, Reasoning: thinking})
}

// finish ends a block. Arguments that came with its start count if no others
// did: servers that don't stream them send them so.
func (t *turn) finish(index int) error {
	p := t.open[index]
	delete(t.open, index)
	if p == nil || p.Type != typeCall || p.wrote || len(p.given) == 0 || string(p.given) == "null" {
		return nil
	}
	return t.send(agent.Delta{Call: &agent.CallDelta{Index: p.call, Arguments: string(p.given)}})
}

// count takes usage in. Later counts are of the whole turn, but may leave out
// what an earlier one had.
func (t *turn) count(u *usage) error {
	if u == nil {
		return nil
	}
	t.usage = usage{
		Input: max(t.usage.Input, u.Input), Output: max(t.usage.Output, u.Output),
		Read: max(t.usage.Read, u.Read), Written: max(t.usage.Written, u.Written),
	}
	return t.send(agent.Delta{Usage: &planning.Usage{
		Input: t.usage.Input + t.usage.Read + t.usage.Written, Output: t.usage.Output,
		Cached: t.usage.Read, Written: t.usage.Written,
	}})
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
	if t.stop == "" {
		return wire.ErrCut
	}
	return t.send(agent.Delta{Stop: t.stop, Kept: t.kept()})
}
