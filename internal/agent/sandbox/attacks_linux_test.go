package sandbox

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/agent/sandbox/sandboxtest"
	"countersign/internal/trial"
)

// enough is how many different attempts have to be made on each stack.
const enough = 120

// The attempts run many at a time, because starting a sandbox takes its time;
// when something gets through, they are run one by one to find out which.
func attackAll(t *testing.T, executing bool, stacks func(*testing.T, func(*testing.T, layers))) {
	var tally sandboxtest.Tally
	made, lacking := sandboxtest.Made(sandboxtest.Attacks())
	if len(made) < enough {
		t.Errorf("only %d different attempts can be made here, want %d", len(made), enough)
	}
	t.Cleanup(func() { t.Log("\n" + tally.Table(made, lacking)) })
	stacks(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		before := w.State(executing)
		for some := range slices.Chunk(made, 24) {
			got := map[string]bool{}
			if harm := w.attack(l, executing, before, some...); harm != "" {
				t.Errorf("something of %d attempts got through: %s", len(some), harm)
				for _, a := range some {
					w = newWorld(t)
					if harm := w.attack(l, executing, w.State(executing), a); harm != "" {
						got[a.Name] = true
						t.Errorf("%s, %s: %q:\n%s", a.Kind, a.Name, a.Shell, harm)
					}
				}
				w = newWorld(t)
				before = w.State(executing)
			}
			tally.Count(got, some...)
		}
		w.Knock()
	})
}

func TestPlan_P6_NothingReachesTheWorkspaceOrAnythingElse(t *testing.T) {
	attackAll(t, false, func(t *testing.T, test func(*testing.T, layers)) {
		// How older kernels are made do with is tried in the long form only.
		found := stacks(t, trial.Long())
		if _, layer := found["overlay"]; layer {
			delete(found, "namespaces") // the one with a layer has them too
		}
		parallel(t, found, test)
	})
}

// What a plan lists can be written, and is no way to anything else. This is
// where commands write in place; what is taken over out of a layer is the shell
// tool's to say, which is tried the same way.
func TestPlan_P24_NothingReachesWhatThePlanDoesNotList(t *testing.T) {
	attackAll(t, true, writingInPlace)
}

// attack makes attempts one after the other and says what came of them.
func (w *world) attack(l layers, executing bool, before string, some ...sandboxtest.Attack) string {
	w.t.Helper()
	c := w.command(w.Script(some...))
	if executing {
		c = w.approved(w.Script(some...))
	}
	c.MaxOutput = 1 << 20
	r := w.run(l, c)
	return w.Harm(before, executing, r.Output+r.Stopped, some...)
}

// The attempts work where nothing stops them: else the tests above show nothing.
func TestAttacks_HaveTeeth(t *testing.T) {
	made, _ := sandboxtest.Made(sandboxtest.Attacks())
	names := map[string]bool{}
	for _, a := range made {
		name := a.Kind + ": " + a.Name
		if names[name] {
			t.Errorf("%s is there twice", name)
		}
		names[name] = true
		if a.Tame {
			continue
		}
		t.Run(strings.ReplaceAll(name, "/", "|"), func(t *testing.T) {
			t.Parallel()
			w := sandboxtest.New(t)
			if bites, output := w.Bites(a, t.TempDir()); !bites {
				t.Errorf("%q has no effect: %s", a.Shell, output)
			}
		})
	}
}
