package llm

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/anthropic"
	"countersign/internal/agent/llm/catalog"
	"countersign/internal/agent/llm/openai"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestResolve(t *testing.T) {
	for _, test := range []struct {
		name string
		env  []string
		want string
	}{
		{"auto", nil, "builtin"},
		{"auto", []string{"OPENAI_API_KEY", "k"}, "openai:gpt-5-mini"},
		{"auto", []string{"OPENAI_API_KEY", "k", "OPENAI_MODEL", "gpt-5"}, "openai:gpt-5"},
		{"auto", []string{"OPENAI_API_KEY", "k", "ANTHROPIC_API_KEY", "k"}, "anthropic:claude-sonnet-5-5"},
		{"auto", []string{"ANTHROPIC_MODEL", "claude-opus-5-5", "ANTHROPIC_API_KEY", "k"}, "anthropic:claude-opus-5-5"},
		{"auto", []string{"OPENAI_MODEL", "x", "DEEPSEEK_API_KEY", "k"}, "builtin"},
		{"builtin", []string{"OPENAI_API_KEY", "k"}, "builtin"},
		{" openai:llama3:8b ", nil, "openai:llama3:8b"},
		{"", nil, ""},
	} {
		if have := Resolve(test.name, environment(test.env...)); have != test.want {
			t.Errorf("%q with %q: %q, want %q", test.name, test.env, have, test.want)
		}
	}
}

func TestOpen(t *testing.T) {
	key := []string{"OPENAI_API_KEY", "secret-key"}
	tests := map[string]struct {
		name string
		env  []string
		says string // of the fault; "" if it opens
	}{
		"builtin":                 {"builtin", nil, ""},
		"auto without a key":      {"auto", nil, ""},
		"auto with a key":         {"auto", key, ""},
		"openai":                  {"openai:gpt-5", key, ""},
		"a colon in the name":     {"openai:llama3:8b", key, ""},
		"case of the provider":    {"OpenAI:x", key, ""},
		"a local server, no key":  {"openai:x", []string{"OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"}, ""},
		"anthropic":               {"anthropic:claude-opus-5-5", []string{"ANTHROPIC_API_KEY", "k"}, ""},
		"anthropic by a gateway":  {"anthropic:x", []string{"ANTHROPIC_BASE_URL", "http://gateway.example"}, ""},
		"a known server":          {"deepseek:deepseek-flash", []string{"DEEPSEEK_API_KEY", "k"}, ""},
		"a name with a slash":     {"openrouter:meta/llama-4:free", []string{"OPENROUTER_API_KEY", "k"}, ""},
		"one that needs no key":   {"ollama:llama3:8b", nil, ""},
		"another address for one": {"ollama:llama3", []string{"OLLAMA_BASE_URL", "http://10.0.0.1:11434"}, ""},

		"no name at all":       {"", nil, `No model is named. Possible are "builtin", "auto"`},
		"unknown":              {"gpt-5", key, `There is no model "gpt-5". Possible are`},
		"the list of names":    {"x:y", key, `one of the providers anthropic, openai, deepseek, openrouter`},
		"openai without name":  {"openai:", key, `Say which model of OpenAI: "openai:NAME"`},
		"openai alone":         {"openai", key, `Say which model`},
		"no key":               {"openai:x", nil, "OpenAI needs a key: set OPENAI_API_KEY"},
		"no key, official URL": {"openai:x", []string{"OPENAI_BASE_URL", "https://api.openai.com/v1/"}, "set OPENAI_API_KEY"},
		"no key for anthropic": {"anthropic:claude", key, "set ANTHROPIC_API_KEY. For a server of your own set ANTHROPIC_BASE_URL instead."},
		"no key, known server": {"groq:x", key, "Groq needs a key: set GROQ_API_KEY"},
		"a URL that is none":   {"openai:x", append(key, "OPENAI_BASE_URL", "localhost:11434"), "https://host/v1"},
		"a URL with a key":     {"anthropic:x", []string{"ANTHROPIC_BASE_URL", "secret-key"}, "Check ANTHROPIC_BASE_URL"},
		"builtin and more":     {"builtin:x", nil, "nothing behind it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			model, err := Open(test.name, environment(test.env...))
			if test.says == "" {
				if err != nil || model == nil {
					t.Fatalf("got %v, %v", model, err)
				}
				return
			}
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Invalid || f.Field != "model" || model != nil {
				t.Fatalf("got %v, %v", model, err)
			}
			if !strings.Contains(f.Message, test.says) || strings.Contains(f.Error(), "secret-key") {
				t.Errorf("says %q, want %q", f.Message, test.says)
			}
		})
	}
}

func TestAvailable(t *testing.T) {
	for _, test := range []struct {
		env  []string
		want string
	}{
		{nil, "builtin"},
		{[]string{"OPENAI_API_KEY", "k"}, "openai:gpt-5-mini openai:gpt-5 builtin"},
		{[]string{"DEEPSEEK_API_KEY", "k", "GROQ_API_KEY", "k", "GROQ_MODEL", "llama"}, "deepseek:deepseek-flash deepseek:deepseek-v4-pro groq:llama builtin"},
		{[]string{"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "nonsense"}, "builtin"},
	} {
		if have := strings.Join(Available(environment(test.env...)), " "); have != test.want {
			t.Errorf("%q: %s, want %s", test.env, have, test.want)
		}
	}
}

// A price is known only where it is known who asks for it.
func TestPrices(t *testing.T) {
	turn := planning.Usage{Input: 1000}
	own := catalog.Prices{"ollama:big": {Input: 1}, "openai:gpt-5": {Input: 2}}
	for _, test := range []struct {
		model string
		env   []string
		want  int64 // -1: not known
	}{
		{"anthropic:claude-opus-5-5", []string{"ANTHROPIC_API_KEY", "k"}, 4_000_000},
		{"anthropic:claude-opus-5-5", []string{"ANTHROPIC_API_KEY", "k", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"}, 4_000_000},
		{"anthropic:claude-opus-5-5", []string{"ANTHROPIC_BASE_URL", "http://gateway.example"}, -1},
		{"openai:gpt-5", nil, 2_000_000},
		{"ollama:big", nil, 1_000_000},
		{"ollama:small", nil, -1},
		{"builtin", nil, -1},
		{"openai:unheard-of", []string{"OPENAI_API_KEY", "k"}, -1},
	} {
		have, known := Prices(own, environment(test.env...))(test.model, turn)
		if known != (test.want >= 0) || known && have != test.want {
			t.Errorf("%s with %q: %d, %v; want %d", test.model, test.env, have, known, test.want)
		}
	}
}

func TestOpen_KindOfModel(t *testing.T) {
	m, err := Open("openai:x", environment("OPENAI_API_KEY", "k"))
	if _, ok := m.(*openai.Client); !ok || err != nil {
		t.Errorf("got %T, %v", m, err)
	}
	m, err = Open("anthropic:x", environment("ANTHROPIC_API_KEY", "k"))
	if _, ok := m.(*anthropic.Client); !ok || err != nil {
		t.Errorf("got %T, %v", m, err)
	}
}
