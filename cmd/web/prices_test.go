package main

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm"
	"countersign/internal/planning"
)

func TestConfig_PricesOfModels(t *testing.T) {
	c, err := settings(t, "approvals = 2\n[price.\"openai:own\"]\ninput = 2\noutput = 4.5\n[price.\"ollama:free\"]\ninput = 0\noutput = 0\n", "", nil)
	if err != nil || c.approvals != 2 {
		t.Fatal(c.approvals, err)
	}
	price := llm.Prices(c.prices, func(string) string { return "" })
	turn := planning.Usage{Input: 10, Cached: 5, Output: 2}
	if cost, known := price("openai:own", turn); cost != 29_000 || !known {
		t.Errorf("%d, %v", cost, known)
	}
	if cost, known := price("ollama:free", turn); cost != 0 || !known {
		t.Errorf("a model for nothing: %d, %v", cost, known)
	}
	for text, want := range map[string]string{
		"price = 7":                              "can't be read",
		"[price.\"openai:x\"]\ninptu = 1":        `no setting "inptu"`,
		"[price.nonsense]\ninput = 1":            "belongs to no model",
		"[price.\"openai:x\"]\ninput = -1":       "below nothing",
		"[price.\"openai:x\"]\ninput = \"much\"": "can't be read",
	} {
		if _, err := settings(t, text, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := settings(t, "", "[price.\"openai:x\"]\ninput = 1", nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
		t.Errorf("in a workspace: %v", err)
	}
}
