// Package llm finds the model that a name stands for.
package llm

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/anthropic"
	"countersign/internal/agent/llm/builtin"
	"countersign/internal/agent/llm/catalog"
	"countersign/internal/agent/llm/openai"
	"countersign/internal/fault"
	"countersign/internal/planning"
)

// Auto stands for the first model that there is a key for.
const Auto = "auto"

// Builtin is the name of the model that needs no key.
const Builtin = "builtin"

// possible ends every sentence about a name that can't be used.
const possible = `Possible are "builtin", "auto", and "PROVIDER:NAME" with one of the providers %s.`

func providerNames() string {
	var names []string
	for _, p := range catalog.Providers() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// Resolve turns "auto" into the name of a model: that of the first of Anthropic
// and OpenAI whose key is in the environment, else the built-in one. Any other
// name stays as it is.
func Resolve(name string, getenv func(string) string) string {
	name = strings.TrimSpace(name)
	if name != Auto {
		return name
	}
	for _, p := range catalog.Providers() {
		if p.Name != "anthropic" && p.Name != "openai" || strings.TrimSpace(getenv(p.KeyVar())) == "" {
			continue
		}
		if model := strings.TrimSpace(getenv(p.ModelVar())); model != "" {
			return p.Name + ":" + model
		}
		return p.Name + ":" + p.Models[0]
	}
	return Builtin
}

// Server is how a model is reached, as the environment has it.
type Server struct {
	catalog.Provider
	Model string   // without the provider
	URL   *url.URL // base URL, which may hold what is secret
	Own   bool     // it is the provider's own, not another address
	Key   string   // "" if there is none
}

// Reach finds the server of a provider, and checks that it can be asked. Its
// errors are faults with the code Invalid, at the field "model".
func Reach(p catalog.Provider, getenv func(string) string) (Server, error) {
	s := Server{Provider: p, Key: strings.TrimSpace(getenv(p.KeyVar()))}
	text := strings.TrimSpace(getenv(p.BaseVar()))
	if text == "" {
		text = p.BaseURL
	}
	read := openai.Base
	if p.Protocol == catalog.Anthropic {
		read = anthropic.Base
	}
	base, err := read(text, p.BaseVar())
	if err != nil {
		var bad *agent.ModelError
		errors.As(err, &bad)
		return s, invalid("%s", bad.Message)
	}
	own, err := url.Parse(p.BaseURL)
	s.URL, s.Own = base, err == nil && base.Host == own.Host
	if s.Own && !p.Local && s.Key == "" {
		return s, invalid("%s needs a key: set %s. For a server of your own set %s instead.", p.Title, p.KeyVar(), p.BaseVar())
	}
	return s, nil
}

// Find is the server that a name stands for, or a fault; see Reach. The name
// must not be "auto" or that of the built-in model.
func Find(name string, getenv func(string) string) (Server, error) {
	provider, model, _ := strings.Cut(strings.TrimSpace(name), ":")
	if provider == "" {
		return Server{}, invalid("No model is named. "+possible, providerNames())
	}
	p, ok := catalog.Find(provider)
	if !ok {
		return Server{}, invalid("There is no model %q. "+possible, name, providerNames())
	}
	if model = strings.TrimSpace(model); model == "" {
		return Server{}, invalid(`Say which model of %s: "%s:NAME".`, p.Title, p.Name)
	}
	s, err := Reach(p, getenv)
	s.Model = model
	return s, err
}

// Open makes the model with this name: "builtin", "PROVIDER:NAME", or what
// Resolve makes of "auto". It asks no server. Its errors are faults with the
// code Invalid, at the field "model".
func Open(name string, getenv func(string) string) (agent.Model, error) {
	name = Resolve(name, getenv)
	if provider, more, _ := strings.Cut(name, ":"); strings.EqualFold(provider, Builtin) {
		if strings.TrimSpace(more) != "" {
			return nil, invalid(`The built-in planner is named "builtin", with nothing behind it.`)
		}
		return builtin.New(), nil
	}
	s, err := Find(name, getenv)
	if err != nil {
		return nil, err
	}
	if s.Protocol == catalog.Anthropic {
		return anthropic.New(anthropic.Config{
			Model: s.Model, BaseURL: s.URL.String(), APIKey: s.Key, KeyVar: s.KeyVar(), BaseVar: s.BaseVar(),
		}), nil
	}
	return openai.New(openai.Config{
		Model: s.Model, BaseURL: s.URL.String(), APIKey: s.Key, KeyVar: s.KeyVar(), BaseVar: s.BaseVar(), Reasoning: s.Reasoning,
	}), nil
}

// Available are names of models that can be used as things stand, the built-in
// one last: of each provider whose key is there those that are known. There may
// be more; a server is not asked.
func Available(getenv func(string) string) []string {
	var names []string
	for _, p := range catalog.Providers() {
		if strings.TrimSpace(getenv(p.KeyVar())) == "" {
			continue
		}
		if _, err := Reach(p, getenv); err != nil {
			continue
		}
		models := p.Models
		if model := strings.TrimSpace(getenv(p.ModelVar())); model != "" && !slices.Contains(models, model) {
			models = append([]string{model}, models...)
		}
		for _, m := range models {
			names = append(names, p.Name+":"+m)
		}
	}
	return append(names, Builtin)
}

// Prices says what turns cost: at the prices that people set, or, where a model
// is asked at its provider's own server, at those that are known.
func Prices(own catalog.Prices, getenv func(string) string) agent.Price {
	known := catalog.Known()
	return func(model string, turn planning.Usage) (int64, bool) {
		model = Resolve(model, getenv)
		if price, ok := own.Of(model); ok {
			return price.Cost(turn), true
		}
		price, ok := known.Of(model)
		if !ok {
			return 0, false
		}
		if s, err := Find(model, getenv); err != nil || !s.Own {
			return 0, false
		}
		return price.Cost(turn), true
	}
}

// Windows says how many tokens a request to a model may have: what people set,
// or, where a model is asked at its provider's own server, what is known; 0 is
// said of the others.
func Windows(own catalog.Windows, getenv func(string) string) func(model string) int64 {
	return func(model string) int64 {
		model = Resolve(model, getenv)
		if n, ok := own.Of(model); ok {
			return n
		}
		n, _ := catalog.Window(model)
		if s, err := Find(model, getenv); err != nil || !s.Own {
			return 0
		}
		return n
	}
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).At("model")
}
