package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

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
// It reads no log, so it knows of damage only what has been found so far.
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
		list[i].Damage = d.damageIn(r.ID)
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
