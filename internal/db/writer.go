package db

import (
	"context"
	"database/sql/driver"
	"runtime"

	"gorm.io/gorm"

	"countersign/internal/fault"
)

const (
	// maxBatch and maxBatchBytes bound what one transaction takes in, so that
	// nobody waits long for the others.
	maxBatch      = 256
	maxBatchBytes = 8 << 20
)

// job is one caller's write, whole or not at all.
type job struct {
	ctx context.Context
	// run writes. It may be called again after a rollback. A fault means that
	// it refused before it wrote anything; the jobs beside it go on. After any
	// other error the transaction is made anew without this job.
	run func(*transaction) error
	// publish, if any, is called after the commit, before anybody is answered.
	publish func()
	// undone, if any, is called when run succeeded and the commit did not.
	undone func()
	size   int // bytes to be written, roughly
	err    error
	answer chan error // of one
}

// start starts the goroutines that Close waits for.
func (d *DB) start() {
	d.owned.Go(d.write)
	d.owned.Go(d.checkpoints)
}

// submit hands a job to the writer and waits until it is on disk.
func (d *DB) submit(ctx context.Context, j *job) error {
	j.ctx, j.answer = ctx, make(chan error, 1)
	if err := d.enqueue(j); err != nil {
		return err
	}
	select {
	case err := <-j.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *DB) enqueue(j *job) error {
	d.gate.RLock()
	defer d.gate.RUnlock()
	if d.closed.Load() {
		return errClosed
	}
	if d.writer == nil {
		return fault.New(fault.Forbidden, "The database is open for reading only.")
	}
	select {
	case d.queue <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// change runs fn in the writer and returns what it returned once that is on
// disk. fn may run more than once.
func change[T any](ctx context.Context, d *DB, doing string, fn func(*gorm.DB) (T, error)) (T, error) {
	var out, none T
	err := d.submit(ctx, &job{run: func(tx *transaction) (err error) {
		out, err = fn(tx.DB)
		return err
	}})
	if err != nil {
		// out belongs to the writer still, if the caller gave up.
		return none, d.fail(err, doing)
	}
	return out, nil
}

// write is the one goroutine that changes the database.
func (d *DB) write() {
	defer close(d.due)
	for first := range d.queue {
		d.commit(d.collect(first))
	}
}

// collect takes what waits already. While there is more, it steps aside once
// more for the callers that are about to put theirs into the queue: without
// this, those that were just answered come back one commit too late.
func (d *DB) collect(first *job) []*job {
	batch, size, before := []*job{first}, first.size, 0
	for len(batch) < maxBatch && size < maxBatchBytes {
		select {
		case j, open := <-d.queue:
			if !open {
				return batch
			}
			batch, size = append(batch, j), size+j.size
		default:
			if len(batch) == before {
				return batch
			}
			before = len(batch)
			runtime.Gosched()
		}
	}
	return batch
}

// commit writes the jobs in one transaction, publishes, and answers, in this
// order. A job that spoils the transaction is left out and the others run again.
func (d *DB) commit(batch []*job) {
	var left []*job
	for {
		done, spoiler, err := d.try(batch)
		if spoiler != nil {
			left = append(left, spoiler)
			batch = without(batch, spoiler)
			continue
		}
		if err != nil {
			d.failAll(done, err)
		}
		for _, j := range done {
			if j.err == nil && j.publish != nil {
				j.publish()
			}
		}
		answer(append(left, batch...))
		return
	}
}

// try runs the jobs in one transaction. It returns those that the commit was
// to make true, and the job that made a new attempt necessary, if one did. An
// error says that nothing was written, for reasons that lie with none of them.
func (d *DB) try(batch []*job) (done []*job, spoiler *job, err error) {
	tx, err := d.begin()
	if err != nil {
		return batch, nil, err
	}
	for _, j := range batch {
		if j.err = j.ctx.Err(); j.err != nil {
			continue // nobody waits for it any more
		}
		if j.err = j.run(tx); j.err == nil {
			done = append(done, j)
			continue
		}
		if _, refused := fault.As(j.err); refused {
			continue
		}
		tx.Rollback()
		if passing(j.err) {
			return batch, nil, j.err
		}
		return nil, j, nil
	}
	if err := tx.Commit().Error; err != nil {
		return batch, nil, err
	}
	d.wrote(done)
	return done, nil, nil
}

// failAll gives every job the error and the writer a new connection, because
// after an I/O error there is no telling what state the old one is in.
func (d *DB) failAll(batch []*job, err error) {
	d.log.Error("a commit failed", "jobs", len(batch), "error", err)
	for _, j := range batch {
		if j.err == nil && j.undone != nil {
			j.undone()
		}
		j.err = err
	}
	pool, err := d.writer.DB()
	if err != nil {
		return
	}
	conn, err := pool.Conn(context.Background())
	if err != nil {
		d.log.Error("the database can't be opened again", "error", err)
		return
	}
	// database/sql throws a connection away that calls itself bad.
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}

// answer tells the callers. Those that were refused are told first: of several
// that fight over one session, the one that just won does not win again.
func answer(batch []*job) {
	for _, j := range batch {
		if j.err != nil {
			j.answer <- j.err
		}
	}
	for _, j := range batch {
		if j.err == nil {
			j.answer <- nil
		}
	}
}

func without(batch []*job, one *job) []*job {
	rest := make([]*job, 0, len(batch))
	for _, j := range batch {
		if j != one {
			rest = append(rest, j)
		}
	}
	return rest
}
