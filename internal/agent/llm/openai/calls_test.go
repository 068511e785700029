package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

func called(id, name, arguments string) planning.ToolCall {
	return planning.ToolCall{ID: id, Name: name, Arguments: arguments}
}

// made stands for an id that the adapter made up.
const made = "made up"

var callTests = map[string]struct {
	fragments []string
	want      []planning.ToolCall
}{
	"no ids": {
		[]string{`[{"index":0,"function":{"name":"grep","arguments":"{}"}},{"index":1,"function":{"name":"glob","arguments":"{}"}}]`},
		[]planning.ToolCall{called(made, "grep", "{}"), called(made, "glob", "{}")},
	},
	"no arguments at all": {
		[]string{`[{"index":0,"id":"a","function":{"name":"grep"}}]`},
		[]planning.ToolCall{called("a", "grep", "")},
	},
	"id repeated in each fragment": {
		[]string{
			`[{"index":0,"id":"a","function":{"name":"grep","arguments":"{\"p\":"}}]`,
			`[{"index":0,"id":"a","function":{"name":"grep","arguments":"1}"}}]`,
			`[{"index":0,"id":"a","function":{"name":"grep","arguments":""}}]`,
		},
		[]planning.ToolCall{called("a", "grep", `{"p":1}`)},
	},
	"same id twice": {
		[]string{`[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"y","arguments":"{}"}}]`},
		[]planning.ToolCall{called("a", "x", "{}"), called(made, "y", "{}")},
	},
	"id that an earlier turn had": {
		[]string{`[{"index":0,"id":"old","function":{"name":"x","arguments":"{}"}}]`},
		[]planning.ToolCall{called(made, "x", "{}")},
	},
	"index nought for every call": {
		[]string{
			`[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}]`,
			`[{"index":0,"id":"b","function":{"name":"x","arguments":"{\"n\":"}}]`,
			`[{"index":0,"function":{"arguments":"2}"}}]`,
		},
		[]planning.ToolCall{called("a", "x", `{"n":1}`), called("b", "x", `{"n":2}`)},
	},
	"no index": {
		[]string{
			`[{"id":"a","function":{"name":"x","arguments":"{\"n\":"}}]`,
			`[{"function":{"arguments":"1}"}}]`,
			`[{"id":"b","function":{"name":"y","arguments":"{\"n\":"}}]`,
			`[{"id":"b","function":{"arguments":"2"}}]`,
			`[{"id":"a","function":{"arguments":" "}}]`,
			`[{"id":"b","function":{"arguments":"}"}}]`,
		},
		[]planning.ToolCall{called("a", "x", `{"n":1} `), called("b", "y", `{"n":2}`)},
	},
	"neither index nor id, same tool twice": {
		[]string{
			`[{"function":{"name":"x","arguments":"{\"n\":1}"}}]`,
			`[{"function":{"name":"x","arguments":"{\"n\":2}"}}]`,
		},
		[]planning.ToolCall{called(made, "x", `{"n":1}`), called(made, "x", `{"n":2}`)},
	},
	"name in pieces": {
		[]string{
			`[{"index":0,"id":"a","function":{"name":"read"}}]`,
			`[{"index":0,"function":{"name":"_file"}}]`,
			`[{"index":0,"function":{"arguments":"{}"}}]`,
		},
		[]planning.ToolCall{called("a", "read_file", "{}")},
	},
	"arguments as an object": {
		[]string{`[{"index":0,"id":"a","function":{"name":"x","arguments":{"n": 1}}}]`},
		[]planning.ToolCall{called("a", "x", `{"n":1}`)},
	},
	"null everywhere": {
		[]string{`null`, `[{"index":null,"id":null,"function":{"name":"x","arguments":null}}]`},
		[]planning.ToolCall{called(made, "x", "")},
	},
}

func TestStream_CallsAsServersReallySendThem(t *testing.T) {
	for name, test := range callTests {
		t.Run(name, func(t *testing.T) {
			var data []string
			for _, f := range test.fragments {
				data = append(data, choice(`{"content":null,"tool_calls":`+f+`}`))
			}
			data = append(data, finish("tool_calls"), "[DONE]")
			req := agent.Request{Messages: []agent.Message{{Role: agent.RoleAssistant, Calls: []planning.ToolCall{{ID: "old", Name: "x"}}}}}
			have, err := collect(t, answering(t, 200, "text/event-stream", sse(data...)), req)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{"old": true}
			for i, c := range have.Calls {
				if c.ID == "" || seen[c.ID] {
					t.Errorf("id %q is empty or not unique", c.ID)
				}
				seen[c.ID] = true
				if i < len(test.want) && test.want[i].ID == made {
					have.Calls[i].ID = made
				}
			}
			if d := cmp.Diff(test.want, have.Calls); d != "" {
				t.Error(d)
			}
		})
	}
}
