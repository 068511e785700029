package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"countersign/internal/planning"
)

// Rebuild throws the read models and snapshots away and makes them anew from
// the events, in one transaction; writes wait for it. A session whose log
// can't be read keeps what it had, and the error names it.
func (d *DB) Rebuild(ctx context.Context) error {
	broken, err := d.rebuild(ctx)
	return errors.Join(d.fail(err, "rebuild the read models"), broken)
}

func (d *DB) rebuild(ctx context.Context) (broken, err error) {
	type result struct{ broken error }
	r, err := change(ctx, d, "rebuild the read models", func(tx *gorm.DB) (result, error) {
		broken, err := rebuildAll(ctx, tx)
		return result{broken}, err
	})
	d.cache.clear()
	return r.broken, err
}

func rebuildAll(ctx context.Context, tx *gorm.DB) (broken, err error) {
	for _, sql := range []string{
		"DELETE FROM sessions WHERE id NOT IN (SELECT session FROM events)",
		"DELETE FROM threads WHERE session NOT IN (SELECT session FROM events)",
		"DELETE FROM snapshots WHERE session NOT IN (SELECT session FROM events)",
	} {
		if err := tx.Exec(sql).Error; err != nil {
			return nil, err
		}
	}
	var ids []string
	if err := tx.Raw("SELECT DISTINCT session FROM events ORDER BY session").Scan(&ids).Error; err != nil {
		return nil, err
	}
	var failed []error
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, threads, err := foldAll(tx, id)
		if passing(err) {
			return nil, err
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("session %s: %w", id, err))
			continue
		}
		if err := replace(tx, e, threads); err != nil {
			return nil, err
		}
	}
	return errors.Join(failed...), setMeta(tx, "fold", foldID)
}

// foldAll folds a whole log. The connection is the writer's own.
func foldAll(tx *gorm.DB, session string) (e entry, threads []string, err error) {
	err = eachPage(tx, session, 0, func(r planning.Record) error {
		if err := e.next(r); err != nil {
			return err
		}
		payload, err := r.Payload()
		if t, ok := payload.(planning.ThreadOpened); ok {
			threads = append(threads, t.Thread)
		}
		return err
	})
	if damage := damageOf(err, e.state.Seq); damage != nil {
		return e, nil, damage
	}
	if err != nil {
		return e, nil, err
	}
	if want, err := height(tx, session); err != nil || want > e.state.Seq {
		return e, nil, errors.Join(err, &planning.Damage{Seq: e.state.Seq + 1, Flaw: planning.FlawMissing})
	}
	return e, threads, nil
}

// replace writes a session's read models.
func replace(tx *gorm.DB, e entry, threads []string) error {
	row, err := newSessionRow(e.state)
	if err != nil {
		return err
	}
	for _, sql := range []string{"DELETE FROM sessions WHERE id = ?", "DELETE FROM threads WHERE session = ?", "DELETE FROM snapshots WHERE session = ?"} {
		if err := tx.Exec(sql, row.ID).Error; err != nil {
			return err
		}
	}
	if err := tx.Create(&row).Error; err != nil {
		return err
	}
	for _, t := range threads {
		if err := tx.Exec(hotSQL[insertThread], t, row.ID).Error; err != nil {
			return err
		}
	}
	if !e.due() {
		return nil
	}
	state, err := json.Marshal(e.state)
	if err != nil {
		return err
	}
	return tx.Create(&snapshotRow{Session: row.ID, Seq: row.Seq, Fold: foldID, State: state, Head: e.sum[:], Sum: sealed(e.sum, state)}).Error
}

type metaRow struct {
	Key   string `gorm:"primaryKey"`
	Value string
}

func (metaRow) TableName() string { return "meta" }

func setMeta(tx *gorm.DB, key, value string) error {
	return tx.Save(&metaRow{Key: key, Value: value}).Error
}

// storedFold names the fold that the read models come from, "" in a new
// database.
func (d *DB) storedFold(ctx context.Context) (string, error) {
	var rows []metaRow
	err := d.reader.WithContext(ctx).Find(&rows, "key = ?", "fold").Error
	if err != nil || len(rows) == 0 {
		return "", d.fail(err, "read the fold's version")
	}
	return rows[0].Value, nil
}
