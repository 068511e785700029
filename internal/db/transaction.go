package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// hot names the statements of an append, which are prepared once.
type hot int

const (
	insertSession hot = iota
	moveSession
	insertEvent
	insertThread
	putSnapshot
	hotCount
)

var hotSQL = [hotCount]string{
	insertSession: `INSERT INTO sessions (seq, status, updated_at, summary, id) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
	moveSession:   `UPDATE sessions SET seq = ?, status = ?, updated_at = ?, summary = ? WHERE id = ? AND seq = ?`,
	insertEvent: `INSERT INTO events (session, seq, kind, version, at, actor_kind, actor_id, actor_name, data, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	insertThread: `INSERT INTO threads (id, session) VALUES (?, ?)`,
	putSnapshot: `INSERT INTO snapshots (session, seq, fold, state, head, sum) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, fold = excluded.fold, state = excluded.state, head = excluded.head, sum = excluded.sum`,
}

// statements are the hot statements, prepared on the writer's pool.
type statements [hotCount]*sql.Stmt

func prepareStatements(ctx context.Context, g *gorm.DB) (*statements, error) {
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	s := new(statements)
	for i, text := range hotSQL {
		if s[i], err = pool.PrepareContext(ctx, text); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *statements) close() error {
	var errs []error
	for _, stmt := range s {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	return errors.Join(errs...)
}

// transaction is gorm's, with the hot statements bound to it on first use:
// through gorm's builder they would cost as much again as SQLite itself.
type transaction struct {
	*gorm.DB
	sql   *sql.Tx
	hot   *statements
	bound statements
}

// begin starts a transaction that no caller's context can end.
func (d *DB) begin() (*transaction, error) {
	tx := d.writer.Begin()
	if tx.Error != nil {
		return nil, tx.Error
	}
	raw, ok := tx.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return nil, fmt.Errorf("a transaction of type %T", tx.Statement.ConnPool)
	}
	return &transaction{DB: tx, sql: raw, hot: d.hot}, nil
}

// exec runs a hot statement and returns how many rows it changed.
func (t *transaction) exec(h hot, args ...any) (int64, error) {
	if t.bound[h] == nil {
		t.bound[h] = t.sql.Stmt(t.hot[h])
	}
	result, err := t.bound[h].Exec(args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
