package db

import (
	"bytes"
	"context"
	"fmt"

	"gorm.io/gorm"

	"countersign/internal/planning"
)

// Checked is what Verify has looked at.
type Checked struct{ Sessions, Records int64 }

// Finding is one thing that is wrong. With an empty session it is about the
// file as a whole.
type Finding struct {
	Session string
	Damage  *planning.Damage // of the session's log; nil if something else is wrong
	What    string
}

// String is the finding in one line.
func (f Finding) String() string {
	if f.Session == "" {
		return "the file: " + f.What
	}
	return "session " + f.Session + ": " + f.What
}

// Verify checks the chain of every session, every snapshot, and the file, also
// beside a running server. It tells found of each thing that is wrong: of a
// session's log only the first. An error says that it could not look.
func (d *DB) Verify(ctx context.Context, found func(Finding)) (Checked, error) {
	var n Checked
	g := d.reader.WithContext(ctx)
	var sessions []struct {
		ID     string
		Listed bool
	}
	err := g.Raw(`SELECT id, max(listed) AS listed FROM (SELECT id, 1 AS listed FROM sessions UNION ALL SELECT DISTINCT session, 0 FROM events)
		GROUP BY id ORDER BY id`).Scan(&sessions).Error
	if corrupt(err) {
		found(Finding{What: "the list of sessions can't be read"})
		return n, d.checkFile(ctx, found)
	}
	if err != nil {
		return n, d.fail(err, "list the sessions")
	}
	for _, s := range sessions {
		seq, damage, err := walk(ctx, d.reader, s.ID)
		if err != nil {
			return n, d.fail(err, "check a session")
		}
		n.Sessions, n.Records = n.Sessions+1, n.Records+seq
		switch {
		case damage != nil:
			found(Finding{s.ID, damage, damage.Error()})
		case !s.Listed:
			found(Finding{s.ID, nil, "it is missing from the lists; countersign rebuild makes them anew"})
		}
	}
	if lock, err := lockFile(d.path); err == nil { // no server writes to the WAL now
		if lost, err := lostCommits(d.path); err == nil && lost > 0 {
			found(Finding{What: fmt.Sprintf("its WAL is damaged: %d commits can't be read any more", lost)})
		}
		_ = lock.Close()
	}
	if err := d.checkSnapshots(g, found); err != nil {
		return n, d.fail(err, "check the snapshots")
	}
	return n, d.checkFile(ctx, found)
}

// checkSnapshots looks for snapshots that are not as they were written. They do
// no harm, because they are not used; but a disk that does this does more.
func (d *DB) checkSnapshots(g *gorm.DB, found func(Finding)) error {
	rows, err := g.Raw("SELECT session, seq, state, head, sum FROM snapshots").Rows()
	for err == nil && rows.Next() {
		var r snapshotRow
		if err = rows.Scan(&r.Session, &r.Seq, &r.State, &r.Head, &r.Sum); err == nil {
			var head planning.Sum
			if copy(head[:], r.Head); !bytes.Equal(sealed(head, r.State), r.Sum) {
				found(Finding{r.Session, nil, fmt.Sprintf("its snapshot at %d is not what was written; it is not used, and countersign rebuild makes it anew", r.Seq)})
			}
		}
	}
	if rows != nil {
		if err == nil {
			err = rows.Err()
		}
		_ = rows.Close()
	}
	if corrupt(err) { // the file's check says where
		return nil
	}
	return err
}

// maxFileFindings bounds what is said about the file.
const maxFileFindings = 10

// checkFile has SQLite check its own structures, the indexes against the tables
// among them.
func (d *DB) checkFile(ctx context.Context, found func(Finding)) error {
	var lines []string
	err := d.reader.WithContext(ctx).Raw(fmt.Sprintf("PRAGMA integrity_check(%d)", maxFileFindings)).Scan(&lines).Error
	if corrupt(err) {
		lines, err = append(lines, err.Error()), nil
	}
	if err != nil {
		return d.fail(err, "check the file")
	}
	for _, line := range lines {
		if line != "ok" {
			found(Finding{What: line})
		}
	}
	return nil
}
