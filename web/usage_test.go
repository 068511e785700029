package web

import (
	"strings"
	"testing"

	"countersign/internal/planning"
)

func TestUsage_TokensAndCostOnPagesAndInTheAPI(t *testing.T) {
	r := newRig(t)
	for name, test := range map[string]struct {
		turns            []planning.Usage
		page, board, api string
	}{
		"priced":   {[]planning.Usage{{Input: 12_000, Output: 300, Cached: 9_000, Cost: 12_300_000, Priced: true}, {Input: 8_000, Output: 700, Cached: 8_000, Cost: 1_200_000_000, Priced: true}}, "20.0k in (85% cached), 1.0k out · $1.21", "21.0k tokens · $1.21", `"cost_usd":1.2123`},
		"unpriced": {[]planning.Usage{{Input: 100, Output: 10, Cost: 500_000, Priced: true}, {Input: 100, Output: 10}}, "200 in, 20 out", "220 tokens", `"cost_usd":null`},
		"little":   {[]planning.Usage{{Input: 1, Priced: true, Cost: 2}}, "1 in, 0 out · < $0.0001", "1 tokens · < $0.0001", `"cost_usd":2e-9`},
		"cents":    {[]planning.Usage{{Input: 1, Priced: true, Cost: 4_200_000}}, "1 in, 0 out · $0.0042", "1 tokens · $0.0042", `"cost_usd":0.0042`},
		"none":     {[]planning.Usage{{}}, "0", "0 tokens", `"cost_usd":null`},
	} {
		t.Run(name, func(t *testing.T) {
			id := r.begin()
			var said []planning.Payload
			for _, u := range test.turns {
				said = append(said, planning.ModelMessage{Text: "x", Usage: u})
			}
			r.agent(id, append(said, planning.RunFinished{})...)
			b := r.browse(r.owner).open("/sessions/" + id + "/activity")
			b.sees("#usage", test.page)
			b.open("/").sees("#s-"+id+" .tokens", test.board)
			if strings.Contains(test.api, "null") && strings.Contains(b.doc.Find("#s-"+id).Text(), "$") {
				t.Error("a cost that nobody knows")
			}
			r.api("GET", "/sessions/"+id, nil).is(200).says(test.api)
		})
	}
}

func TestNewSession_OffersTheModelsThatAreThere(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Model = "openai:own"
		c.Models = func() []string { return []string{"anthropic:claude-x", "builtin"} }
	})
	b := r.browse(r.owner).open("/new")
	var offered []string
	for _, o := range b.doc.Find("#models option").EachIter() {
		offered = append(offered, o.AttrOr("value", ""))
	}
	if got := strings.Join(offered, " "); got != "openai:own anthropic:claude-x builtin" {
		t.Errorf("offered: %s", got)
	}
	b.open("/models").sees("main", "anthropic:NAME", "ollama:NAME")
}

// A turn of the model says what it used up, where anything is known of it.
func TestUsage_ByTurn(t *testing.T) {
	r := newRig(t)
	id := r.begin()
	r.agent(id, planning.ModelMessage{Text: "Looking.", Usage: planning.Usage{Input: 1200, Cached: 900, Output: 80, Cost: 2_000_000, Priced: true}},
		planning.ModelMessage{Text: "Nothing is known of this one."})
	b := r.browse(r.owner).open("/sessions/"+id+"/activity").sees("#feed .turn-usage", "75% cached", "$0.0020")
	if n := b.doc.Find("#feed .turn-usage").Length(); n != 1 {
		t.Errorf("%d turns say it, want 1", n)
	}
}
