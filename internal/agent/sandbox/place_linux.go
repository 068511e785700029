package sandbox

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/fault"
)

// place is where one command runs: a supervisor, an order for it, and the folder
// for what the command writes.
type place struct {
	expected
	helper     *helper // nil if none has waited
	order      order
	isPrepared bool // the supervisor has the confinement in place
	scratch    scratch
	again      bool // the supervisor has served, and can serve another one
}

// findPlace takes what was made ready before if it is what this command needs.
// Otherwise it makes that now, with a supervisor that waits if there is one.
func findPlace(c Command, l layers) (p *place, err error) {
	p = &place{expected: expected{c, l}, helper: ready.take(expected{c, l})}
	defer func() {
		if err != nil {
			p.leave()
		}
	}()
	if p.helper != nil && p.takePrepared() {
		return p, nil
	}
	if p.scratch, err = makeScratch(c.Dir); err != nil {
		return p, fault.Wrap(err, fault.Unavailable, "There is no place for the temporary files of a command.")
	}
	if p.order, err = newOrder(c, l, p.scratch); err != nil {
		return p, fmt.Errorf("prepare a command: %w", err)
	}
	return p, nil
}

// takePrepared takes what the supervisor has prepared, and tells whether it fits.
func (p *place) takePrepared() (fits bool) {
	ahead := p.helper.ahead
	p.helper.ahead = prepared{}
	if ahead.as == nil {
		return false
	}
	o, err := newOrder(p.Command, p.layers, ahead.scratch)
	if err != nil || !ahead.fits(o) {
		ready.later(ahead.scratch.remove)
		return false
	}
	p.order, p.scratch, p.isPrepared = o, ahead.scratch, true
	return true
}

// leave gives back what is not needed any more. It comes last: the preparation for
// the next command would compete with the rest of this one.
func (p *place) leave() {
	switch {
	case p.again:
		ready.put(p.helper, p.expected)
	case p.helper != nil:
		ready.later(p.helper.retire)
	}
	if p.scratch.dir != "" {
		ready.later(p.scratch.remove)
	}
}

// errNotTaken says that a supervisor which had waited ended before it took the
// command, so nothing of it has run.
var errNotTaken = errors.New("sandbox: the command was not taken")

func (p *place) execute(ctx context.Context, c Command) (Result, error) {
	if p.helper != nil {
		r, err := p.serve(ctx, c)
		// A layer may have been mounted, which can't be done twice in one place.
		if !errors.Is(err, errNotTaken) || len(p.order.Overlays) > 0 {
			return r, err
		}
		ready.later(p.helper.retire)
	}
	var err error
	if p.helper, err = startHelper(kindOf(p.expected)); err != nil {
		return Result{}, err
	}
	p.isPrepared = false
	return p.serve(ctx, c)
}

// serve has the supervisor run the command. It can serve another one if this one
// came to an end by itself.
func (p *place) serve(ctx context.Context, c Command) (Result, error) {
	x, err := p.helper.give(p.order, c, p.isPrepared)
	if err != nil {
		return Result{}, err
	}
	r, err := x.wait(ctx, c)
	p.again = err == nil && !stoppedByUs(r) && !x.report.Last
	return r, err
}
