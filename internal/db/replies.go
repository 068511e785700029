package db

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/internal/fault"
)

// keepReplies is how long an Idempotency-Key is remembered.
const keepReplies = 7 * 24 * time.Hour

type replyRow struct {
	Person      string `gorm:"primaryKey"`
	Key         string `gorm:"primaryKey"`
	Fingerprint string
	Status      int // 0 while there is no answer
	Body        []byte
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
}

func (replyRow) TableName() string { return "replies" }

// Reserve claims a key for a request with this fingerprint. If it was claimed
// before, found is true and status and body are the stored answer; a key whose
// answer is not there yet, or that was used for another fingerprint, is
// fault.Conflict.
//
// A key that was claimed when the server went down stays claimed: nobody knows
// whether that request took effect, so it must not run a second time.
func (d *DB) Reserve(ctx context.Context, person, key, fingerprint string) (status int, body []byte, found bool, err error) {
	claim := replyRow{Person: person, Key: key, Fingerprint: fingerprint, CreatedAt: time.Now().UnixMicro()}
	row, err := change(ctx, d, "reserve a key", func(tx *gorm.DB) (replyRow, error) {
		row := claim
		result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
		if result.Error != nil || result.RowsAffected == 1 {
			return replyRow{}, result.Error
		}
		if err := tx.Take(&row, "person = ? AND key = ?", person, key).Error; err != nil {
			return replyRow{}, err
		}
		switch {
		case row.Fingerprint != fingerprint:
			return row, fault.New(fault.Conflict, "This Idempotency-Key was used for another request.")
		case row.Status == 0:
			return row, fault.New(fault.Conflict, "The first request with this Idempotency-Key has no answer yet. If the server was restarted since, see whether it took effect before you send it under a new key.")
		}
		return row, nil
	})
	return row.Status, row.Body, row.Status != 0, err
}

// Settle stores the answer to a claimed key. Status 0 frees the key again. A
// key that is not claimed, or answered already, is fault.NotFound.
func (d *DB) Settle(ctx context.Context, person, key string, status int, body []byte) error {
	_, err := change(ctx, d, "settle a key", func(tx *gorm.DB) (none, error) {
		open := tx.Model(&replyRow{}).Where("person = ? AND key = ? AND status = 0", person, key)
		if status == 0 {
			open = open.Delete(&replyRow{})
		} else {
			open = open.Updates(map[string]any{"status": status, "body": body})
		}
		if open.Error == nil && open.RowsAffected == 0 {
			return none{}, fault.New(fault.NotFound, "This Idempotency-Key is not waiting for an answer.")
		}
		return none{}, open.Error
	})
	return err
}
