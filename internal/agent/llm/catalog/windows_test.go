package catalog

import "testing"

func TestWindows(t *testing.T) {
	for model, want := range map[string]int64{
		"anthropic:claude-sonnet-5-5":          200_000,
		"anthropic:claude-haiku-4-5-20251001":  200_000,
		"openai:gpt-5-mini-2025-08-07":         272_000,
		"openai:gpt-4.1":                       1_047_576,
		"openai:gpt-5-chat-latest":             0,
		"openrouter:anthropic/claude-opus-5-5": 0,
		"ollama:gpt-5":                         0,
		"builtin":                              0,
	} {
		if n, ok := Window(model); n != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v; want %d", model, n, ok, want)
		}
	}
	own := Windows{"ollama:x": 9_000}
	if n, ok := own.Of("ollama:x-2026-01-01"); n != 9_000 || !ok {
		t.Errorf("a dated version: %d, %v", n, ok)
	}
}
