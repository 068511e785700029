package sandbox

import "testing"

// A command is not ended for what others on the machine have started.
func TestPlan_P6_OthersTasksDoNotCount(t *testing.T) {
	for what, c := range map[string]struct {
		now  machine
		want bool
	}{
		"nothing has changed":                      {machine{2, 1000}, false},
		"others have started much that sleeps":     {machine{3, 9000}, false},
		"very many have come that all want to run": {machine{4000, 9000}, true},
		"the machine doesn't tell":                 {machine{}, false},
	} {
		count := taskCount{most: 500, before: 1000}
		if got := count.tooMany(c.now); got != c.want {
			t.Errorf("%s: too many is %v, want %v", what, got, c.want)
		}
	}
}
