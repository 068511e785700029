// Package llm finds the model that a name stands for.
package llm

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/builtin"
	"countersign/internal/agent/llm/openai"
	"countersign/internal/fault"
)

// DefaultOpenAI is the model that "auto" takes when OPENAI_API_KEY is set and
// OPENAI_MODEL is not.
const DefaultOpenAI = "gpt-5-mini"

// Builtin is the name of the model that needs no key.
const Builtin = "builtin"

// possible ends every sentence about a name that can't be used.
const possible = `Possible are "builtin", "openai:NAME" (any server that speaks OpenAI's protocol, at OPENAI_BASE_URL) and "auto".`

// Resolve turns "auto" into the name of a model: that of the first provider
// whose key is in the environment, else the built-in one. Any other name stays
// as it is.
func Resolve(name string, getenv func(string) string) string {
	if strings.TrimSpace(name) != "auto" {
		return strings.TrimSpace(name)
	}
	if getenv("OPENAI_API_KEY") == "" {
		return Builtin
	}
	return "openai:" + cmp.Or(strings.TrimSpace(getenv("OPENAI_MODEL")), DefaultOpenAI)
}

// Open makes the model with this name: "builtin", "openai:NAME", or what
// Resolve makes of "auto". It asks no server. Its errors are faults with the
// code Invalid, at the field "model".
func Open(name string, getenv func(string) string) (agent.Model, error) {
	name = Resolve(name, getenv)
	provider, model, _ := strings.Cut(name, ":")
	model = strings.TrimSpace(model)
	switch strings.ToLower(provider) {
	case "":
		return nil, invalid("No model is named. " + possible)
	case Builtin:
		if model != "" {
			return nil, invalid(`The built-in planner is named "builtin", with nothing behind it.`)
		}
		return builtin.New(), nil
	case "openai":
		return openOpenAI(model, getenv)
	case "anthropic":
		return nil, invalid("The provider \"anthropic\" is not supported in this version. A Claude model can be used through a server that speaks OpenAI's protocol: set OPENAI_BASE_URL and OPENAI_API_KEY, and name the model \"openai:NAME\".")
	default:
		return nil, invalid("There is no model %q. "+possible, name)
	}
}

// OpenAI is how a model is reached by OpenAI's protocol, at the server and with
// the key that the environment names. It checks neither.
func OpenAI(model string, getenv func(string) string) openai.Config {
	return openai.Config{
		Model:   model,
		BaseURL: cmp.Or(strings.TrimSpace(getenv("OPENAI_BASE_URL")), openai.OfficialURL),
		APIKey:  strings.TrimSpace(getenv("OPENAI_API_KEY")),
	}
}

func openOpenAI(model string, getenv func(string) string) (agent.Model, error) {
	if model == "" {
		return nil, invalid(`Say which model: "openai:NAME", for example "openai:%s".`, DefaultOpenAI)
	}
	cfg := OpenAI(model, getenv)
	if err := openai.CheckURL(cfg.BaseURL); err != nil {
		var bad *agent.ModelError
		errors.As(err, &bad)
		return nil, invalid("%s", bad.Message)
	}
	if u, err := url.Parse(cfg.BaseURL); err == nil && u.Hostname() == "api.openai.com" && cfg.APIKey == "" {
		return nil, invalid("OpenAI's own service needs a key: set OPENAI_API_KEY. For a server of your own set OPENAI_BASE_URL instead.")
	}
	return openai.New(cfg), nil
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).At("model")
}
