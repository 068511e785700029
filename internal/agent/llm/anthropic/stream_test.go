package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeanthropic"
	"countersign/internal/planning"
)

// Text, thinking and arguments arrive in pieces of one byte, over a network
// that hands out one byte a time.
func TestStream_SmallPieces(t *testing.T) {
	s := fakeanthropic.New(t, fakeanthropic.Turn{Piece: 1, Blocks: []fakeanthropic.Block{
		{Think: "先想一想"}, {Redacted: "b3BhcXVl"}, {Text: "I’ll look."},
		{Call: &fakeanthropic.Call{ID: "toolu_1", Name: "grep", Arguments: map[string]string{"pattern": "für"}}},
		{Call: &fakeanthropic.Call{ID: "toolu_2", Name: "nothing", Arguments: ""}},
	}})
	have, err := collect(t, asking(t, s), ask(user("hi")))
	if err != nil {
		t.Fatal(err)
	}
	want := []planning.ToolCall{{ID: "toolu_1", Name: "grep", Arguments: `{"pattern":"für"}`}, {ID: "toolu_2", Name: "nothing", Arguments: "{}"}}
	if d := cmp.Diff(want, have.Calls); d != "" {
		t.Error(d)
	}
	if have.Text != "I’ll look." || have.Reasoning != "先想一想" || have.Stop != agent.StopEnd || have.deltas < 30 {
		t.Errorf("%+v", have)
	}
	if u := have.Usage; u.Output == 0 || u.Input != u.Written+s.Requests()[0].Usage.Input {
		t.Errorf("usage %+v", u)
	}
}

func TestStream_64CallsInOneTurn(t *testing.T) {
	var calls []fakeanthropic.Call
	for i := range 64 {
		calls = append(calls, fakeanthropic.Call{ID: fmt.Sprintf("c%d", i), Name: "grep", Arguments: map[string]int{"n": i}})
	}
	turn := fakeanthropic.Calls(calls...)
	turn.Piece = 3
	s := fakeanthropic.New(t, turn, fakeanthropic.Text("done"))
	c := asking(t, s)
	messages := []agent.Message{user("hi")}
	have, err := collect(t, c, ask(messages...))
	if err != nil || len(have.Calls) != 64 || have.Calls[63].Arguments != `{"n":63}` {
		t.Fatalf("%d calls, %v", len(have.Calls), err)
	}
	messages = append(messages, have.message())
	for _, call := range have.Calls {
		messages = append(messages, result(call.ID, "found"))
	}
	if have, err = collect(t, c, ask(messages...)); err != nil || have.Text != "done" {
		t.Fatal(have, err)
	}
	first, second := s.Requests()[0], s.Requests()[1]
	if second.Usage.Read != first.Usage.Read+first.Usage.Written || second.Usage.Read == 0 {
		t.Errorf("129 blocks later %d tokens are read from the cache of %+v", second.Usage.Read, first.Usage)
	}
}

func TestStream_StopReasons(t *testing.T) {
	for reason, want := range map[string]agent.Stop{
		"end_turn": agent.StopEnd, "stop_sequence": agent.StopEnd, "pause_turn": agent.StopEnd, "something_new": agent.StopEnd,
		"max_tokens": agent.StopLength, "model_context_window_exceeded": agent.StopLength, "refusal": agent.StopRefusal,
	} {
		s := fakeanthropic.New(t, fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "x"}}, Stop: reason})
		if have, err := collect(t, asking(t, s), ask(user("hi"))); err != nil || have.Stop != want {
			t.Errorf("%s: %q, %v", reason, have.Stop, err)
		}
	}
}

// Servers that don't stream answer with one object.
func TestStream_AnAnswerAtOnce(t *testing.T) {
	body := `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"yes"},` +
		`{"type":"tool_use","id":"a","name":"grep","input":{"n":1}},{"type":"tool_use","id":"a","name":"grep","input":{}}],` +
		`"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"output_tokens":2}}`
	have, err := collect(t, answering(t, 200, "application/json", body), ask(user("hi")))
	if err != nil || have.Text != "yes" || have.Reasoning != "hm" || len(have.Calls) != 2 || have.Calls[0].Arguments != `{"n":1}` || have.Calls[0].ID == have.Calls[1].ID {
		t.Errorf("%+v, %v", have, err)
	}
	if want := (planning.Usage{Input: 15, Output: 2, Cached: 5, Written: 7}); have.Usage != want {
		t.Errorf("usage %+v", have.Usage)
	}
	if !strings.Contains(string(have.Kept), `"signature":"s"`) {
		t.Errorf("kept %s", have.Kept)
	}
}

// Nothing that a model writes may make the next request one that is refused.
func TestStream_BrokenArgumentsGoBack(t *testing.T) {
	s := fakeanthropic.New(t,
		fakeanthropic.Turn{Stop: "max_tokens", Blocks: []fakeanthropic.Block{
			{Call: &fakeanthropic.Call{ID: "a", Name: "grep", Arguments: `{"pattern":`}},
			{Call: &fakeanthropic.Call{ID: "b", Name: "no such tool!", Arguments: `[1]`}},
			{Call: &fakeanthropic.Call{ID: "", Name: "", Arguments: ``}},
		}}, fakeanthropic.Text("sorry"))
	c := asking(t, s)
	have, err := collect(t, c, ask(user("hi")))
	if err != nil || have.Stop != agent.StopLength || have.Calls[0].Arguments != `{"pattern":` {
		t.Fatalf("%+v %v", have, err)
	}
	messages := []agent.Message{user("hi"), have.message()}
	for _, call := range have.Calls {
		messages = append(messages, agent.Message{Role: agent.RoleTool, CallID: call.ID, Failed: true})
	}
	if have, err = collect(t, c, ask(append(messages, user("  "))...)); err != nil || have.Text != "sorry" {
		t.Fatal(err)
	}
	calls := s.Requests()[1].Blocks("tool_use")
	if string(calls[0].Input) != `{"not_an_object":"{\"pattern\":"}` || calls[1].Name != "no_such_tool_" || calls[2].Name != "unknown" || !s.Requests()[1].Blocks("tool_result")[0].IsError {
		t.Errorf("%+v", calls)
	}
}

func TestEncode_Bytes(t *testing.T) {
	body, _, err := encode("m", ask(user("a <b>"), agent.Message{Role: agent.RoleAssistant, Calls: []planning.ToolCall{{ID: "1", Name: "grep", Arguments: `{"z":1, "a":2}`}}}, result("1", ""), user("and"), list("Current list")), options{maxTokens: 9})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","max_tokens":9,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"tools":[` +
		`{"name":"grep","description":"Finds <text>","input_schema":{"type":"object","properties":{"b":{},"a":{}}}},` +
		`{"name":"nothing","input_schema":{"type":"object","properties":{}}}],` +
		`"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"a <b>","cache_control":{"type":"ephemeral"}}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"grep","input":{"z":1,"a":2}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":""},` +
		`{"type":"text","text":"and","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Current list"}]}]}`
	if d := cmp.Diff(want, string(body)); d != "" {
		t.Error(d)
	}
}

// No stream of bytes may make the reader of turns panic or hang.
func FuzzTurn(f *testing.F) {
	f.Add([]byte("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"x\"}}\n\n"))
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`))
	f.Add([]byte(`{"type":"error","error":{"type":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		stops := 0
		turn := &turn{ids: map[string]bool{}, server: New(Config{Model: "m"}).server, emit: func(d agent.Delta) bool {
			if d.Stop != "" {
				stops++
				if d.Kept != nil && !json.Valid(d.Kept) {
					t.Errorf("kept %q", d.Kept)
				}
			}
			return true
		}}
		if err := turn.read(strings.NewReader(string(body))); (err == nil) != (stops == 1) {
			t.Errorf("%d ends with error %v", stops, err)
		}
	})
}
