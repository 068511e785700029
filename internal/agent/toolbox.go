package agent

import (
	"context"
	"reflect"

	"countersign/internal/agent/permission"
	"countersign/internal/planning"
)

// The sorts of access of tools that other programs offer.
const (
	AccessExternal     = permission.External     // counts as writing
	AccessExternalRead = permission.ExternalRead // a person has listed it as one that only reads
)

// Toolbox has tools that not every session has, or not in every mode, and that
// something has to be started for.
type Toolbox interface {
	// Open makes the tools ready that a session has in the mode it is in. What
	// can't be had is missing, and the set says why; so it always returns a set,
	// also when ctx ends before it is done.
	Open(ctx context.Context, s planning.State) Toolset
}

// Toolset is what a Toolbox has made ready. It belongs to one run.
type Toolset interface {
	// Tools stay the same until Close, whatever becomes of those who offer them.
	Tools() []Tool
	// Listed is what people get to see of them.
	Listed() planning.ToolsListed
	// Close ends everything that was started, and waits for it.
	Close()
}

// equipment is the set of tools that a run has besides those of all sessions.
type equipment struct {
	set  Toolset // nil before it is opened
	mode planning.Mode
}

// equip opens the tools for the mode that the session is in. They change only
// with the mode or the run, so that within a turn the beginning of the requests
// stays what the provider has in its cache.
func (r *run) equip(ctx context.Context) error {
	if r.Toolbox == nil || r.more.set != nil && r.more.mode == r.state.Mode {
		return nil
	}
	r.unequip()
	r.more = equipment{r.Toolbox.Open(ctx, r.state), r.state.Mode}
	if err := ctx.Err(); err != nil {
		return err // what is missing then is missing for another reason than it says
	}
	listed := r.more.set.Listed()
	return r.record(ctx, running(func(s planning.State) ([]planning.Event, error) {
		if len(listed.Servers) == len(s.Servers) && (len(s.Servers) == 0 || reflect.DeepEqual(listed.Servers, s.Servers)) {
			return nil, nil
		}
		return by(planning.System, listed), nil
	}))
}

func (r *run) unequip() {
	if r.more.set != nil {
		r.more.set.Close()
	}
	r.more = equipment{}
}

// needsEquipment tells whether a call of the last message is of a tool that
// has to be made ready first.
func (r *run) needsEquipment() bool {
	for _, c := range r.state.Calls {
		if _, known := r.Agent.tool(c.Name); !known && c.State != planning.CallDone {
			return true
		}
	}
	return false
}

func (r *run) tool(name string) (Tool, bool) {
	if t, known := r.Agent.tool(name); known {
		return t, true
	}
	for _, t := range r.moreTools() {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}

func (r *run) moreTools() []Tool {
	if r.more.set == nil {
		return nil
	}
	return r.more.set.Tools()
}
