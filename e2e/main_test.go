// Package e2e tries the built binary from outside: over HTTP, as a script
// would, and in a real browser, as people do. The only fake is the model's
// server.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"countersign/e2e/rig"
)

// binary is the program under test, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "countersign-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary, err = rig.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared.profile = filepath.Join(dir, "profile")
	defer shared.end()
	return m.Run()
}
