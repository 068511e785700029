// Package planning is the record of a session: which events there are and
// what state they add up to.
//
// A session is an append-only log of events. State is a fold over it and holds
// nothing that the log does not say. The package does no I/O.
package planning

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"countersign/internal/fault"
)

// Kind names what happened, as noun.verb_in_past.
type Kind string

// ActorKind says what sort of actor caused an event.
type ActorKind string

// The sorts of actor.
const (
	ActorPerson   ActorKind = "person"
	ActorAgent    ActorKind = "agent"
	ActorSubagent ActorKind = "subagent"
	ActorSystem   ActorKind = "system"
)

// Actor is who caused an event. Name is kept beside ID so that the history
// still reads well when a person has been removed.
type Actor struct {
	Kind ActorKind `json:"kind"`
	ID   string    `json:"id,omitempty"`
	Name string    `json:"name,omitempty"`
}

// System is the actor of what the server does by itself.
var System = Actor{Kind: ActorSystem, Name: "Countersign"}

// Payload is what an event says. Each kind has one payload type.
type Payload interface{ Kind() Kind }

// Event is something that is about to be recorded.
type Event struct {
	Actor   Actor
	Payload Payload
}

// Record is an event in the log. Seq counts 1, 2, 3, … within a session,
// without gaps; it, not At, is the order.
type Record struct {
	Session string          `json:"session"`
	Seq     int64           `json:"seq"`
	Kind    Kind            `json:"kind"`
	Version int             `json:"version"` // of the payload's format
	At      time.Time       `json:"at"`
	Actor   Actor           `json:"actor"`
	Data    json.RawMessage `json:"data"`
	Sum     Sum             `json:"sum,omitzero"` // its link in the log's chain; zero before it is in the log
}

// FormatVersion is the version of the payload formats that this code writes.
// Records of a later version are kept and skipped (S6).
const FormatVersion = 1

// NewRecord encodes an event for the log.
func NewRecord(session string, seq int64, at time.Time, e Event) (Record, error) {
	data, err := json.Marshal(e.Payload)
	if err != nil {
		return Record{}, fmt.Errorf("encode %s: %w", e.Payload.Kind(), err)
	}
	return Record{
		Session: session, Seq: seq, Kind: e.Payload.Kind(), Version: FormatVersion,
		At: at.UTC(), Actor: e.Actor, Data: data,
	}, nil
}

// Payload decodes what the record says. It returns nil for a kind or a format
// version that this code does not know.
func (r Record) Payload() (Payload, error) {
	decode, known := decoders[r.Kind]
	if !known || r.Version > FormatVersion {
		return nil, nil
	}
	p, err := decode(r.Data)
	if err != nil {
		return nil, fmt.Errorf("record %d of %s (%s): %w", r.Seq, r.Session, r.Kind, err)
	}
	return p, nil
}

// Log is the port to the stored log.
type Log interface {
	// Append records events if the log still stands at seq after, all or none,
	// and returns the state with them applied once they are on disk. It fails
	// with fault.Conflict if the log has moved on, with fault.NotFound if
	// after > 0 and there is no such session.
	Append(ctx context.Context, session string, after int64, events ...Event) (State, error)
	// State returns the fold of the whole log. It fails with fault.NotFound.
	State(ctx context.Context, session string) (State, error)
	// Records returns up to limit records with a seq above after, in order.
	Records(ctx context.Context, session string, after int64, limit int) ([]Record, error)
}

// attempts bounds how often Decide looks again after losing a race. Each loss
// means somebody else's event got in, so the log moves on in any case.
const attempts = 100

// Decide lets decide look at the newest state and appends what it returns,
// bound to that state: if another event came in between, it decides again.
// So of two contradicting actions the second always sees the first. It
// returns the state after the append; no events means nothing to append.
func Decide(ctx context.Context, log Log, session string, decide func(State) ([]Event, error)) (State, error) {
	for range attempts {
		s, err := log.State(ctx, session)
		if err != nil {
			return State{}, err
		}
		events, err := decide(s)
		if err != nil || len(events) == 0 {
			return s, err
		}
		next, err := log.Append(ctx, session, s.Seq, events...)
		if !fault.Is(err, fault.Conflict) {
			return next, err
		}
	}
	return State{}, fault.New(fault.Unavailable, "This session is very busy just now. Please try again.")
}
