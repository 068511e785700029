package main

import (
	"strings"

	"countersign/internal/agent/llm/catalog"
	"countersign/internal/fault"
)

// modelsKey is the key of what a settings file says of models. It has no flag.
const modelsKey = "models"

// minWindow is the least window that the agent can work in: its own tools and
// prompt take up to half of it.
const minWindow = 8_000

// modelSetting is one [models."PROVIDER:NAME"] in a settings file.
type modelSetting struct {
	Window int64 `toml:"window"` // tokens
}

// readWindows reads the windows that a settings file sets for models.
func readWindows(path string) (catalog.Windows, error) {
	var file struct {
		Models map[string]modelSetting `toml:"models"`
	}
	unknown, err := decodeTable(path, modelsKey, &file)
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s: the models can't be read, each is to be a [models.\"PROVIDER:NAME\"] with its window below it (%v)", path, err)
	case unknown != nil:
		return nil, fault.New(fault.Invalid, "%s: a model has no setting %q", path, unknown[len(unknown)-1])
	}
	windows := catalog.Windows{}
	for model, m := range file.Models {
		provider, _, named := strings.Cut(model, ":")
		if _, known := catalog.Find(provider); !known || !named {
			return nil, fault.New(fault.Invalid, "%s: %q under models is no model; write PROVIDER:NAME", path, model)
		}
		if m.Window < minWindow {
			return nil, fault.New(fault.Invalid, "%s: the window of %q is %d; it can be %d tokens or more", path, model, m.Window, minWindow)
		}
		windows[model] = m.Window
	}
	return windows, nil
}

// The shares of a window at which a conversation can be made shorter. A fifth
// of it is kept as it is, so at much less it would be shortened all the time;
// at more than the upper one the next answer may not fit.
const (
	leastCompactAt = 0.3
	mostCompactAt  = 0.95
)

func (c *config) checkCompactAt() error {
	if c.compactAt == 0 || c.compactAt >= leastCompactAt && c.compactAt <= mostCompactAt {
		return nil
	}
	return fault.New(fault.Invalid, "--compact-at is %v; it can be %v to %v, a share of the model's window, or 0 for never", c.compactAt, leastCompactAt, mostCompactAt)
}
