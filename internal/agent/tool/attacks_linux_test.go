package tool

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"countersign/internal/agent"
	"countersign/internal/agent/sandbox"
	"countersign/internal/agent/sandbox/sandboxtest"
	"countersign/internal/planning"
)

// Everything that the sandbox is attacked with is tried once more through the
// tool, in execution: what it takes over out of a command's layer is what the
// plan lists, and nothing else changes.
func TestPlan_P24_TheShellTakesOverNothingBesides(t *testing.T) {
	needsLayer(t)
	var tally sandboxtest.Tally
	made, lacking := sandboxtest.Made(sandboxtest.Attacks())
	t.Cleanup(func() { t.Log("\n" + tally.Table(made, lacking)) })
	for some := range slices.Chunk(made, 24) {
		got := map[string]bool{}
		if harm := executeAttacks(t, some...); harm != "" {
			t.Errorf("something of %d attempts got through: %s", len(some), harm)
			for _, a := range some {
				if harm := executeAttacks(t, a); harm != "" {
					got[a.Name] = true
					t.Errorf("%s, %s: %q:\n%s", a.Kind, a.Name, a.Shell, harm)
				}
			}
		}
		tally.Count(got, some...)
	}
}

func executeAttacks(t *testing.T, some ...sandboxtest.Attack) string {
	t.Helper()
	w := sandboxtest.New(t)
	d := newDesk(t, nil)
	d.dir, d.env.Workspace = w.Workspace, w.Workspace
	d.executing(planning.Scope{Files: sandboxtest.Allowed()})
	d.env.Shell = agent.ShellAccess{Writable: sandboxtest.Allowed(), Hold: true}
	d.config.Held = filepath.Join(t.TempDir(), "held")
	d.config.Protected = []string{w.Data}
	var printed string
	d.config.Sandbox = readable(filepath.Dir(w.Prober), &printed)
	before := w.State(true)
	d.call("shell", args{"command": w.Script(some...)})
	return w.Harm(before, true, printed, some...)
}

// readable is the sandbox with one more folder to be read, which keeps all that
// a command prints.
func readable(folder string, printed *string) func(context.Context, sandbox.Command) (sandbox.Result, error) {
	return func(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
		c.ReadOnly, c.MaxOutput = append(c.ReadOnly, folder), 1<<20
		r, err := sandbox.Run(ctx, c)
		*printed = r.Output + r.Stopped
		return r, err
	}
}
