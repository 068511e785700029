package fakeanthropic

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// issue is thinking that the server gave out.
type issue struct {
	key      string // signature, or data of what is redacted
	thinking string
	model    string
	prefix   string // of the conversation that it answers
	turn     int    // of the issues with the same number, all or none go back
	whole    bool   // the turn came to its end, so that the client has it
}

// sign remembers thinking and returns its signature.
func (s *Server) sign(r Request, turn int, thinking, data string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := data
	if key == "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", len(s.issued), thinking))
		key = base64.StdEncoding.EncodeToString(sum[:])
	}
	s.issued = append(s.issued, issue{key: key, thinking: thinking, model: r.Body.Model, prefix: prefix(r.Body, len(r.Body.Messages)), turn: turn})
	return key
}

// checkThinking: thinking comes back as it went out, and in its order.
func (s *Server) checkThinking(b Body) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := -1
	for i, m := range b.Messages {
		var seen []int
		for k, c := range m.Content {
			if !c.thinks() {
				continue
			}
			at := fmt.Sprintf("messages.%d.content.%d", i, k)
			n := s.find(c)
			switch {
			case n < 0 || c.Type == "thinking" && (c.Thinking == nil || *c.Thinking != s.issued[n].thinking):
				return invalid(at + ": Invalid `signature` in `thinking` block")
			case before >= 0 && n != s.after(before):
				return invalid(at + ": Invalid `signature` in `thinking` block: one between others was left out or moved.")
			case s.Binds && s.issued[n].prefix != prefix(b, i):
				return lesson(at + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".")
			}
			before, seen = n, append(seen, n)
		}
		if len(seen) > 0 && s.ofTurn(s.issued[seen[0]].turn) != len(seen) {
			return invalid(fmt.Sprintf("messages.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", i))
		}
	}
	return nil
}

func (s *Server) find(c Content) int {
	key := c.Signature
	if c.Type == "redacted_thinking" {
		key = c.Data
	}
	for n, is := range s.issued {
		if is.key == key {
			return n
		}
	}
	return -1
}

// after is the next that the client has.
func (s *Server) after(n int) int {
	for n++; n < len(s.issued) && !s.issued[n].whole; n++ {
	}
	return n
}

// ended notes that a turn came to its end.
func (s *Server) ended(turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.issued {
		s.issued[n].whole = s.issued[n].whole || s.issued[n].turn == turn
	}
}

func (s *Server) ofTurn(turn int) int {
	n := 0
	for _, is := range s.issued {
		if is.turn == turn {
			n++
		}
	}
	return n
}

// prefix is the sum of all that stands before the message of this number,
// without thinking and breakpoints.
func prefix(b Body, messages int) string {
	sum := sha256.New()
	enter := func(v any) {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		sum.Write(data)
	}
	for _, t := range b.Tools {
		t.CacheControl = nil
		enter(t)
	}
	for _, c := range b.System {
		c.CacheControl = nil
		enter(c)
	}
	for _, m := range b.Messages[:messages] {
		enter(m.Role)
		for _, c := range m.Content {
			if c.CacheControl = nil; !c.thinks() {
				enter(c)
			}
		}
	}
	return string(sum.Sum(nil))
}
