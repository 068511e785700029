package sandbox

import (
	"os"
	"testing"

	"countersign/internal/agent/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(sandboxtest.Main(func() int {
		defer KeepReady()()
		return m.Run()
	}))
}
