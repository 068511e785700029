package main

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm"
)

func TestConfig_WindowsOfModels(t *testing.T) {
	c, err := settings(t, "compact_at = 0.5\n[models.\"ollama:own\"]\nwindow = 32000\n[models.\"openai:gpt-5\"]\nwindow = 100000\n", "", nil)
	if err != nil || c.compactAt != 0.5 {
		t.Fatal(c.compactAt, err)
	}
	env := map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
	window := llm.Windows(c.windows, func(key string) string { return env[key] })
	for model, want := range map[string]int64{
		"ollama:own": 32_000, "ollama:other": 0, "openai:gpt-5": 100_000, "openai:gpt-5-mini": 272_000,
		"anthropic:claude-opus-5-5": 200_000, "auto": 200_000, "builtin": 0, "nobody:x": 0,
	} {
		if have := window(model); have != want {
			t.Errorf("%s: %d, want %d", model, have, want)
		}
	}
	env["OPENAI_BASE_URL"] = "http://localhost:1/v1"
	if have := window("openai:gpt-5-mini"); have != 0 {
		t.Errorf("another server under a name that is known: %d", have)
	}
	for text, want := range map[string]string{
		"models = 7":                               "can't be read",
		"[models.\"openai:x\"]\nwindows = 9000":    `no setting "windows"`,
		"[models.x]\nwindow = 9000":                "is no model",
		"[models.\"openai:x\"]\nwindow = 100":      "it can be 8000 tokens or more",
		"[models.\"openai:x\"]\nwindow = \"much\"": "can't be read",
		"compact_at = 1.2":                         "--compact-at is 1.2; it can be 0.3 to 0.95",
		"compact_at = 0.1":                         "or 0 for never",
		"compact_at = -1":                          "--compact-at is -1",
		"compact_at = nan":                         "--compact-at is NaN",
		"compact_at = \"soon\"":                    "is not a value for compact-at",
	} {
		if _, err := settings(t, text, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := settings(t, "", "[models.\"openai:x\"]\nwindow = 9000", nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
		t.Errorf("in a workspace: %v", err)
	}
	if c, err := settings(t, "compact_at = 0", "", nil); err != nil || c.compactAt != 0 {
		t.Errorf("never: %v, %v", c.compactAt, err)
	}
}
