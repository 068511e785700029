package db

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// maxRecords is the most that Records returns at a time.
const maxRecords = 1000

const eventColumns = "session, seq, kind, version, at, actor_kind, actor_id, actor_name, data"

// State implements planning.Log. What it costs does not grow with the log.
func (d *DB) State(ctx context.Context, session string) (planning.State, error) {
	e, err := d.entry(ctx, session)
	return e.state, d.fail(err, "load the session")
}

// Records implements planning.Log. A limit of 0 or less, or above 1,000, means
// 1,000. It fails with fault.NotFound for an unknown session.
func (d *DB) Records(ctx context.Context, session string, after int64, limit int) ([]planning.Record, error) {
	if limit <= 0 || limit > maxRecords {
		limit = maxRecords
	}
	records := []planning.Record{}
	g := d.reader.WithContext(ctx)
	err := eachRecord(g.Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?", session, after, limit),
		func(r planning.Record) error {
			records = append(records, r)
			return nil
		})
	if err == nil && len(records) == 0 {
		err = known(g, session)
	}
	if err != nil {
		return nil, d.fail(err, "read the log")
	}
	return records, nil
}

// entry returns the state at the head of the log, from the cache or the disk.
// Callers that want the same session at the same time share one load, which
// therefore none of them can cancel.
func (d *DB) entry(ctx context.Context, session string) (entry, error) {
	if err := ctx.Err(); err != nil {
		return entry{}, err
	}
	if e, _, ok := d.cache.get(session); ok {
		return e, nil
	}
	v, err, _ := d.loads.Do(session, func() (any, error) {
		_, mark, _ := d.cache.get(session)
		e, err := d.load(context.WithoutCancel(ctx), session)
		if err == nil {
			d.cache.offer(session, e, mark)
		}
		return e, err
	})
	return v.(entry), err
}

// load folds the tail of the log over the snapshot, or all of it if that can't
// be done.
func (d *DB) load(ctx context.Context, session string) (entry, error) {
	base, err := d.snapshotOf(ctx, session)
	if err != nil {
		return entry{}, err
	}
	g := d.reader.WithContext(ctx)
	e, err := foldTail(g, session, base)
	if err != nil && base.snapshot > 0 && !passing(err) {
		d.log.WarnContext(ctx, "ignoring a snapshot that the log does not go on from", "session", session, "error", err)
		e, err = foldTail(g, session, entry{})
	}
	if err == nil && e.state.Seq == 0 {
		err = noSession()
	}
	return e, err
}

// foldTail folds what the log holds after e. It fails if the log does not hold
// the record that e ends with.
func foldTail(g *gorm.DB, session string, e entry) (entry, error) {
	from, met := e.state.Seq, e.state.Seq == 0
	err := eachRecord(g.Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq >= ? ORDER BY seq", session, from),
		func(r planning.Record) (err error) {
			if r.Seq == from {
				met = true
				return nil
			}
			e.tail += len(r.Data)
			e.state, err = e.state.Apply(r)
			return err
		})
	if err == nil && !met {
		err = fmt.Errorf("session %s has no record %d", session, from)
	}
	return e, err
}

// eachRecord calls f for each row of a query for eventColumns.
func eachRecord(query *gorm.DB, f func(planning.Record) error) error {
	return eachRow(query, nil, f)
}

// eachRow is eachRecord for a query with more columns before these; their
// values are in the places that before points to whenever f is called.
func eachRow(query *gorm.DB, before []any, f func(planning.Record) error) (err error) {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r planning.Record
		var at int64
		columns := append(before[:len(before):len(before)], &r.Session, &r.Seq, &r.Kind, &r.Version, &at, &r.Actor.Kind, &r.Actor.ID, &r.Actor.Name, (*[]byte)(&r.Data))
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		r.At = time.UnixMicro(at).UTC()
		if err := f(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// known fails with fault.NotFound for a session that has no log.
func known(g *gorm.DB, session string) error {
	var n int64
	if err := g.Raw("SELECT count(*) FROM sessions WHERE id = ?", session).Scan(&n).Error; err != nil {
		return err
	}
	if n == 0 {
		return noSession()
	}
	return nil
}

func noSession() error {
	return fault.New(fault.NotFound, "There is no such session.")
}
