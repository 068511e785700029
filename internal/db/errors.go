package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"countersign/internal/fault"
)

// code returns SQLite's primary result code, or 0 for an error that isn't
// SQLite's. gorm's own translation does not know this driver.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// passing tells whether the error lies with the machine and not with what was
// to be written: it would have hit any other write as well. A damaged place in
// the file is not that: others write elsewhere.
func passing(err error) bool {
	switch code(err) {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM,
		lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_NOMEM, lib.SQLITE_PROTOCOL, lib.SQLITE_INTERRUPT,
		lib.SQLITE_MISUSE:
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, gorm.ErrInvalidTransaction)
}

// fail turns an error into what callers may see: faults and the ends of
// contexts stay as they are; what works again later without a change is
// fault.Unavailable; anything else is an internal error that says what was
// being done.
func (d *DB) fail(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch code(err) {
	case lib.SQLITE_FULL:
		return fault.Wrap(err, fault.Unavailable, "Nothing was saved, because the server's disk is full. Please try again when there is room.")
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return fault.Wrap(err, fault.Unavailable, "Nothing was saved, because the server can't write to its database just now.")
	case lib.SQLITE_IOERR, lib.SQLITE_NOMEM, lib.SQLITE_PROTOCOL:
		return fault.Wrap(err, fault.Unavailable, "The server's disk does not answer as it should. Please try again later.")
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_INTERRUPT:
		return fault.Wrap(err, fault.Unavailable, "The database is busy. Please try again.")
	}
	if corrupt(err) {
		return fault.Wrap(err, fault.Unavailable, "This can't be read or saved, because the database is damaged at that place. “countersign verify” says what is affected, “countersign restore” puts a backup in its place.")
	}
	if d.closed.Load() {
		return errClosed
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// unusable says why the database can't be opened.
func (d *DB) unusable(err error) error {
	if _, ok := fault.As(err); ok {
		return err
	}
	switch code(err) {
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		return fault.Wrap(err, fault.Invalid, "%s is not a database, or it is damaged. Move it away, or choose another data directory.", d.path)
	case lib.SQLITE_FULL:
		return fault.Wrap(err, fault.Unavailable, "The disk that %s is on is full.", d.path)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return fault.Wrap(err, fault.Invalid, "Countersign can't write to %s or to the folder around it.", d.path)
	}
	return fault.Wrap(err, fault.Unavailable, "The database %s can't be opened.", d.path)
}
