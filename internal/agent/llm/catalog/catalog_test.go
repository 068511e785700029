package catalog

import (
	"net/url"
	"strings"
	"testing"

	"countersign/internal/planning"
)

func TestPrices_Cost(t *testing.T) {
	prices := Known()
	for name, test := range map[string]struct {
		model string
		usage planning.Usage
		want  int64 // nano-dollars
	}{
		"plain":              {"anthropic:claude-opus-5-5", planning.Usage{Input: 1_000_000, Output: 1_000_000}, 24_000_000_000},
		"cached and written": {"anthropic:claude-opus-5-5", planning.Usage{Input: 1000, Cached: 600, Written: 300, Output: 10}, 100*4000 + 600*200 + 300*5000 + 10*20000},
		"a dated version":    {"anthropic:claude-haiku-4-5-20251001", planning.Usage{Input: 1}, 1000},
		"dated otherwise":    {"openai:gpt-5-mini-2025-08-07", planning.Usage{Output: 1}, 2000},
		"a short request":    {"anthropic:claude-haiku-5-5", planning.Usage{Input: 100_000}, 10_000_000},
		"a long one":         {"anthropic:claude-haiku-5-5", planning.Usage{Input: 100_001, Cached: 1, Output: 1}, 100_000*500 + 50 + 2500},
		"no price to write":  {"openai:gpt-5", planning.Usage{Input: 10, Written: 10}, 12_500},
		"cached over input":  {"openai:gpt-5", planning.Usage{Input: 1, Cached: 2}, 250},
	} {
		price, ok := prices.Of(test.model)
		if have := price.Cost(test.usage); !ok || have != test.want {
			t.Errorf("%s: %d, %v; want %d", name, have, ok, test.want)
		}
	}
	for _, model := range []string{"openai:gpt-unheard-of", "ollama:gpt-5", "builtin", ""} {
		if _, ok := prices.Of(model); ok {
			t.Errorf("%q has a price", model)
		}
	}
}

func TestProviders(t *testing.T) {
	for _, p := range Providers() {
		u, err := url.Parse(p.BaseURL)
		if err != nil || u.Host == "" || p.Local != strings.HasPrefix(p.BaseURL, "http://localhost:") || !p.Local && u.Scheme != "https" {
			t.Errorf("%s: %q, local %v", p.Name, p.BaseURL, p.Local)
		}
		if found, ok := Find(" " + strings.ToUpper(p.Name)); !ok || found.Name != p.Name {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if p, _ := Find("deepseek"); p.KeyVar() != "DEEPSEEK_API_KEY" || p.BaseVar() != "DEEPSEEK_BASE_URL" {
		t.Errorf("%s %s", p.KeyVar(), p.BaseVar())
	}
	if _, ok := Find("nobody"); ok {
		t.Error("nobody is known")
	}
}
