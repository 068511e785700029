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
	os.Exit(m.Run())
}

// probeWord makes the test program try one thing that a shell can't.
const probeWord = "__probe"
