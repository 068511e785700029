package db

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type readingRow struct {
	Person  string `gorm:"primaryKey"`
	Session string `gorm:"primaryKey"`
	Seq     int64
}

func (readingRow) TableName() string { return "readings" }

// Readings returns how far the person has read the threads of sessions, by
// session.
func (d *DB) Readings(ctx context.Context, person string) (map[string]int64, error) {
	var rows []readingRow
	if err := d.reader.WithContext(ctx).Find(&rows, "person = ?", person).Error; err != nil {
		return nil, d.fail(err, "look up what was read")
	}
	read := make(map[string]int64, len(rows))
	for _, r := range rows {
		read[r.Session] = r.Seq
	}
	return read, nil
}

// NoteRead notes that the person has read a session's threads as they were at
// seq. Less than they had read before changes nothing.
func (d *DB) NoteRead(ctx context.Context, person, session string, seq int64) error {
	_, err := change(ctx, d, "note what was read", func(tx *gorm.DB) (none, error) {
		row := readingRow{Person: person, Session: session, Seq: seq}
		return none{}, tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "person"}, {Name: "session"}},
			DoUpdates: clause.Assignments(map[string]any{"seq": gorm.Expr("max(seq, excluded.seq)")}),
		}).Create(&row).Error
	})
	return err
}
