package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

type sessionRow struct {
	ID        string `gorm:"primaryKey"`
	Seq       int64
	Status    string
	UpdatedAt int64 `gorm:"autoUpdateTime:false"`
	Summary   []byte
}

func (sessionRow) TableName() string { return "sessions" }

func newSessionRow(s planning.State) (sessionRow, error) {
	summary, err := json.Marshal(s.Summary())
	return sessionRow{ID: s.ID, Seq: s.Seq, Status: string(s.Status()), UpdatedAt: s.UpdatedAt.UnixMicro(), Summary: summary}, err
}

func (r sessionRow) summary() (planning.Summary, error) {
	var s planning.Summary
	if err := json.Unmarshal(r.Summary, &s); err != nil {
		return s, fmt.Errorf("summary of session %s: %w", r.ID, err)
	}
	return s, nil
}

// Sessions lists sessions, the last changed first; an empty status means all.
// It reads no log.
func (d *DB) Sessions(ctx context.Context, status planning.Status) ([]planning.Summary, error) {
	query := d.reader.WithContext(ctx).Order("updated_at DESC, id DESC")
	if status != "" {
		query = query.Where("status = ?", string(status))
	}
	var rows []sessionRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, d.fail(err, "list the sessions")
	}
	list := make([]planning.Summary, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.summary(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ThreadSession finds the session that a thread belongs to, or fails with
// fault.NotFound.
func (d *DB) ThreadSession(ctx context.Context, thread string) (string, error) {
	var session string
	err := d.reader.WithContext(ctx).Raw("SELECT session FROM threads WHERE id = ?", thread).Row().Scan(&session)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fault.New(fault.NotFound, "There is no such thread.")
	}
	return session, d.fail(err, "look a thread up")
}

type seenRow struct {
	Person  string `gorm:"primaryKey"`
	Session string `gorm:"primaryKey"`
	Version int
}

func (seenRow) TableName() string { return "seen" }

// Seen returns the newest plan version that the person has looked at before, 0
// if none, and notes that they now look at version. Looking at an old version
// again changes nothing.
func (d *DB) Seen(ctx context.Context, person, session string, version int) (int, error) {
	before, err := seen(d.reader.WithContext(ctx), person, session)
	if err != nil {
		return 0, d.fail(err, "look up what was seen")
	}
	if version <= before {
		return before, nil
	}
	return change(ctx, d, "note what was seen", func(tx *gorm.DB) (int, error) {
		before, err := seen(tx, person, session)
		if err != nil || version <= before {
			return before, err
		}
		return before, tx.Save(&seenRow{Person: person, Session: session, Version: version}).Error
	})
}

func seen(g *gorm.DB, person, session string) (int, error) {
	var rows []seenRow
	err := g.Find(&rows, "person = ? AND session = ?", person, session).Error
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Version, nil
}
