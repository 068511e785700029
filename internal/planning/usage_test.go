package planning

import "testing"

func TestUsage_ASumWithoutEveryPriceHasNone(t *testing.T) {
	priced := Usage{Input: 100, Output: 10, Cached: 50, Cost: 7, Priced: true}
	for name, test := range map[string]struct {
		sum, want Usage
	}{
		"of nothing":          {Usage{}.Add(Usage{}), Usage{}},
		"the first":           {Usage{}.Add(priced), priced},
		"one without tokens":  {priced.Add(Usage{}), priced},
		"two with a price":    {priced.Add(priced), Usage{Input: 200, Output: 20, Cached: 100, Cost: 14, Priced: true}},
		"one without a price": {priced.Add(Usage{Input: 1}), Usage{Input: 101, Output: 10, Cached: 50}},
		"and never again":     {priced.Add(Usage{Input: 1}).Add(priced), Usage{Input: 201, Output: 20, Cached: 100}},
		"a price of nothing":  {Usage{Input: 1, Priced: true}.Add(Usage{Input: 1, Priced: true}), Usage{Input: 2, Priced: true}},
	} {
		if test.sum != test.want {
			t.Errorf("%s: %+v, want %+v", name, test.sum, test.want)
		}
	}
	if priced.CachedShare() != 50 || (Usage{}).CachedShare() != 0 || (Usage{Input: 1, Cached: 5}).CachedShare() != 100 {
		t.Error("the cached share")
	}
	if usd, known := (Usage{Cost: 1_500_000_000, Priced: true}).USD(); usd != 1.5 || !known {
		t.Errorf("%v %v", usd, known)
	}
}
