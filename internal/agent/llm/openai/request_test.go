package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func conversation() agent.Request {
	return agent.Request{
		System: "Be brief.",
		Tools: []agent.ToolSpec{
			{Name: "grep", Description: "Finds <text> & more", Parameters: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)},
			{Name: "nothing"},
		},
		Messages: []agent.Message{
			{Role: agent.RoleUser, Text: "rename “A” to <B>"},
			{Role: agent.RoleAssistant, Reasoning: "hm", Calls: []planning.ToolCall{
				{ID: "1", Name: "grep", Arguments: `{"pattern":"A"}`},
				{ID: "2", Name: "grep", Arguments: `{"pattern":`},
				{ID: "3", Name: ""},
			}},
			{Role: agent.RoleTool, CallID: "1", Text: "a.go:1:A"},
			{Role: agent.RoleTool, CallID: "2", Text: "not JSON", Failed: true},
			{Role: agent.RoleTool, CallID: "3", Text: ""},
			{Role: agent.RoleAssistant, Text: "Done.", Reasoning: "hm"},
		},
	}
}

func TestEncode_Bytes(t *testing.T) {
	want := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[` +
		`{"type":"function","function":{"name":"grep","description":"Finds <text> & more","parameters":{"type":"object","properties":{"b":{},"a":{}}}}},` +
		`{"type":"function","function":{"name":"nothing","parameters":{"type":"object","properties":{}}}}],"messages":[` +
		`{"role":"system","content":"Be brief."},{"role":"user","content":"rename “A” to <B>"},` +
		`{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"A\"}"}},` +
		`{"id":"2","type":"function","function":{"name":"grep","arguments":"{\"pattern\":"}},` +
		`{"id":"3","type":"function","function":{"name":"unknown","arguments":"{}"}}]},` +
		`{"role":"tool","content":"a.go:1:A","tool_call_id":"1"},{"role":"tool","content":"not JSON","tool_call_id":"2"},` +
		`{"role":"tool","content":"","tool_call_id":"3"},{"role":"assistant","content":"Done."}]}`
	have, err := encode("m", conversation(), options{streamOptions: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(have)); d != "" {
		t.Error(d)
	}
}

// A longer conversation begins with the bytes of the shorter one.
func TestEncode_PrefixIsKept(t *testing.T) {
	req := conversation()
	var before []byte
	for n := range len(req.Messages) + 1 {
		shorter := req
		shorter.Messages = req.Messages[:n]
		now, err := encode("m", shorter, options{streamOptions: true})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(now, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d messages: the request does not begin as the one before", n)
		}
		before = now
	}
}

func TestEncode_ReasoningOnlyWhereAskedFor(t *testing.T) {
	body, err := encode("m", conversation(), options{reasoning: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(body, []byte(`"reasoning_content":"hm"`)); n != 1 {
		t.Errorf("the reasoning is there %d times, want once, with the calls: %s", n, body)
	}
}

func TestStream_SendsKeyAndPath(t *testing.T) {
	var path, key, agentName string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		path, key, agentName = r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("User-Agent")
		w.Write([]byte(sse(finish("stop"))))
	})
	c.server.URL.RawQuery = "api-version=1"
	if _, err := collect(t, c, agent.Request{}); err != nil {
		t.Fatal(err)
	}
	if path != "/v1/chat/completions?api-version=1" || key != "Bearer "+testKey || agentName != "countersign" {
		t.Errorf("got %q %q %q", path, key, agentName)
	}
	c.server.Key = ""
	if collect(t, c, agent.Request{}); key != "" {
		t.Errorf("without a key the header is %q", key)
	}
}

// Servers that refuse a part of the request, or miss one, are asked again.
func TestStream_LearnsFromRefusal(t *testing.T) {
	refusal := func(message string) fakeopenai.Turn { return fakeopenai.Turn{Status: 400, Error: message} }
	s := fakeopenai.New(t,
		refusal("The `reasoning_content` in the thinking mode must be passed back to the API."),
		refusal("Unrecognized request argument: stream_options"),
		fakeopenai.Text("yes"), fakeopenai.Text("still"))
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	c := New(Config{Model: "m", BaseURL: s.URL, Client: client})
	for _, want := range []string{"yes", "still"} {
		if have, err := collect(t, c, conversation()); err != nil || have.Text != want {
			t.Fatalf("got %q, %v", have.Text, err)
		}
	}
	for i, r := range s.Requests() {
		reasoning, usage := strings.Contains(string(r.Raw), "reasoning_content"), strings.Contains(string(r.Raw), "stream_options")
		if reasoning != (i >= 1) || usage != (i < 2) {
			t.Errorf("request %d: reasoning %v, stream_options %v", i, reasoning, usage)
		}
	}
}

// What Gemini signs its thoughts with goes back with the call that it came with.
func TestStream_ExtraContentGoesBack(t *testing.T) {
	c := answering(t, 200, "text/event-stream", sse(
		choice(`{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"name":"grep","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"grep","arguments":"{}"}}]}`), finish("tool_calls")))
	var last agent.Delta
	for d, err := range c.Stream(t.Context(), agent.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		last = d
	}
	body, err := encode("m", agent.Request{Messages: []agent.Message{{Role: agent.RoleAssistant, Kept: last.Kept, Calls: []planning.ToolCall{{ID: "a", Name: "grep"}, {ID: "b", Name: "grep"}}}}}, options{})
	if err != nil || strings.Count(string(body), "extra_content") != 1 ||
		!strings.Contains(string(body), `"function":{"name":"grep","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"id":"b"`) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestBase(t *testing.T) {
	for base, want := range map[string]string{
		"":                              "https://api.openai.com/v1/chat/completions",
		"http://localhost:11434":        "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/ ":      "http://localhost:11434/v1/chat/completions",
		"http://localhost:11434/v1":     "http://localhost:11434/v1/chat/completions",
		"https://h/openai/v1/?k=1":      "https://h/openai/v1/chat/completions?k=1",
		"https://h/beta/openai/":        "https://h/beta/openai/chat/completions",
		"https://h/v1/chat/completions": "https://h/v1/chat/completions",
	} {
		if have := New(Config{BaseURL: base}).server.URL.String(); have != want {
			t.Errorf("%q: %s, want %s", base, have, want)
		}
	}
}
