// Package catalog knows the servers that models are reached at by name, and
// what the tokens of known models cost.
package catalog

import (
	"slices"
	"strings"
)

// Protocol is what a server speaks.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"    // Chat Completions
	Anthropic Protocol = "anthropic" // Messages
)

// Provider is a server that is known by name: what stands before the colon in
// the name of a model.
type Provider struct {
	Name     string
	Title    string // as people write it
	Protocol Protocol
	BaseURL  string
	Local    bool // it runs on one's own machine and needs no key
	// Reasoning: the model's reasoning has to go back with its calls.
	Reasoning bool
	// Models are some that can be had there, the first for whoever doesn't say
	// which. It is empty where that depends on the server.
	Models []string
}

// KeyVar is the variable that its key is in.
func (p Provider) KeyVar() string { return strings.ToUpper(p.Name) + "_API_KEY" }

// BaseVar is the variable that another address for it is in.
func (p Provider) BaseVar() string { return strings.ToUpper(p.Name) + "_BASE_URL" }

// ModelVar is the variable that the model for "auto" is in.
func (p Provider) ModelVar() string { return strings.ToUpper(p.Name) + "_MODEL" }

var providers = []Provider{
	{Name: "anthropic", Title: "Anthropic", Protocol: Anthropic, BaseURL: "https://api.anthropic.com/v1", Models: []string{"claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"}},
	{Name: "openai", Title: "OpenAI", Protocol: OpenAI, BaseURL: "https://api.openai.com/v1", Models: []string{"gpt-5-mini", "gpt-5"}},
	// https://api-docs.deepseek.com/guides/thinking_mode: "reasoning_content must be passed back".
	{Name: "deepseek", Title: "DeepSeek", Protocol: OpenAI, BaseURL: "https://api.deepseek.com/v1", Reasoning: true, Models: []string{"deepseek-flash", "deepseek-v4-pro"}},
	{Name: "openrouter", Title: "OpenRouter", Protocol: OpenAI, BaseURL: "https://openrouter.ai/api/v1"},
	{Name: "gemini", Title: "Gemini", Protocol: OpenAI, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"},
	{Name: "groq", Title: "Groq", Protocol: OpenAI, BaseURL: "https://api.groq.com/openai/v1"},
	{Name: "mistral", Title: "Mistral", Protocol: OpenAI, BaseURL: "https://api.mistral.ai/v1"},
	{Name: "ollama", Title: "Ollama", Protocol: OpenAI, BaseURL: "http://localhost:11434/v1", Local: true},
	{Name: "lmstudio", Title: "LM Studio", Protocol: OpenAI, BaseURL: "http://localhost:1234/v1", Local: true},
	{Name: "vllm", Title: "vLLM", Protocol: OpenAI, BaseURL: "http://localhost:8000/v1", Local: true},
}

// Providers are all that are known, those that "auto" tries first.
func Providers() []Provider { return slices.Clone(providers) }

// Find is the provider of this name, whatever its case.
func Find(name string) (Provider, bool) {
	i := slices.IndexFunc(providers, func(p Provider) bool { return strings.EqualFold(p.Name, strings.TrimSpace(name)) })
	if i < 0 {
		return Provider{}, false
	}
	return providers[i], true
}
