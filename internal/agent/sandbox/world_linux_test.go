package sandbox

import (
	"context"
	"path/filepath"
	"testing"

	"countersign/internal/agent/sandbox/sandboxtest"
)

// secret must never come out of a command, effect must not be printed.
const (
	secret = sandboxtest.Secret
	effect = sandboxtest.Effect
)

// world is what a command could do damage to.
type world struct {
	*sandboxtest.World
	t *testing.T
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{sandboxtest.New(t), t}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) command(shell string) Command {
	return Command{Dir: w.Workspace, Shell: w.Fill(shell), ReadOnly: []string{filepath.Dir(w.Prober)}, Protected: []string{w.Data}}
}

// run runs a command under the given layers; that it can't be run is fatal.
func (w *world) run(l layers, c Command) Result {
	w.t.Helper()
	r, err := run(context.Background(), c, l)
	if err != nil {
		w.t.Fatalf("run %q: %v (%#v)", c.Shell, err, err)
	}
	return r
}
