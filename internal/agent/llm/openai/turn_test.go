package openai

import (
	"bytes"
	"testing"

	"countersign/internal/agent"
)

// No stream of bytes may make the reader of turns panic or hang.
func FuzzTurn(f *testing.F) {
	f.Add([]byte(sse(choice(`{"content":"x","tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"{}"}}]}`), finish("stop"), "[DONE]")))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"x"}]}}]}`))
	f.Add([]byte(sse(`{"error":{"code":[1]}}`)))
	f.Add([]byte(sse(`{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"arguments":[1]}}]}}]}`)))
	c := New(Config{Model: "m"})
	f.Fuzz(func(t *testing.T, body []byte) {
		stops := 0
		turn := newTurn(map[string]bool{}, func(d agent.Delta) bool {
			if d.Stop != "" {
				stops++
			}
			return true
		})
		if err := c.read(turn, bytes.NewReader(body)); (err == nil) != (stops == 1) {
			t.Errorf("%d ends with error %v", stops, err)
		}
	})
}
