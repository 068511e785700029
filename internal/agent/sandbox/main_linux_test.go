package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Init()
	if len(os.Args) > 2 && os.Args[1] == probeWord {
		probe(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(withTools(m.Run))
}

// withTools runs the tests with a folder for the programs that they need.
func withTools(run func() int) int {
	var err error
	if tools, err = os.MkdirTemp("", "t"); err == nil {
		defer os.RemoveAll(tools)
		err = os.Chmod(tools, 0o755)
	}
	if err != nil {
		panic(err)
	}
	return run()
}

// probeWord makes the test program try one thing that a shell can't.
const probeWord = "__probe"
