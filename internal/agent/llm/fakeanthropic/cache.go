package fakeanthropic

import (
	"crypto/sha256"
	"encoding/json"
)

// lookback is how many blocks before a breakpoint the API looks for what it has
// in its cache.
const lookback = 20

// piece is a block of a request in the order in which the cache sees them:
// tools, system prompt, messages.
type piece struct {
	sum    string // of everything up to its end
	chars  int
	marked bool
}

func pieces(b Body) []piece {
	var list []piece
	sum := sha256.New()
	add := func(role string, v any, marked bool) {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		sum.Write([]byte(role))
		sum.Write(data)
		list = append(list, piece{string(sum.Sum(nil)), len(data), marked})
	}
	for _, t := range b.Tools {
		marked := t.CacheControl != nil
		t.CacheControl = nil
		add("tool", t, marked)
	}
	blocks := func(role string, content []Content) {
		for _, c := range content {
			marked := c.CacheControl != nil
			c.CacheControl = nil
			add(role, c, marked)
		}
	}
	blocks("system", b.System)
	for _, m := range b.Messages {
		blocks(m.Role, m.Content)
	}
	return list
}

// count says what a request reads from the cache and writes to it, four
// characters to a token.
func (s *Server) count(r Request) Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := pieces(r.Body)
	read, last := -1, -1
	for i, p := range list {
		if !p.marked {
			continue
		}
		last = i
		for k := i; k >= 0 && k > i-lookback; k-- {
			if s.cache[list[k].sum] {
				read = max(read, k)
				break
			}
		}
	}
	var u Usage
	for i, p := range list {
		tokens := int64(p.chars/4 + 1)
		switch {
		case i <= read:
			u.Read += tokens
		case i <= last:
			u.Written += tokens
		default:
			u.Input += tokens
		}
		if p.marked {
			s.cache[p.sum] = true
		}
	}
	return u
}

// CachedPrefix is what the request leaves in the cache, as text: all up to its
// last breakpoint. Of two requests of which the second reads all of the first,
// its begins with that of the first.
func (r Request) CachedPrefix() string {
	b := r.Body
	text, kept := "", ""
	add := func(role string, v any, marked bool) {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		if text += role + string(data) + "\n"; marked {
			kept = text
		}
	}
	for _, t := range b.Tools {
		marked := t.CacheControl != nil
		t.CacheControl = nil
		add("tool", t, marked)
	}
	all := append([]Message{{Role: "system", Content: b.System}}, b.Messages...)
	for _, m := range all {
		for _, c := range m.Content {
			marked := c.CacheControl != nil
			c.CacheControl = nil
			add(m.Role, c, marked)
		}
	}
	return kept
}
