package db

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/webhook"
)

type webhookRow struct {
	Target  string `gorm:"primaryKey"`
	Place   int64
	Failing int64 // 0 if the last attempt did not fail
	GivenUp int64
	Gone    bool

	Delivered int64 // 0 for never
	Trouble   string
}

func (webhookRow) TableName() string { return "webhooks" }

func (r webhookRow) progress() webhook.Progress {
	return webhook.Progress{
		Target: r.Target, Place: r.Place, Failing: stamp(r.Failing), GivenUp: r.GivenUp, Gone: r.Gone,
		Delivered: stamp(r.Delivered), Trouble: webhook.Trouble(r.Trouble),
	}
}

func newWebhookRow(p webhook.Progress) webhookRow {
	return webhookRow{
		Target: p.Target, Place: p.Place, Failing: micros(p.Failing), GivenUp: p.GivenUp, Gone: p.Gone,
		Delivered: micros(p.Delivered), Trouble: string(p.Trouble),
	}
}

// Committed implements webhook.Store. A record's place is its rowid: there is
// one writer, and no event is ever deleted, so rowids rise by one in the order
// of the commits, and nothing can make them anew in another way.
func (d *DB) Committed(ctx context.Context, after int64, kinds []planning.Kind, limit int) ([]webhook.Committed, int64, error) {
	g := d.reader.WithContext(ctx)
	end, err := lastPlace(g)
	if err != nil || end <= after {
		return nil, after, d.fail(err, "read the log")
	}
	var found []webhook.Committed
	var place int64
	query := g.Raw("SELECT rowid, "+eventColumns+" FROM events WHERE rowid > ? AND rowid <= ? AND kind IN ? ORDER BY rowid LIMIT ?", after, end, kinds, limit)
	err = eachRow(query, []any{&place}, func(r planning.Record) error {
		found = append(found, webhook.Committed{Record: r, Place: place})
		return nil
	})
	if err != nil {
		return nil, after, d.fail(err, "read the log")
	}
	if len(found) == limit {
		end = found[limit-1].Place
	}
	return found, end, nil
}

// lastPlace is the end of the log of all sessions.
func lastPlace(g *gorm.DB) (place int64, err error) {
	err = g.Raw("SELECT coalesce(max(rowid), 0) FROM events").Scan(&place).Error
	return place, err
}

// LastRecord implements webhook.Store.
func (d *DB) LastRecord(ctx context.Context, session string, seq int64, kinds ...planning.Kind) (planning.Record, error) {
	last, err := planning.Record{}, noRecord()
	query := d.reader.WithContext(ctx).Raw("SELECT "+eventColumns+" FROM events WHERE session = ? AND seq <= ? AND kind IN ? ORDER BY seq DESC LIMIT 1", session, seq, kinds)
	if e := eachRecord(query, func(r planning.Record) error {
		last, err = r, nil
		return nil
	}); e != nil {
		err = e
	}
	return last, d.fail(err, "read the log")
}

func noRecord() error {
	return fault.New(fault.NotFound, "The session has no such record.")
}

// KeepTargets implements webhook.Store.
func (d *DB) KeepTargets(ctx context.Context, ids []string) ([]webhook.Progress, error) {
	return change(ctx, d, "keep the webhooks", func(tx *gorm.DB) ([]webhook.Progress, error) {
		others := tx.Where("1 = 1")
		if len(ids) > 0 {
			others = tx.Where("target NOT IN ?", ids)
		}
		if err := errors.Join(others.Delete(&webhookRow{}).Error, tx.Where("target NOT IN (SELECT target FROM webhooks)").Delete(&heldRow{}).Error); err != nil {
			return nil, err
		}
		end, err := lastPlace(tx)
		if err != nil {
			return nil, err
		}
		list := make([]webhook.Progress, len(ids))
		for i, id := range ids {
			row := webhookRow{Target: id, Place: end}
			if err := tx.Where("target = ?", id).FirstOrCreate(&row).Error; err != nil {
				return nil, err
			}
			list[i] = row.progress()
		}
		return list, nil
	})
}

// Targets lists the progress of all targets that the last server knew.
func (d *DB) Targets(ctx context.Context) ([]webhook.Progress, error) {
	var rows []webhookRow
	if err := d.reader.WithContext(ctx).Find(&rows).Error; err != nil {
		return nil, d.fail(err, "list the webhooks")
	}
	list := make([]webhook.Progress, len(rows))
	for i, r := range rows {
		list[i] = r.progress()
	}
	return list, nil
}

// SaveProgress implements webhook.Store.
func (d *DB) SaveProgress(ctx context.Context, p webhook.Progress) error {
	row := newWebhookRow(p)
	_, err := change(ctx, d, "keep a webhook's progress", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Save(&row).Error
	})
	return err
}
