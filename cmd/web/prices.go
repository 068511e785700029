package main

import (
	"strings"

	"countersign/internal/agent/llm/catalog"
	"countersign/internal/fault"
)

// priceKey is the key of the prices in a settings file. They have no flag.
const priceKey = "price"

// priceSetting is one [price."PROVIDER:NAME"] in a settings file, in US dollars
// for a million tokens. What came from the provider's cache costs as much as
// other input unless it has a price of its own.
type priceSetting struct {
	Input   float64  `toml:"input"`
	Output  float64  `toml:"output"`
	Cached  *float64 `toml:"cached"`
	Written *float64 `toml:"written"`
}

// readPrices reads the prices that a settings file sets for models.
func readPrices(path string) (catalog.Prices, error) {
	var file struct {
		Price map[string]priceSetting `toml:"price"`
	}
	unknown, err := decodeTable(path, priceKey, &file)
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s: the prices can't be read, each is to be a [price.\"PROVIDER:NAME\"] with input and output below it (%v)", path, err)
	case unknown != nil:
		return nil, fault.New(fault.Invalid, "%s: a price has no setting %q", path, unknown[len(unknown)-1])
	}
	prices := catalog.Prices{}
	for model, p := range file.Price {
		price := catalog.Price{Input: p.Input, Output: p.Output, Cached: p.Input, Written: p.Input}
		if p.Cached != nil {
			price.Cached = *p.Cached
		}
		if p.Written != nil {
			price.Written = *p.Written
		}
		provider, _, named := strings.Cut(model, ":")
		if _, known := catalog.Find(provider); !known || !named {
			return nil, fault.New(fault.Invalid, "%s: the price of %q belongs to no model; write PROVIDER:NAME", path, model)
		}
		if min(price.Input, price.Output, price.Cached, price.Written) < 0 {
			return nil, fault.New(fault.Invalid, "%s: the price of %q is below nothing", path, model)
		}
		prices[model] = price
	}
	return prices, nil
}
