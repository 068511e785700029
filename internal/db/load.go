package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// maxRecords is the most that Records returns at a time.
const maxRecords = 1000

const eventColumns = "session, seq, kind, version, at, actor_kind, actor_id, actor_name, data, sum"

// State implements planning.Log. What it costs does not grow with the log.
func (d *DB) State(ctx context.Context, session string) (planning.State, error) {
	e, err := d.entry(ctx, session)
	return e.state, d.fail(err, "load the session")
}

// Records implements planning.Log. A limit of 0 or less, or above 1,000, means
// 1,000. It fails with fault.NotFound for an unknown session. In a damaged log
// it ends before the first record that is not as it was written.
func (d *DB) Records(ctx context.Context, session string, after int64, limit int) ([]planning.Record, error) {
	if limit <= 0 || limit > maxRecords {
		limit = maxRecords
	}
	records := []planning.Record{}
	g := d.reader.WithContext(ctx)
	seq, sum, met := after, planning.Sum{}, after <= 0
	// With the record before, whose link the first one has to follow.
	err := eachRecord(g.Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?", session, after, limit+1),
		func(r planning.Record) error {
			if !met && r.Seq == after {
				sum, met = r.Sum, true
				return nil
			}
			if damage := r.Follows(seq, sum); damage != nil {
				return damage
			}
			seq, sum = r.Seq, r.Sum
			if len(records) < limit {
				records = append(records, r)
			}
			return nil
		})
	if damage := damageOf(err, seq); damage != nil {
		d.mark(ctx, session, damage)
		return records, nil
	}
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
		return d.marked(session, e), nil
	}
	v, err, _ := d.loads.Do(session, func() (any, error) {
		_, mark, _ := d.cache.get(session)
		e, err := d.load(context.WithoutCancel(ctx), session)
		if err == nil {
			d.cache.offer(session, e, mark)
		}
		return e, err
	})
	return d.marked(session, v.(entry)), err
}

// load folds the tail of the log over the snapshot, or all of it if that can't
// be done. The state of a damaged log ends before the damage.
func (d *DB) load(ctx context.Context, session string) (entry, error) {
	g := d.reader.WithContext(ctx)
	want, lost := height(g, session)
	if lost != nil && !corrupt(lost) {
		return entry{}, lost
	}
	base, err := d.snapshotOf(ctx, session)
	if err != nil {
		return entry{}, err
	}
	e, err := foldTail(g, session, base)
	if errors.Is(err, errOtherLog) {
		d.log.WarnContext(ctx, "ignoring a snapshot that the log does not go on from", "session", session, "error", err)
		e, err = foldTail(g, session, entry{})
	}
	damage := damageOf(err, e.state.Seq)
	switch {
	case err == nil && e.state.Seq < want:
		damage = &planning.Damage{Seq: e.state.Seq + 1, Flaw: planning.FlawMissing}
	case err == nil && lost != nil: // nobody can tell whether there was more
		damage = &planning.Damage{Seq: e.state.Seq + 1, Flaw: planning.FlawUnreadable}
	case err == nil && e.state.Seq == 0:
		return e, noSession()
	case damage == nil:
		return e, err
	}
	d.mark(ctx, session, damage)
	if e.state.Seq == 0 {
		return e, unshowable(damage)
	}
	return e, nil
}

// errOtherLog says that a snapshot does not belong to the log as it is.
var errOtherLog = errors.New("it stands at another record")

// foldTail folds what the log holds after e. It fails with errOtherLog if the
// log does not hold the record that e ends with, and with the entry before the
// first damage.
func foldTail(g *gorm.DB, session string, e entry) (entry, error) {
	from, met := e.state.Seq, e.state.Seq == 0
	err := eachRecord(g.Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq >= ? ORDER BY seq", session, from),
		func(r planning.Record) error {
			switch {
			case met:
				return e.next(r)
			case r.Seq != from || r.Sum != e.sum:
				return errOtherLog
			}
			met = true
			return nil
		})
	if err == nil && !met {
		err = errOtherLog
	}
	return e, err
}

// eachRecord calls f for each row of a query for eventColumns.
func eachRecord(query *gorm.DB, f func(planning.Record) error) error {
	return eachRow(query, nil, f)
}

// eachPage calls f with the records of a session after this one, in pages, so
// that the connection is free in between and no old page of the database is held
// for long.
func eachPage(g *gorm.DB, session string, after int64, f func(planning.Record) error) error {
	for more := true; more; {
		more = false
		query := g.Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?", session, after, maxRecords)
		err := eachRecord(query, func(r planning.Record) error {
			more, after = true, r.Seq
			return f(r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errOdd says that a row holds what can't stand there.
var errOdd = errors.New("a row that nobody wrote so")

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
		var sum []byte
		columns := append(before[:len(before):len(before)], &r.Session, &r.Seq, &r.Kind, &r.Version, &at, &r.Actor.Kind, &r.Actor.ID, &r.Actor.Name, (*[]byte)(&r.Data), &sum)
		if err := rows.Scan(columns...); err != nil {
			if rows.Err() == nil && query.Statement.Context.Err() == nil { // not cut off from outside
				err = errors.Join(errOdd, err)
			}
			return err
		}
		r.At = time.UnixMicro(at).UTC()
		if len(sum) == len(r.Sum) { // any other fits nothing
			r.Sum = planning.Sum(sum)
		}
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
