package db

import "gorm.io/gorm"

const (
	// checkpointAfter is how much WAL may pile up before it is copied into the
	// database.
	checkpointAfter = 4 << 20
	// walLimit is the size at which the writer waits until the WAL can start
	// over. Under steady writing it never would by itself, because there is
	// always something that has not been copied yet.
	walLimit = 16 << 20
	// perJob stands for the pages that each job touches beside its own bytes.
	perJob = 12 << 10

	pageSize = 4096
)

// wrote notes a commit and wakes the checkpoints when enough has piled up.
func (d *DB) wrote(jobs []*job) {
	var n int64
	for _, j := range jobs {
		n += int64(j.size) + perJob
	}
	if d.grown.Add(n) < checkpointAfter {
		return
	}
	select {
	case d.due <- struct{}{}:
		d.grown.Store(0)
	default: // one is under way
	}
}

// checkpoints copies the WAL into the database beside the writer, which would
// otherwise have to do it in the middle of somebody's append.
func (d *DB) checkpoints() {
	for range d.due {
		if err := d.checkpoint(); err != nil {
			d.log.Warn("a checkpoint failed", "error", err)
		}
	}
}

type walState struct {
	Busy         int
	Log          int64 // pages in the WAL
	Checkpointed int64
}

func (d *DB) checkpoint() error {
	var wal walState
	if err := d.reader.Raw("PRAGMA wal_checkpoint(PASSIVE)").Scan(&wal).Error; err != nil {
		return err
	}
	if wal.Log*pageSize < walLimit {
		return nil
	}
	// The rest is short by now. It takes the writer's connection, so no commit
	// comes in between, and waits a moment for readers of the old pages.
	return d.writer.Connection(func(c *gorm.DB) error {
		c.Exec("PRAGMA busy_timeout(100)")
		defer c.Exec("PRAGMA " + waitPragma)
		return c.Raw("PRAGMA wal_checkpoint(RESTART)").Scan(&wal).Error
	})
}
