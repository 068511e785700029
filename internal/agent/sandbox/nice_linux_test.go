package sandbox

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A server that was started with nice can run commands, which give way to it.
func TestPlan_P6_CommandsGiveWayToANiceServer(t *testing.T) {
	for from, want := range map[int]int{0: 5, 10: 15, 17: 19, 19: 19} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // never unlocked: the thread ends with its niceness
			if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), from); err != nil {
				return // the tests themselves run nicer than that
			}
			if err := dropCapabilities(); err != nil { // as the supervisor does before
				t.Error(err)
			}
			if err := giveWay(); err != nil {
				t.Errorf("from %d: %v", from, err)
			}
			now, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
			if err != nil || 20-now != want {
				t.Errorf("from %d it is %d, %v; want %d", from, 20-now, err, want)
			}
		}()
		<-done
	}
}
