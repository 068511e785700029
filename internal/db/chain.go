package db

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	lib "modernc.org/sqlite/lib"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// next applies the record that follows in the log. It fails with
// *planning.Damage, and stays as it is, if that is not what was written there.
func (e *entry) next(r planning.Record) error {
	if damage := r.Follows(e.state.Seq, e.sum); damage != nil {
		return damage
	}
	s, err := e.state.Apply(r)
	if err != nil {
		return err
	}
	e.state, e.sum, e.tail = s, r.Sum, e.tail+len(r.Data)
	return nil
}

// damageOf finds the damage in an error that came while the record after seq
// was to be read, nil if the error says nothing about the log.
func damageOf(err error, seq int64) *planning.Damage {
	var damage *planning.Damage
	if errors.As(err, &damage) {
		return damage
	}
	if corrupt(err) || errors.Is(err, errOdd) {
		return &planning.Damage{Seq: seq + 1, Flaw: planning.FlawUnreadable}
	}
	return nil
}

// corrupt tells whether SQLite met something in the file that it did not write.
func corrupt(err error) bool {
	c := code(err)
	return c == lib.SQLITE_CORRUPT || c == lib.SQLITE_NOTADB
}

// mark notes that a session is damaged, and tells it once. It stays so until the
// process ends, because a backup is put in its place without it.
func (d *DB) mark(ctx context.Context, session string, damage *planning.Damage) {
	if _, known := d.damaged.LoadOrStore(session, damage); known {
		return
	}
	d.cache.drop(session)
	d.log.ErrorContext(ctx, "a session's record is damaged; it is read-only from now on", "session", session, "what", damage.Error())
	if f := d.onDamage.Load(); f != nil {
		(*f)(session, *damage)
	}
}

// damageIn is what is known to be wrong with a session's log, nil for nothing.
func (d *DB) damageIn(session string) *planning.Damage {
	damage, _ := d.damaged.Load(session)
	known, _ := damage.(*planning.Damage)
	return known
}

// marked returns the entry with what is known to be wrong with its log.
func (d *DB) marked(session string, e entry) entry {
	e.state.Damage = d.damageIn(session)
	return e
}

// unshowable is what reading a session fails with of which nothing is left
// that can be trusted.
func unshowable(damage *planning.Damage) error {
	return fault.Wrap(damage, fault.Unavailable, "The record of this session is damaged: %s. Nothing of it can be shown. Other sessions go on. “countersign verify” lists all that is damaged; what was there before is in a backup, if there is one.", damage.Part())
}

// height returns the seq that a session's log should end with, 0 if there is
// no such session. The row is written with every append.
func height(g *gorm.DB, session string) (int64, error) {
	var seq int64
	err := g.Raw("SELECT coalesce(max(seq), 0) FROM sessions WHERE id = ?", session).Scan(&seq).Error
	return seq, err
}

// walk checks the chain of a whole log. It returns how many records are sound
// and what is wrong with the one after them; an error says nothing about the log.
func walk(ctx context.Context, g *gorm.DB, session string) (seq int64, damage *planning.Damage, err error) {
	g = g.WithContext(ctx)
	want, err := height(g, session)
	if err != nil {
		return 0, nil, err
	}
	var sum planning.Sum
	err = eachPage(g, session, 0, func(r planning.Record) error {
		if damage := r.Follows(seq, sum); damage != nil {
			return damage
		}
		seq, sum = r.Seq, r.Sum
		return nil
	})
	if damage := damageOf(err, seq); damage != nil {
		return seq, damage, nil
	}
	if err != nil {
		return seq, nil, err
	}
	if seq < want {
		return seq, &planning.Damage{Seq: seq + 1, Flaw: planning.FlawMissing}, nil
	}
	return seq, nil, nil
}

// Patrol checks every session once, beside everything else, from after on or not
// at all if the database is closed before: opening a session reads the end of its
// log only, and reading all of all logs would keep a server that starts from
// answering.
func (d *DB) Patrol(after time.Duration) {
	d.owned.Go(func() {
		select {
		case <-time.After(after):
			d.patrol()
		case <-d.life.Done():
		}
	})
}

func (d *DB) patrol() {
	ctx := d.life
	g := d.reader.Session(&gorm.Session{Context: ctx, Logger: logger.Discard}) // it is cut off by the end of the server
	var sessions []string
	err := g.Raw("SELECT id FROM sessions ORDER BY updated_at DESC").Scan(&sessions).Error
	for _, session := range sessions {
		if err != nil {
			break
		}
		var damage *planning.Damage
		if _, damage, err = walk(ctx, g, session); damage != nil {
			d.mark(ctx, session, damage)
		}
	}
	if err != nil && ctx.Err() == nil {
		d.log.WarnContext(ctx, "the records could not be checked", "error", err)
	}
}

// sealed is the SHA-256 that a snapshot is stored with.
func sealed(head planning.Sum, state []byte) []byte {
	h := sha256.New()
	h.Write(head[:])
	h.Write(state)
	return h.Sum(nil)
}
