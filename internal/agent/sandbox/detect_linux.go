package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// Detect says what this machine can do. It finds out once, by running a
// command that does nothing.
func Detect() Support { return detected() }

var detected = sync.OnceValue(detect)

func detect() Support {
	s := Support{Stack: StackNone, Landlock: landlockVersion()}
	switch {
	case !initialised:
		s.Reason = "This program was not made to run commands."
		return s
	case auditArch == 0:
		s.Reason = fmt.Sprintf("There is no sandbox for this kind of processor (%s).", runtime.GOARCH)
		return s
	case s.Landlock == 0:
		s.Reason = "The kernel has no Landlock (Linux 5.13 or later, switched on at boot with lsm=landlock), which keeps commands from writing where they must not."
		return s
	}
	var why error
	for _, overlay := range []bool{true, false} {
		if why = try(layers{namespaces: true, overlay: overlay, landlock: s.Landlock}); why == nil {
			s.OK, s.Stack, s.Namespaces, s.Overlay = true, StackFull, true, overlay
			if !overlay {
				s.Reason = "This machine can't put a throw-away layer over a folder, so commands that write in the workspace fail while planning."
			}
			return s
		}
	}
	if s.Landlock < landlockNetwork {
		s.Reason = fmt.Sprintf("The kernel's Landlock is version %d and there are no user namespaces (%v). One of the two must be better: version %d (Linux 6.7), or namespaces.", s.Landlock, why, landlockNetwork)
		return s
	}
	if err := try(layers{landlock: s.Landlock}); err != nil {
		s.Reason = fmt.Sprintf("Trying it failed: %v.", err)
		return s
	}
	s.OK, s.Stack = true, StackLandlock
	s.Reason = fmt.Sprintf("User namespaces are refused on this machine (%v), so commands see the workspace itself, read-only while planning.", why)
	return s
}

// try runs a command that does nothing.
func try(l layers) error {
	dir, err := os.MkdirTemp("", "countersign-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c := Command{Dir: dir, Shell: ":"}
	if err := c.check(); err != nil {
		return err
	}
	r, err := attempt(ctx, c, l)
	if err == nil && r.ExitCode != 0 {
		err = fmt.Errorf("exit code %d: %s", r.ExitCode, r.Output)
	}
	return err
}
