package agent

import "countersign/internal/planning"

// Price is what one turn of a model costs, in billionths of a US dollar. It
// answers false where it can't say.
type Price func(model string, turn planning.Usage) (nanoUSD int64, known bool)

// priced is the usage of a turn of this session with what it costs today.
func (r *run) priced(u planning.Usage) planning.Usage {
	if r.Price != nil && u.Tokens() > 0 {
		u.Cost, u.Priced = r.Price(r.state.Model, u)
	}
	return u
}
