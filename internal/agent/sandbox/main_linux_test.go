package sandbox

import (
	"os"
	"testing"

	"countersign/internal/agent/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(sandboxtest.Main(m.Run))
}
