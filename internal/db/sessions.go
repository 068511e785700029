package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	list := make([]planning.Summary, 0, len(rows))
	for _, r := range rows {
		line, err := r.summary()
		if err != nil {
			line, err = d.summaryOfLog(ctx, r, err)
		}
		if err != nil {
			return nil, d.fail(err, "list the sessions")
		}
		line.Damage = d.damageIn(r.ID)
		list = append(list, line)
	}
	return list, nil
}

// summaryOfLog derives a session's line anew, because the one that is kept can't
// be read: one session must not take the list of all others with it. Of a session
// whose log is damaged from its beginning the line has no more than its name.
func (d *DB) summaryOfLog(ctx context.Context, r sessionRow, why error) (planning.Summary, error) {
	d.log.WarnContext(ctx, "a session's line is derived from its log", "session", r.ID, "error", why)
	state, err := d.State(ctx, r.ID)
	if err != nil && d.damageIn(r.ID) != nil {
		return planning.Summary{ID: r.ID, Title: r.ID, Status: planning.Status(r.Status), UpdatedAt: time.UnixMicro(r.UpdatedAt).UTC()}, nil
	}
	return state.Summary(), err
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
