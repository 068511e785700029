package db

import (
	"context"
	"encoding/json"
	"time"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// pending is an append that has been worked out, but not written. A state is
// decided by the log up to its seq, so it can be folded before the writer
// has the append: either the log still stands there, or nothing comes of it.
type pending struct {
	session  string
	after    int64
	records  []planning.Record
	next     entry
	summary  []byte
	snapshot []byte // nil unless one is due
	threads  []string
}

// Append implements planning.Log. An append with after 0 makes the session;
// its first event must be SessionCreated, and no other may be.
func (d *DB) Append(ctx context.Context, session string, after int64, events ...planning.Event) (planning.State, error) {
	p, err := d.workOut(ctx, session, after, events)
	if err != nil {
		return planning.State{}, d.fail(err, "append")
	}
	err = d.submit(ctx, &job{
		run:     p.write,
		size:    p.size(),
		publish: func() { d.publish(p) },
		undone:  func() { d.cache.drop(session) },
	})
	if err != nil {
		return planning.State{}, d.fail(err, "append")
	}
	return p.next.state, nil
}

// workOut turns the events into what is to be written.
func (d *DB) workOut(ctx context.Context, session string, after int64, events []planning.Event) (*pending, error) {
	if err := checkEvents(session, after, events); err != nil {
		return nil, err
	}
	var base entry
	if after > 0 {
		var err error
		if base, err = d.entry(ctx, session); err != nil {
			return nil, err
		}
		if base.state.Damage != nil {
			return nil, base.state.Damage.Fault()
		}
		if base.state.Seq != after {
			return nil, moved()
		}
	}
	p := &pending{session: session, after: after, next: base}
	if err := p.fold(d.now(), events); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "Countersign could not record this.")
	}
	return p, nil
}

// fold makes records of the events, and the state with them and what is
// derived from it.
func (p *pending) fold(now time.Time, events []planning.Event) (err error) {
	// Microseconds are what both SQLite and PostgreSQL keep.
	at := now.UTC().Truncate(time.Microsecond)
	for i, e := range events {
		r, err := planning.NewRecord(p.session, p.after+int64(i)+1, at, e)
		if err != nil {
			return err
		}
		r.Sum = r.Link(p.next.sum)
		p.records = append(p.records, r)
		p.next.sum, p.next.tail = r.Sum, p.next.tail+len(r.Data)
		if t, ok := e.Payload.(planning.ThreadOpened); ok {
			p.threads = append(p.threads, t.Thread)
		}
	}
	if p.next.state, err = planning.Fold(p.next.state, p.records...); err != nil {
		return err
	}
	if p.summary, err = json.Marshal(p.next.state.Summary()); err != nil {
		return err
	}
	if p.next.due() {
		if p.snapshot, err = json.Marshal(p.next.state); err != nil {
			return err
		}
		p.next = p.next.saved(len(p.snapshot))
	}
	return nil
}

func checkEvents(session string, after int64, events []planning.Event) error {
	if session == "" || after < 0 || len(events) == 0 {
		return fault.New(fault.Internal, "An append needs a session, a sequence number and an event.")
	}
	for i, e := range events {
		first := after == 0 && i == 0
		if e.Payload == nil || (e.Payload.Kind() == planning.KindSessionCreated) != first {
			return fault.New(fault.Internal, "A session begins with %s, once.", planning.KindSessionCreated)
		}
	}
	return nil
}

// write is the append's part of the transaction. Its first statement is the
// comparison of the sequence number, whatever a cache says.
func (p *pending) write(tx *transaction) error {
	s := p.next.state
	args := []any{s.Seq, string(s.Status()), s.UpdatedAt.UnixMicro(), p.summary, p.session}
	first := insertSession
	if p.after > 0 {
		first, args = moveSession, append(args, p.after)
	}
	switch changed, err := tx.exec(first, args...); {
	case err != nil:
		return err
	case changed == 0:
		return moved()
	}
	for _, r := range p.records {
		_, err := tx.exec(insertEvent, r.Session, r.Seq, string(r.Kind), r.Version, r.At.UnixMicro(),
			string(r.Actor.Kind), r.Actor.ID, r.Actor.Name, []byte(r.Data), r.Sum[:])
		if err != nil {
			return err
		}
	}
	for _, thread := range p.threads {
		if _, err := tx.exec(insertThread, thread, p.session); err != nil {
			return err
		}
	}
	if p.snapshot == nil {
		return nil
	}
	_, err := tx.exec(putSnapshot, p.session, s.Seq, foldID, p.snapshot, p.next.sum[:], sealed(p.next.sum, p.snapshot))
	return err
}

func (p *pending) size() int {
	n := len(p.summary) + len(p.snapshot)
	for _, r := range p.records {
		n += len(r.Data)
	}
	return n
}

// publish makes a committed append known: to later readers, then to the
// listener.
func (d *DB) publish(p *pending) {
	d.cache.put(p.session, p.next)
	d.loads.Forget(p.session)
	d.commitHook()(p.next.state, p.records)
}

func moved() error {
	return fault.New(fault.Conflict, "Somebody was faster: this session has moved on since you looked at it.")
}
