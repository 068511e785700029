package catalog

import (
	"maps"
	"math"
	"regexp"

	"countersign/internal/planning"
)

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input   float64 // neither read from the cache nor written to it
	Output  float64
	Cached  float64 // read from the cache
	Written float64 // written to the cache; as Input if zero
	// Over is the length of a request, in tokens, from above which all of the
	// turn costs Above instead; 0 if there is no such length.
	Over  int64
	Above *Price
}

// Prices are what models cost, by their names with the provider before.
type Prices map[string]Price

// Known are the prices as the providers' pages gave them in November 2026:
// https://platform.claude.com/docs/en/about-claude/pricing,
// https://developers.openai.com/api/docs/pricing. Prices that change with the
// hour, as DeepSeek's do, are not among them.
func Known() Prices { return maps.Clone(known) }

var known = Prices{
	"anthropic:claude-fable-5-1":  {Input: 10, Output: 50, Cached: 0.25, Written: 12.5},
	"anthropic:claude-opus-5-5":   {Input: 4, Output: 20, Cached: 0.2, Written: 5},
	"anthropic:claude-opus-5":     {Input: 5, Output: 25, Cached: 0.5, Written: 6.25},
	"anthropic:claude-opus-4-8":   {Input: 5, Output: 25, Cached: 0.5, Written: 6.25},
	"anthropic:claude-opus-4-7":   {Input: 5, Output: 25, Cached: 0.5, Written: 6.25},
	"anthropic:claude-opus-4-6":   {Input: 5, Output: 25, Cached: 0.5, Written: 6.25},
	"anthropic:claude-opus-4-5":   {Input: 5, Output: 25, Cached: 0.5, Written: 6.25},
	"anthropic:claude-sonnet-5-5": {Input: 2, Output: 10, Cached: 0.1, Written: 2.5},
	"anthropic:claude-sonnet-5":   {Input: 2, Output: 10, Cached: 0.2, Written: 2.5},
	"anthropic:claude-sonnet-4-6": {Input: 3, Output: 15, Cached: 0.3, Written: 3.75},
	"anthropic:claude-sonnet-4-5": {Input: 3, Output: 15, Cached: 0.3, Written: 3.75},
	"anthropic:claude-haiku-5-5": {
		Input: 0.1, Output: 0.5, Cached: 0.01, Written: 0.125,
		Over: 100_000, Above: &Price{Input: 0.5, Output: 2.5, Cached: 0.05, Written: 0.625},
	},
	"anthropic:claude-haiku-4-5": {Input: 1, Output: 5, Cached: 0.1, Written: 1.25},

	"openai:gpt-5.4":      {Input: 2.5, Output: 15, Cached: 0.25},
	"openai:gpt-5.4-mini": {Input: 0.75, Output: 4.5, Cached: 0.075},
	"openai:gpt-5.2":      {Input: 1.75, Output: 14, Cached: 0.175},
	"openai:gpt-5.1":      {Input: 1.25, Output: 10, Cached: 0.125},
	"openai:gpt-5":        {Input: 1.25, Output: 10, Cached: 0.125},
	"openai:gpt-5-mini":   {Input: 0.25, Output: 2, Cached: 0.025},
	"openai:gpt-5-nano":   {Input: 0.05, Output: 0.4, Cached: 0.005},
	"openai:gpt-4.1":      {Input: 2, Output: 8, Cached: 0.5},
	"openai:gpt-4.1-mini": {Input: 0.4, Output: 1.6, Cached: 0.1},
}

// dated is the date that the name of a fixed version of a model ends in.
var dated = regexp.MustCompile(`-20\d\d-?\d\d-?\d\d$`)

// Of is the price of a model; one of a dated version is that of the model.
func (p Prices) Of(model string) (Price, bool) {
	if price, ok := p[model]; ok {
		return price, true
	}
	price, ok := p[dated.ReplaceAllString(model, "")]
	return price, ok
}

// Cost is what a turn costs, in billionths of a US dollar.
func (p Price) Cost(u planning.Usage) int64 {
	if p.Above != nil && u.Input > p.Over {
		return p.Above.Cost(u)
	}
	written := p.Written
	if written == 0 {
		written = p.Input
	}
	plain := max(u.Input-u.Cached-u.Written, 0)
	dollars := float64(plain)*p.Input + float64(u.Cached)*p.Cached + float64(u.Written)*written + float64(u.Output)*p.Output
	return int64(math.Round(dollars * 1000)) // a millionth part, in billionths
}
