package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeopenai"
	"countersign/internal/planning"
)

func TestStream_FromScriptedServer(t *testing.T) {
	want := got{
		Text: "Ich schaue nach. 我看看。", Reasoning: "hm 嗯",
		Calls: []planning.ToolCall{
			{ID: "a", Name: "grep", Arguments: `{"pattern":"x y","path":"文件"}`},
			{ID: "b", Name: "read_file", Arguments: `{"path":"broken`},
		},
		Usage: planning.Usage{Input: 100, Output: 20, Cached: 64},
		Stop:  agent.StopEnd, Stops: 1,
	}
	for _, piece := range []int{0, 1, 2, 3, 7} {
		t.Run(fmt.Sprint("piece ", piece), func(t *testing.T) {
			s := fakeopenai.New(t, fakeopenai.Turn{
				Reasoning: want.Reasoning, Text: want.Text, Piece: piece,
				Calls: []fakeopenai.Call{
					{ID: "a", Name: "grep", Arguments: want.Calls[0].Arguments},
					{ID: "b", Name: "read_file", Arguments: want.Calls[1].Arguments},
				},
				Usage: &fakeopenai.Usage{Prompt: 100, Completion: 20, Cached: 64},
			})
			client := &http.Client{Transport: &http.Transport{}}
			t.Cleanup(client.CloseIdleConnections)
			have, err := collect(t, New(Config{Model: "m", BaseURL: s.URL, Client: client}), agent.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, have); d != "" {
				t.Error(d)
			}
		})
	}
}

// Whatever the network does to the bytes, the turn is the same.
func TestStream_OneBytePieces(t *testing.T) {
	body := ": hello\r\n\r\n" + sse(choice(`{"content":"é"}`), choice(`{"content":"好"}`), finish("stop"), "[DONE]")
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			io.WriteString(w, body[i:i+1])
			w.(http.Flusher).Flush()
		}
	})
	have, err := collect(t, c, agent.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got{Text: "é好", Stop: agent.StopEnd, Stops: 1}, have); d != "" {
		t.Error(d)
	}
}

// 64 calls whose arguments come in one-byte fragments, mixed up by index.
func TestStream_ManyCallsInterleaved(t *testing.T) {
	const n = 64
	random := rand.New(rand.NewPCG(1, 2))
	var want []planning.ToolCall
	left := make([]string, n)
	var data []string
	for i := range n {
		args := fmt.Sprintf(`{"path":"file-%d.go","n":%d}`, i, i)
		want = append(want, planning.ToolCall{ID: fmt.Sprint("id", i), Name: fmt.Sprint("tool", i%3), Arguments: args})
		left[i] = args
		data = append(data, choice(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"id%d","type":"function","function":{"name":"tool%d","arguments":""}}]}`, i, i, i%3)))
	}
	for open := n; open > 0; {
		i := random.IntN(n)
		if left[i] == "" {
			continue
		}
		piece, _ := json.Marshal(left[i][:1])
		data = append(data, choice(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, piece)))
		if left[i] = left[i][1:]; left[i] == "" {
			open--
		}
	}
	data = append(data, finish("tool_calls"), "[DONE]")
	have, err := collect(t, answering(t, 200, "text/event-stream", sse(data...)), agent.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, have.Calls); d != "" {
		t.Error(d)
	}
}

func TestStream_Ends(t *testing.T) {
	hi := choice(`{"content":"hi"}`)
	tests := map[string]struct {
		body string
		want agent.Stop
	}{
		"stop":                       {sse(hi, finish("stop"), "[DONE]"), agent.StopEnd},
		"tool_calls":                 {sse(hi, finish("tool_calls"), "[DONE]"), agent.StopEnd},
		"length":                     {sse(hi, finish("length"), "[DONE]"), agent.StopLength},
		"content_filter":             {sse(hi, finish("content_filter"), "[DONE]"), agent.StopRefusal},
		"refusal in the delta":       {sse(choice(`{"refusal":"hi"}`), finish("stop"), "[DONE]"), agent.StopRefusal},
		"a reason nobody knows":      {sse(hi, finish("eos"), "[DONE]"), agent.StopEnd},
		"no reason, but [DONE]":      {sse(hi, "[DONE]"), agent.StopEnd},
		"a reason, no [DONE]":        {sse(hi, finish("length")), agent.StopLength},
		"no blank line at the end":   {sse(hi, finish("stop")) + "data: [DONE]", agent.StopEnd},
		"CRLF":                       {strings.ReplaceAll(sse(hi, finish("stop"), "[DONE]"), "\n", "\r\n"), agent.StopEnd},
		"CR":                         {strings.ReplaceAll(sse(hi, finish("stop"), "[DONE]"), "\n", "\r"), agent.StopEnd},
		"byte order mark":            {"\ufeff" + sse(hi, finish("stop"), "[DONE]"), agent.StopEnd},
		"comments and empty events":  {": ping\n\ndata:\n\nevent: x\nid: 7\n" + sse(hi, finish("stop"), "[DONE]"), agent.StopEnd},
		"content as parts":           {sse(choice(`{"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]}`), finish("stop")), agent.StopEnd},
		"an object instead":          {`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`, agent.StopEnd},
		"a second choice is ignored": {sse(hi, `{"choices":[{"index":1,"delta":{"content":"no"}}]}`, finish("stop"), "[DONE]"), agent.StopEnd},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			have, err := collect(t, answering(t, 200, "text/event-stream", test.body), agent.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if have.Text != "hi" || have.Stop != test.want || have.Stops != 1 {
				t.Errorf("got %+v, want the text and %q once", have, test.want)
			}
		})
	}
}

func TestStream_ReasoningUnderItsNames(t *testing.T) {
	for _, delta := range []string{`{"reasoning_content":"hm"}`, `{"reasoning":"hm"}`, `{"reasoning":"hm","reasoning_content":"hm"}`} {
		have, err := collect(t, answering(t, 200, "text/event-stream", sse(choice(delta), finish("stop"))), agent.Request{})
		if err != nil || have.Reasoning != "hm" {
			t.Errorf("%s: got %q, %v", delta, have.Reasoning, err)
		}
	}
}

func TestStream_UsageOfDeepSeek(t *testing.T) {
	usage := `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":8}}`
	have, err := collect(t, answering(t, 200, "text/event-stream", sse(finish("stop"), usage, "[DONE]")), agent.Request{})
	if want := (planning.Usage{Input: 9, Output: 2, Cached: 8}); err != nil || have.Usage != want {
		t.Errorf("got %+v, %v", have.Usage, err)
	}
}
