package planning

// Usage counts tokens, as the provider reports them, and what they cost.
type Usage struct {
	Input   int64 `json:"input,omitempty"` // all of it, what came from the cache or went into it included
	Output  int64 `json:"output,omitempty"`
	Cached  int64 `json:"cached,omitempty"`  // part of Input that was read from the provider's cache
	Written int64 `json:"written,omitempty"` // part of Input that was written to the provider's cache
	// Cost is in billionths of a US dollar, at the price of the day, and says
	// something only if Priced: the price of every token was known.
	Cost   int64 `json:"cost_nano_usd,omitempty"`
	Priced bool  `json:"priced,omitempty"`
}

// Tokens is how many there were in all.
func (u Usage) Tokens() int64 { return u.Input + u.Output }

// Add is both together. Where the price of one is not known, that of both is
// not.
func (u Usage) Add(v Usage) Usage {
	switch {
	case v.Tokens() == 0:
		return u
	case u.Tokens() == 0:
		return v
	}
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		Cached: u.Cached + v.Cached, Written: u.Written + v.Written,
		Cost: u.Cost + v.Cost, Priced: u.Priced && v.Priced,
	}.honest()
}

// honest leaves out a sum that lacks a part.
func (u Usage) honest() Usage {
	if !u.Priced {
		u.Cost = 0
	}
	return u
}

// CachedShare is how many of a hundred input tokens came from the provider's
// cache, rounded down; 0 if there were none.
func (u Usage) CachedShare() int {
	if u.Input <= 0 {
		return 0
	}
	return int(min(u.Cached, u.Input) * 100 / u.Input)
}

// USD is the cost in dollars; known is false where a price was not.
func (u Usage) USD() (dollars float64, known bool) {
	return float64(u.Cost) / 1e9, u.Priced
}
