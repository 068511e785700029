package db

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"countersign/internal/fault"
)

// Restore puts a backup in the place of the database at path, which no server
// may use meanwhile. The backup is copied, brought up to date and checked
// first. It returns the name that the database from before has now, "" if
// there was none.
func Restore(ctx context.Context, path, file string, o BackupOptions) (before string, n Checked, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", n, fault.Wrap(err, fault.Invalid, "The data directory %s can't be made: %s.", filepath.Dir(path), reason(err))
	}
	lock, err := lockFile(path)
	if err != nil {
		return "", n, err
	}
	defer lock.Close()
	part, err := newPart(path)
	if err != nil {
		return "", n, err
	}
	defer removeDatabase(part)
	if err := fetch(ctx, file, part); err != nil {
		return "", n, err
	}
	if n, err = checkCopy(ctx, part, o); err != nil {
		return "", n, err
	}
	before, err = setAside(ctx, path)
	if err == nil {
		err = put(part, path, true)
	}
	if err != nil {
		return before, n, fault.Wrap(err, fault.Unavailable, "The backup can't be put in place: %s.", reason(err))
	}
	return before, n, nil
}

// fetch copies a backup and brings the copy up to date.
func fetch(ctx context.Context, file, part string) error {
	if _, err := os.Stat(file); err != nil {
		return fault.Wrap(err, fault.NotFound, "There is no backup at %s: %s.", file, reason(err))
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The path %q can't be used.", file)
	}
	from, err := sql.Open("sqlite", fileURI(abs, url.Values{"mode": {"ro"}, "_pragma": {"trusted_schema(OFF)"}}))
	if err != nil {
		return err
	}
	defer from.Close()
	if err := ours(ctx, from, file); err != nil {
		return err
	}
	if err := copyDatabase(ctx, from, part); err != nil {
		return fault.Wrap(err, fault.Invalid, "%s can't be read to its end.", file)
	}
	d, err := Open(ctx, Options{Path: part, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	return d.Close() // what the WAL holds is in the file now
}

// ours refuses a file of another program, and one of a newer Countersign.
func ours(ctx context.Context, from *sql.DB, file string) error {
	var id int
	var has int64
	err := from.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil && id == applicationID {
		err = from.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&has)
	}
	if err != nil || id != applicationID {
		return fault.Wrap(err, fault.Invalid, "%s is not a backup of Countersign, or it is damaged from its first page.", file)
	}
	p, err := newMigrator(from, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if knows := newest(p); has > knows {
		return (&DB{path: file}).tooNew(has, knows)
	}
	return nil
}

// setAside gives the database that is there a second name, with its WAL, and
// returns it. The first name stays: there is a database at any moment.
func setAside(ctx context.Context, path string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	// What is in the WAL goes into the file, if it still can.
	if old, err := sql.Open("sqlite", fileURI(path, nil)); err == nil {
		_, _ = old.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = old.Close()
	}
	before := path + ".before-" + time.Now().UTC().Format("20060102T150405.000")
	if err := os.Link(path, before); err != nil {
		if err := os.Rename(path, before); err != nil { // a disk without links
			return "", err
		}
	}
	// Beside another database the WAL would be taken for its own.
	for _, suffix := range []string{"-wal", "-journal"} {
		if err := os.Rename(path+suffix, before+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return before, err
		}
	}
	if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return before, err
	}
	return before, nil
}
