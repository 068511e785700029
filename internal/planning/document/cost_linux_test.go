//go:build linux && !race

package document

import (
	"runtime"
	"syscall"
	"testing"
)

// rusageThread asks for the processor time of the calling thread (Linux).
const rusageThread = 1

// threadMillis is the processor time of this thread, which other load on the
// machine does not change.
func threadMillis(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		t.Fatal(err)
	}
	return u.Utime.Nano()/1e6 + u.Stime.Nano()/1e6
}

// Without the limits several of these take seconds, and one takes gigabytes.
func TestParse_HostileInputIsLinear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const size, allowed = 128 << 10, 1000
	for name, source := range hostile(size) {
		before := threadMillis(t)
		Parse(source)
		if used := threadMillis(t) - before; used > allowed {
			t.Errorf("%s: %d ms for %d KB, allowed are %d", name, used, size>>10, allowed)
		} else if testing.Verbose() {
			t.Logf("%s: %d ms", name, used)
		}
	}
}

// No two versions of 400 steps take a second, however alike their steps are.
func TestTrace_LongPlansAreQuick(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const allowed = 1000
	for name, p := range longPlans() {
		before := threadMillis(t)
		Trace(p[0], p[1])
		if used := threadMillis(t) - before; used > allowed {
			t.Errorf("%s: %d ms for %d steps and %d, allowed are %d", name, used, len(p[0]), len(p[1]), allowed)
		} else if testing.Verbose() {
			t.Logf("%s: %d ms", name, used)
		}
	}
}
