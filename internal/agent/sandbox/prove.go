package sandbox

import (
	"context"

	"countersign/internal/fault"
)

// Proof is one attempt to get out of the sandbox, made on this machine.
type Proof struct {
	What string // such as "change a file"
	Held bool   // it was made and came to nothing
	Why  string // why it could not be made; empty if it was
}

// Prove runs one planning command that tries ten things which it must not be
// able to do, and looks from outside whether it was. It changes nothing but a
// temporary folder of its own. An error means that nothing was tried.
func Prove(ctx context.Context) ([]Proof, error) {
	if s := Detect(); !s.OK {
		return nil, fault.New(fault.Unavailable, "Commands can't be run here. %s", s.Reason)
	}
	return prove(ctx, Run)
}
