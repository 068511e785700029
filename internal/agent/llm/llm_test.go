package llm

import (
	"strings"
	"testing"

	"countersign/internal/agent/llm/openai"
	"countersign/internal/fault"
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
		{"auto", []string{"OPENAI_API_KEY", "k"}, "openai:" + DefaultOpenAI},
		{"auto", []string{"OPENAI_API_KEY", "k", "OPENAI_MODEL", "deepseek-chat"}, "openai:deepseek-chat"},
		{"auto", []string{"OPENAI_MODEL", "x", "ANTHROPIC_API_KEY", "k"}, "builtin"},
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
		"builtin":                {"builtin", nil, ""},
		"auto without a key":     {"auto", nil, ""},
		"auto with a key":        {"auto", key, ""},
		"openai":                 {"openai:gpt-5", key, ""},
		"a colon in the name":    {"openai:llama3:8b", key, ""},
		"case of the provider":   {"OpenAI:x", key, ""},
		"a local server, no key": {"openai:x", []string{"OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"}, ""},

		"no name at all":       {"", nil, `No model is named. Possible are "builtin", "openai:NAME"`},
		"unknown":              {"gpt-5", key, `There is no model "gpt-5". Possible are`},
		"openai without name":  {"openai:", key, `Say which model: "openai:NAME"`},
		"openai alone":         {"openai", key, `Say which model`},
		"no key":               {"openai:x", nil, "set OPENAI_API_KEY"},
		"no key, official URL": {"openai:x", []string{"OPENAI_BASE_URL", "https://api.openai.com/v1/"}, "set OPENAI_API_KEY"},
		"anthropic":            {"anthropic:claude", nil, `"anthropic" is not supported in this version`},
		"anthropic, the way":   {"anthropic:claude", nil, "OPENAI_BASE_URL"},
		"a URL that is none":   {"openai:x", append(key, "OPENAI_BASE_URL", "localhost:11434"), "https://host/v1"},
		"a URL with a key":     {"openai:x", append(key, "OPENAI_BASE_URL", "secret-key"), "https://host/v1"},
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

func TestOpen_KindOfModel(t *testing.T) {
	m, err := Open("openai:x", environment("OPENAI_API_KEY", "k"))
	if _, ok := m.(*openai.Client); !ok || err != nil {
		t.Errorf("got %T, %v", m, err)
	}
}
