package sandboxtest

import (
	"fmt"
	"strings"
	"sync"
)

// Tally counts attempts by kind. Its zero value is ready; any number of tests
// may count at the same time.
type Tally struct {
	mu    sync.Mutex
	order []string
	kinds map[string]*count
}

type count struct{ attacks, made, effects int }

// Count records that attempts were made once, and how many had an effect.
func (t *Tally) Count(effects map[string]bool, some ...Attack) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range some {
		c := t.kind(a.Kind)
		c.made++
		if effects[a.Name] {
			c.effects++
		}
	}
}

func (t *Tally) kind(name string) *count {
	if t.kinds == nil {
		t.kinds = map[string]*count{}
	}
	if t.kinds[name] == nil {
		t.kinds[name] = &count{}
		t.order = append(t.order, name)
	}
	return t.kinds[name]
}

// Table has a line for each kind: how many different attempts there are, how
// often one was made over all stacks, and how many had an effect.
func (t *Tally) Table(made, lacking []Attack) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range made {
		t.kind(a.Kind).attacks++
	}
	var b strings.Builder
	var all count
	line := func(name string, c count) {
		fmt.Fprintf(&b, "probes: %-28s %4d different, %5d made, %d effects\n", name, c.attacks, c.made, c.effects)
	}
	for _, name := range t.order {
		c := *t.kinds[name]
		line(name, c)
		all.attacks, all.made, all.effects = all.attacks+c.attacks, all.made+c.made, all.effects+c.effects
	}
	line("all", all)
	for _, a := range lacking {
		fmt.Fprintf(&b, "probes: not made, %s is not installed: %s, %s\n", a.Needs, a.Kind, a.Name)
	}
	return b.String()
}
