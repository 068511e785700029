package anthropic

import (
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeanthropic"
)

// thinks is a turn that thinks before and between what it says and calls.
func thinks(id string) fakeanthropic.Turn {
	return fakeanthropic.Turn{Piece: 4, Blocks: []fakeanthropic.Block{
		{Think: "first " + id}, {Redacted: "opaque-" + id}, {Text: "Looking."}, {Think: "-"},
		{Call: &fakeanthropic.Call{ID: id, Name: "grep", Arguments: map[string]int{"n": 1}}},
		{Think: "then"}, {Call: &fakeanthropic.Call{ID: id + "x", Name: "grep", Arguments: map[string]int{"n": 2}}},
	}}
}

// session asks again and again, as the loop does, with a list that is only ever in
// one request if there is one.
type session struct {
	t        *testing.T
	c        *Client
	req      agent.Request
	messages []agent.Message
}

func (s *session) next(passing ...agent.Message) got {
	s.t.Helper()
	req := s.req
	req.Messages = append(append([]agent.Message(nil), s.messages...), passing...)
	have, err := collect(s.t, s.c, req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.messages = append(s.messages, have.message())
	for _, c := range have.Calls {
		s.messages = append(s.messages, result(c.ID, "found"))
	}
	return have
}

func begin(t *testing.T, s *fakeanthropic.Server) *session {
	return &session{t: t, c: asking(t, s), req: ask(), messages: []agent.Message{user("hi")}}
}

// shape is the types of a message's blocks.
func shape(r fakeanthropic.Request, message int) string {
	var types []string
	for _, c := range r.Body.Messages[message].Content {
		types = append(types, c.Type)
	}
	return strings.Join(types, " ")
}

const whole = "thinking redacted_thinking text thinking tool_use thinking tool_use"

// The server refuses thinking that is changed, moved or left out.
func TestThinking_GoesBackAsItCame(t *testing.T) {
	for _, binds := range []bool{false, true} {
		s := fakeanthropic.New(t, thinks("a"), thinks("b"), fakeanthropic.Text("done"))
		s.Binds = binds
		talk := begin(t, s)
		for range 3 {
			talk.next()
		}
		requests := s.Requests()
		if len(requests) != 3 || shape(requests[2], 1) != whole || shape(requests[2], 3) != whole {
			t.Errorf("binds %v: %d requests, the last with %q and %q", binds, len(requests), shape(requests[2], 1), shape(requests[2], 3))
		}
		if first := requests[2].Blocks("thinking")[1]; first.Thinking == nil || *first.Thinking != "" || first.Signature == "" {
			t.Errorf("thinking whose text is left out: %+v", first)
		}
	}
}

// A model that binds its thinking to what stood before refuses it once tools or
// prompt have changed. It is asked again without, and from then on what does
// not fit stays out from the start.
func TestThinking_BoundToWhatStoodBefore(t *testing.T) {
	s := fakeanthropic.New(t, thinks("a"), thinks("b"), thinks("c"), thinks("d"), fakeanthropic.Text("done"))
	s.Binds = true
	talk := begin(t, s)
	talk.next()
	talk.req.System = "Now you may write."
	talk.next()
	talk.next()
	talk.next(list("Current list"))
	talk.next()
	requests := s.Requests()
	if len(requests) != 5 {
		t.Fatalf("%d requests were taken", len(requests))
	}
	last := requests[4]
	for message, want := range map[int]string{1: "text tool_use tool_use", 3: "text tool_use tool_use", 5: "text tool_use tool_use", 7: "text tool_use tool_use"} {
		if have := shape(last, message); have != want {
			t.Errorf("message %d of the last: %s", message, have)
		}
	}
	if have := shape(requests[2], 3); have != whole {
		t.Errorf("thinking behind an unchanged conversation: %s", have)
	}
	if have := shape(requests[3], 5); have != whole {
		t.Errorf("a list at the end is no change of what was before: %s", have)
	}
}

// Without bound thinking all of it goes back, whatever changed.
func TestThinking_KeptOverAChangeOfMode(t *testing.T) {
	s := fakeanthropic.New(t, thinks("a"), thinks("b"), fakeanthropic.Text("done"))
	talk := begin(t, s)
	talk.next(list("Current list"))
	talk.req.System = "Now you may write."
	talk.next(list("Current list, changed"))
	talk.next()
	if last := s.Requests()[2]; shape(last, 1) != whole || shape(last, 3) != whole {
		t.Errorf("%s; %s", shape(last, 1), shape(last, 3))
	}
}

// A model can't read what another one thought.
func TestThinking_OfAnotherModelStaysOut(t *testing.T) {
	s := fakeanthropic.New(t, thinks("a"), fakeanthropic.Text("done"))
	talk := begin(t, s)
	talk.next()
	talk.c.server.Model = "claude-other"
	talk.next()
	if have := shape(s.Requests()[1], 1); have != "text tool_use tool_use" {
		t.Error(have)
	}
}

// An older model can't think so, and can't write so much: two refusals teach
// it, and there are no more.
func TestThinking_AModelThatCanNot(t *testing.T) {
	s := fakeanthropic.New(t, fakeanthropic.Text("one"), fakeanthropic.Text("two"))
	s.Old = true
	talk := begin(t, s)
	talk.next()
	talk.messages = append(talk.messages, user("go on"))
	talk.next()
	for _, r := range s.Requests() {
		if r.Body.Thinking != nil || r.Body.MaxTokens != 8192 {
			t.Errorf("asked with %+v and %d tokens", r.Body.Thinking, r.Body.MaxTokens)
		}
	}
}

// Each request reads from the cache all that the one before left there, with a
// list at the end that changes every time.
func TestCache_T7_EachRequestReadsTheOneBefore(t *testing.T) {
	s := fakeanthropic.New(t, thinks("a"), thinks("b"), thinks("c"), fakeanthropic.Text("done"))
	talk := begin(t, s)
	for _, text := range []string{"[ ] one", "[>] one", "[x] one", "[x] one\n[ ] two"} {
		talk.next(list(text))
	}
	requests := s.Requests()
	for i, r := range requests {
		if n := strings.Count(string(r.Raw), `"cache_control"`); n > 3 {
			t.Errorf("request %d has %d breakpoints", i, n)
		}
		if i == 0 {
			continue
		}
		before := requests[i-1]
		if r.Usage.Read != before.Usage.Read+before.Usage.Written || r.Usage.Read == 0 {
			t.Errorf("request %d reads %d of %+v", i, r.Usage.Read, before.Usage)
		}
		if !strings.HasPrefix(r.CachedPrefix(), before.CachedPrefix()) || strings.Contains(r.CachedPrefix(), "] one") {
			t.Errorf("request %d does not begin as the one before, or has the list in its cached part", i)
		}
		if strings.Count(string(r.Raw), "] one") != 1 || !strings.Contains(r.Last(), "] one") {
			t.Errorf("request %d: the list is not there once and last", i)
		}
	}
}
