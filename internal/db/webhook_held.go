package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/internal/fault"
	"countersign/internal/planning"
	"countersign/internal/webhook"
)

// keepLost is how many given-up messages of a target are remembered.
const keepLost = 500

type heldRow struct {
	Target  string `gorm:"primaryKey"`
	Place   int64  `gorm:"primaryKey;autoIncrement:false"`
	Session string
	Seq     int64
	Kind    string
	At      int64
	Tries   int
	Failing int64
	Tried   int64
	Due     int64
	Trouble string
	GivenUp int64
	By      string
}

func (heldRow) TableName() string { return "webhook_messages" }

func newHeldRow(h webhook.Held) heldRow {
	return heldRow{
		Target: h.Target, Place: h.Place, Session: h.Session, Seq: h.Seq, Kind: string(h.Kind), At: micros(h.At), Tries: h.Tries,
		Failing: micros(h.Failing), Tried: micros(h.Tried), Due: micros(h.Due), Trouble: string(h.Trouble), GivenUp: micros(h.GivenUp), By: h.By,
	}
}

func (r heldRow) held() webhook.Held {
	return webhook.Held{
		Target: r.Target, Place: r.Place, Session: r.Session, Seq: r.Seq, Kind: planning.Kind(r.Kind), At: stamp(r.At), Tries: r.Tries,
		Failing: stamp(r.Failing), Tried: stamp(r.Tried), Due: stamp(r.Due), Trouble: webhook.Trouble(r.Trouble), GivenUp: stamp(r.GivenUp), By: r.By,
	}
}

// Hold implements webhook.Store.
func (d *DB) Hold(ctx context.Context, h webhook.Held) error {
	_, err := change(ctx, d, "keep a webhook's message", func(tx *gorm.DB) (none, error) {
		row := newHeldRow(h)
		known := clause.OnConflict{Columns: []clause.Column{{Name: "target"}, {Name: "place"}}, DoNothing: true}
		if h.Tries > 0 {
			known.DoNothing, known.UpdateAll = false, true
			known.Where = clause.Where{Exprs: []clause.Expression{gorm.Expr("webhook_messages.given_up = 0")}}
		}
		if err := tx.Clauses(known).Create(&row).Error; err != nil || h.GivenUp.IsZero() {
			return none{}, err
		}
		return none{}, lost(tx, row)
	})
	return err
}

// lost is what follows from a message that is given up.
func lost(tx *gorm.DB, row heldRow) error {
	next := tx.Model(&heldRow{}).Where(`target = ? AND failing = 0 AND given_up = 0 AND place =
		(SELECT min(place) FROM webhook_messages WHERE target = ? AND session = ? AND given_up = 0)`, row.Target, row.Target, row.Session)
	if err := next.Update("failing", row.Failing).Error; err != nil {
		return err
	}
	return tx.Where(`target = ? AND given_up > 0 AND place NOT IN
		(SELECT place FROM webhook_messages WHERE target = ? AND given_up > 0 ORDER BY given_up DESC, place DESC LIMIT ?)`,
		row.Target, row.Target, keepLost).Delete(&heldRow{}).Error
}

// DropHeld implements webhook.Store.
func (d *DB) DropHeld(ctx context.Context, target string, place int64) error {
	_, err := change(ctx, d, "forget a webhook's message", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Where("target = ? AND place = ?", target, place).Delete(&heldRow{}).Error
	})
	return err
}

// Holds implements webhook.Store.
func (d *DB) Holds(ctx context.Context, target, session string) (bool, error) {
	var n int64
	err := d.reader.WithContext(ctx).Model(&heldRow{}).Where("target = ? AND session = ? AND given_up = 0", target, session).Limit(1).Count(&n).Error
	return n > 0, d.fail(err, "look up a webhook's messages")
}

// firstOfSession picks the messages that nothing stands before.
const firstOfSession = `given_up = 0 AND NOT EXISTS (SELECT 1 FROM webhook_messages earlier WHERE earlier.target = webhook_messages.target
	AND earlier.session = webhook_messages.session AND earlier.place < webhook_messages.place AND earlier.given_up = 0)`

// NextHeld implements webhook.Store.
func (d *DB) NextHeld(ctx context.Context, target string) (webhook.Held, bool, error) {
	var row heldRow
	err := d.reader.WithContext(ctx).Where("target = ?", target).Where(firstOfSession).Order("due, place").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return webhook.Held{}, false, nil
	}
	return row.held(), err == nil, d.fail(err, "look up a webhook's messages")
}

// Hasten implements webhook.Store.
func (d *DB) Hasten(ctx context.Context, target string, tries int, after time.Time) error {
	_, err := change(ctx, d, "make a webhook's messages due", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Model(&heldRow{}).Where("target = ? AND given_up = 0 AND due > 0 AND tries >= ? AND failing > ?", target, tries, micros(after)).Update("due", 0).Error
	})
	return err
}

// GiveUp implements webhook.Store.
func (d *DB) GiveUp(ctx context.Context, target string, place int64, at time.Time, by string) error {
	_, err := change(ctx, d, "give a webhook's message up", func(tx *gorm.DB) (none, error) {
		done := tx.Model(&heldRow{}).Where("target = ? AND place = ? AND given_up = 0", target, place).
			Updates(map[string]any{"given_up": micros(at), "by": by})
		if done.Error == nil && done.RowsAffected == 0 {
			return none{}, fault.New(fault.NotFound, "This message does not wait any more.")
		}
		return none{}, done.Error
	})
	return err
}

// Held implements webhook.Store.
func (d *DB) Held(ctx context.Context, target string, limit int) (waiting, lost []webhook.Held, err error) {
	list := func(where, order string) (list []webhook.Held) {
		var rows []heldRow
		if err == nil {
			err = d.reader.WithContext(ctx).Where("target = ?", target).Where(where).Order(order).Limit(limit).Find(&rows).Error
		}
		for _, r := range rows {
			list = append(list, r.held())
		}
		return list
	}
	waiting = list("given_up = 0", "place")
	lost = list("given_up > 0", "given_up DESC, place DESC")
	return waiting, lost, d.fail(err, "list a webhook's messages")
}

// CountHeld implements webhook.Store.
func (d *DB) CountHeld(ctx context.Context, target string) (int, error) {
	var n int64
	err := d.reader.WithContext(ctx).Model(&heldRow{}).Where("target = ? AND given_up = 0", target).Count(&n).Error
	return int(n), d.fail(err, "count a webhook's messages")
}
