//go:build !linux && !darwin

package sandbox

import (
	"context"
	"fmt"
	"runtime"

	"countersign/internal/fault"
)

// Init does nothing here: no command is ever run.
func Init() {}

// KeepReady does nothing here.
func KeepReady() (end func()) { return func() {} }

// Detect says that there is no sandbox on this system.
func Detect() Support {
	return Support{Stack: StackNone, Reason: fmt.Sprintf("Commands run only inside a sandbox of the Linux kernel, and this system is %s. Run Countersign on Linux, or in a Linux container or virtual machine.", runtime.GOOS)}
}

func run(context.Context, Command, layers) (Result, error) {
	return Result{}, fault.New(fault.Unavailable, "Commands can't be run here. %s", Detect().Reason)
}

func prove(context.Context, func(context.Context, Command) (Result, error)) ([]Proof, error) {
	return nil, nil // Prove asks Detect before
}
