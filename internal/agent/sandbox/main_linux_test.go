package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"countersign/internal/agent/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	Init()
	inOwnMounts()
	os.Exit(sandboxtest.Main(func() int {
		defer KeepReady()()
		return m.Run()
	}))
}

// ownMounts says that the machine's mounts don't come here.
const ownMounts = "COUNTERSIGN_TEST_OWN_MOUNTS"

// inOwnMounts starts the tests again where nobody else mounts anything: no
// supervisor is used again after that, and other tests do it. Only root can.
func inOwnMounts() {
	if os.Geteuid() != 0 || os.Getenv(ownMounts) != "" {
		return
	}
	tests := exec.Command("/proc/self/exe", os.Args[1:]...)
	tests.Args[0] = os.Args[0]
	tests.Env = append(os.Environ(), ownMounts+"=1")
	tests.Stdin, tests.Stdout, tests.Stderr = os.Stdin, os.Stdout, os.Stderr
	tests.SysProcAttr = &unix.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Pdeathsig: unix.SIGKILL}
	runtime.LockOSThread() // whose end would be taken for that of the process
	err := tests.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return // root of a container that may not: others' mounts may disturb
	}
	os.Exit(tests.ProcessState.ExitCode())
}
