package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/internal/review"
)

const (
	// visit is how long somebody may be away and still be on the same visit.
	visit = 30 * time.Minute
	// again is how soon a further look at the same text is not worth noting.
	again = 5 * time.Minute
)

type lookRow struct {
	Person       string `gorm:"primaryKey"`
	Session      string `gorm:"primaryKey"`
	Version      int
	SHA256       string `gorm:"column:sha256"`
	At           int64
	SinceVersion int
	SinceSHA256  string `gorm:"column:since_sha256"`
	SinceAt      int64
}

func (lookRow) TableName() string { return "seen" }

func (r lookRow) since() review.Look {
	return review.Look{Version: r.SinceVersion, SHA256: r.SinceSHA256, At: stamp(r.SinceAt)}
}

// looking is the row once its person has looked again. With a new version what
// they saw of the one before counts, also within a visit; who has never been
// here has seen nothing else than what they see now.
func (r lookRow) looking(now review.Look) lookRow {
	switch {
	case r.Version == 0:
		r.SinceVersion, r.SinceSHA256, r.SinceAt = now.Version, now.SHA256, micros(now.At)
	case now.Version > r.Version || now.At.Sub(stamp(r.At)) > visit:
		r.SinceVersion, r.SinceSHA256, r.SinceAt = r.Version, r.SHA256, r.At
	}
	r.Version, r.SHA256, r.At = now.Version, now.SHA256, micros(now.At)
	return r
}

// Looked returns what the person had seen of the plan before this visit, which
// ends half an hour after the last look, or before this version. It notes what
// they look at now; the zero Look and an older version than they have seen
// change nothing.
func (d *DB) Looked(ctx context.Context, person, session string, now review.Look) (review.Look, error) {
	row, err := look(d.reader.WithContext(ctx), person, session)
	if err != nil {
		return review.Look{}, d.fail(err, "look up what was seen")
	}
	same := now.Version == row.Version && now.SHA256 == row.SHA256
	if now == (review.Look{}) || now.Version < row.Version || same && now.At.Sub(stamp(row.At)) < again {
		return row.since(), nil
	}
	return change(ctx, d, "note what was seen", func(tx *gorm.DB) (review.Look, error) {
		row, err := look(tx, person, session)
		if err != nil || now.Version < row.Version {
			return row.since(), err
		}
		row = row.looking(now)
		return row.since(), tx.Save(&row).Error
	})
}

func look(g *gorm.DB, person, session string) (lookRow, error) {
	row := lookRow{Person: person, Session: session}
	var rows []lookRow
	err := g.Find(&rows, "person = ? AND session = ?", person, session).Error
	if err == nil && len(rows) > 0 {
		row = rows[0]
	}
	return row, err
}
