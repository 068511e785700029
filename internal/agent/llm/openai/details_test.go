package openai

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// turnOf reads a turn that the network delivers byte by byte, and returns its
// reasoning and what is to go back.
func turnOf(t *testing.T, body string) (reasoning string, last agent.Delta) {
	t.Helper()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			io.WriteString(w, body[i:i+1])
			w.(http.Flusher).Flush()
		}
	})
	for d, err := range c.Stream(t.Context(), agent.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		reasoning += d.Reasoning
		last = d
	}
	return reasoning, last
}

// What OpenRouter sends as blocks in pieces goes back in whole ones, unchanged
// and in its order.
func TestStream_ReasoningDetailsGoBack(t *testing.T) {
	details := func(blocks string) string { return choice(`{"reasoning_details":[` + blocks + `]}`) }
	body := sse(
		details(`{"type":"reasoning.summary","index":0,"summary":"In ","format":"f","id":null}`), details(`{"type":"reasoning.summary","index":0,"summary":"short."}`),
		details(`{"type":"reasoning.text","index":1,"text":"Look "}`), details(`{"type":"reasoning.text","index":1,"text":"嗯 <b>"}`),
		details(`{"type":"reasoning.text","index":1,"text":"","signature":"c2ln","new":{"b":1}}`),
		details(`{"type":"reasoning.encrypted","index":2,"data":"AA=="},{"type":"reasoning.encrypted","index":2,"data":"BB=="}`), details(`7`), choice(`{"reasoning_details":null}`), choice(`{"reasoning_details":"?"}`),
		choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"grep","arguments":"{}"}}]}`), finish("tool_calls"))
	reasoning, last := turnOf(t, body)
	if reasoning != "In short.Look 嗯 <b>" {
		t.Errorf("people see %q", reasoning)
	}
	want := `"reasoning_details":[{"format":"f","id":null,"index":0,"summary":"In short.","type":"reasoning.summary"},` +
		`{"index":1,"new":{"b":1},"signature":"c2ln","text":"Look 嗯 <b>","type":"reasoning.text"},` +
		`{"data":"AA==","index":2,"type":"reasoning.encrypted"},{"data":"BB==","index":2,"type":"reasoning.encrypted"}]`
	for _, m := range []agent.Message{
		{Role: agent.RoleAssistant, Kept: last.Kept, Calls: []planning.ToolCall{{ID: "a", Name: "grep"}}},
		{Role: agent.RoleAssistant, Kept: last.Kept, Text: "done"},
	} {
		sent, err := encode("m", agent.Request{Messages: []agent.Message{m}}, options{})
		if text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(sent)); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s, %v", sent, err)
		}
		again, _ := encode("m", agent.Request{Messages: []agent.Message{m}}, options{})
		if string(sent) != string(again) {
			t.Error("the same request is not the same bytes")
		}
	}
}

// With the plain text beside them the blocks are not shown a second time.
func TestStream_ReasoningDetailsBesideText(t *testing.T) {
	reasoning, last := turnOf(t, sse(
		choice(`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}`), choice(`{"content":"Hi."}`), finish("stop")))
	if reasoning != "hm" || !strings.Contains(string(last.Kept), `"text":"hm"`) {
		t.Errorf("%q, kept %s", reasoning, last.Kept)
	}
}

// DeepSeek wants its reasoning_content with the calls that it led to.
func TestStream_DeepSeekReasoningGoesBackByteByByte(t *testing.T) {
	reasoning, last := turnOf(t, sse(choice(`{"reasoning_content":"我"}`), choice(`{"reasoning_content":"看"}`),
		choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"grep","arguments":"{}"}}]}`), finish("tool_calls")))
	m := agent.Message{Role: agent.RoleAssistant, Reasoning: reasoning, Kept: last.Kept, Calls: []planning.ToolCall{{ID: "a", Name: "grep"}}}
	sent, err := encode("m", agent.Request{Messages: []agent.Message{m}}, options{reasoning: true})
	if want := fmt.Sprintf(`"reasoning_content":%q`, "我看"); err != nil || !strings.Contains(string(sent), want) || strings.Contains(string(sent), "reasoning_details") {
		t.Errorf("%s, %v", sent, err)
	}
}
