package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"countersign/internal/planning"
)

// chainMigration gives the events of an earlier version their chain. What they
// say at that moment is taken to be what was written.
var chainMigration = goose.NewGoMigration(8, &goose.GoFunc{RunTx: addChain}, nil)

func addChain(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range []string{
		// The link of the event in its session's chain: see planning.Record.Link.
		"ALTER TABLE events ADD COLUMN sum BLOB NOT NULL DEFAULT x''",
		// head is the link of the event that a snapshot stands at, sum the
		// SHA-256 of both. Snapshots are made anew.
		"DELETE FROM snapshots",
		"ALTER TABLE snapshots ADD COLUMN head BLOB NOT NULL DEFAULT x''",
		"ALTER TABLE snapshots ADD COLUMN sum BLOB NOT NULL DEFAULT x''",
		"DELETE FROM meta WHERE key = 'fold'",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	update, err := tx.PrepareContext(ctx, "UPDATE events SET sum = ? WHERE rowid = ?")
	if err != nil {
		return err
	}
	defer update.Close()
	var last planning.Record
	for {
		rows, records, err := unchained(ctx, tx, last)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return nil
		}
		for i, r := range records {
			if r.Session != last.Session {
				last.Sum = planning.Sum{}
			}
			r.Sum = r.Link(last.Sum)
			if _, err := update.ExecContext(ctx, r.Sum[:], rows[i]); err != nil {
				return fmt.Errorf("chain record %d of %s: %w", r.Seq, r.Session, err)
			}
			last = r
		}
	}
}

// unchained reads the next records after one, in the order of sessions and of
// their logs, each with its rowid. It stands apart from eachRow, which reads
// the columns of the newest schema.
func unchained(ctx context.Context, tx *sql.Tx, after planning.Record) (ids []int64, list []planning.Record, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT rowid, session, seq, kind, version, at, actor_kind, actor_id, actor_name, data
		FROM events WHERE (session, seq) > (?, ?) ORDER BY session, seq LIMIT ?`, after.Session, after.Seq, maxRecords)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, at int64
		var r planning.Record
		if err := rows.Scan(&id, &r.Session, &r.Seq, &r.Kind, &r.Version, &at, &r.Actor.Kind, &r.Actor.ID, &r.Actor.Name, (*[]byte)(&r.Data)); err != nil {
			return nil, nil, err
		}
		r.At = time.UnixMicro(at).UTC()
		ids, list = append(ids, id), append(list, r)
	}
	return ids, list, rows.Err()
}
