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

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"countersign/internal/fault"
)

// BackupOptions says how careful a backup or a restore is to be.
type BackupOptions struct {
	// Overwrite lets a backup take the place of a file that is there.
	Overwrite bool
	// Damaged lets it go on although the copy has something wrong with it.
	Damaged bool
	// Found hears of each thing that is wrong with the copy; nil drops it.
	Found func(Finding)
}

// Backup writes the database, as it is at one moment, into one file that is
// readable for nobody else, also beside a running server. The file is complete
// and on disk, or not there at all. It fails with fault.Conflict if there is
// one already, and with fault.Invalid if the copy does not pass the check.
func (d *DB) Backup(ctx context.Context, file string, o BackupOptions) (Checked, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return Checked{}, fault.Wrap(err, fault.Invalid, "The path %q can't be used.", file)
	}
	if err := placeFor(file, d.path, o.Overwrite); err != nil {
		return Checked{}, err
	}
	pool, err := d.reader.DB()
	if err != nil {
		return Checked{}, err
	}
	part, err := newPart(file)
	if err != nil {
		return Checked{}, err
	}
	defer removeDatabase(part)
	if err := copyDatabase(ctx, pool, part); err != nil {
		return Checked{}, d.fail(err, "back up")
	}
	n, err := checkCopy(ctx, part, o)
	if err != nil {
		return n, err
	}
	if err := put(part, file, o.Overwrite); err != nil {
		return n, fault.Wrap(err, fault.Unavailable, "The backup can't be written to %s: %s.", file, reason(err))
	}
	return n, nil
}

// placeFor refuses a place where something is that is to stay.
func placeFor(file, database string, overwrite bool) error {
	info, err := os.Lstat(file)
	switch {
	case err == nil && info.IsDir():
		return fault.New(fault.Conflict, "%s is a folder. Name a file.", file)
	case err == nil && !overwrite:
		return fault.New(fault.Conflict, "%s is there already. Choose another name, or say --overwrite.", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.Invalid, "The backup can't be written to %s: %s.", file, reason(err))
	}
	there, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The backup can't be written to %s: %s.", file, reason(err))
	}
	if here, err := os.Stat(filepath.Dir(database)); err == nil && os.SameFile(here, there) {
		return fault.New(fault.Invalid, "The folder of the database is no place for its backup. Choose another.")
	}
	return nil
}

// newPart makes the file beside its later name that a copy is written into.
func newPart(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".part-*") // readable for this user only
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "Countersign can't write to %s: %s.", filepath.Dir(file), reason(err))
	}
	return f.Name(), f.Close()
}

// copyDatabase copies page by page, in one reading transaction, so that what
// refers to rows by their rowids still does. The copy is one file without a WAL.
func copyDatabase(ctx context.Context, from *sql.DB, to string) error {
	conn, err := from.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		b, err := c.(interface {
			NewBackup(string) (*driver.Backup, error)
		}).NewBackup(fileURI(to, nil))
		if err != nil {
			return err
		}
		return errors.Join(copyAll(ctx, b), b.Finish())
	})
	if err != nil {
		return err
	}
	copied, err := sql.Open("sqlite", fileURI(to, nil))
	if err != nil {
		return err
	}
	_, err = copied.ExecContext(ctx, "PRAGMA journal_mode = DELETE")
	return errors.Join(err, copied.Close(), syncFile(to))
}

// copyAll takes all pages at once. The step does not wait for a lock by itself.
func copyAll(ctx context.Context, b *driver.Backup) error {
	for {
		_, err := b.Step(-1)
		if c := code(err); c != lib.SQLITE_BUSY && c != lib.SQLITE_LOCKED {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// checkCopy refuses a copy that has something wrong with it.
func checkCopy(ctx context.Context, path string, o BackupOptions) (Checked, error) {
	d, err := Open(ctx, Options{Path: path, Log: slog.New(slog.DiscardHandler), ReadOnly: true})
	if err != nil {
		return Checked{}, err
	}
	wrong := 0
	n, err := d.Verify(ctx, func(f Finding) {
		if wrong++; o.Found != nil {
			o.Found(f)
		}
	})
	if err := errors.Join(err, d.Close()); err != nil {
		return n, err
	}
	if wrong > 0 && !o.Damaged {
		return n, fault.New(fault.Invalid, "The copy is damaged in %d places, so nothing was put in place. Say --damaged to have it all the same.", wrong)
	}
	return n, nil
}

// put gives a finished copy its name, and sees to it that the name is on disk.
func put(part, file string, overwrite bool) error {
	if err := syncFile(part); err != nil {
		return err
	}
	if overwrite {
		if err := os.Rename(part, file); err != nil {
			return err
		}
		return syncFile(filepath.Dir(file))
	}
	// A link does not take the place of what came there meanwhile.
	err := os.Link(part, file)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a disk without links
		if _, missing := os.Lstat(file); errors.Is(missing, fs.ErrNotExist) {
			err = os.Rename(part, file)
		}
	}
	return errors.Join(err, syncFile(filepath.Dir(file)))
}

// syncFile waits until a file, or the names in a folder, are on disk.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(syncOpen(f), f.Close())
}

// removeDatabase removes a database that nobody uses, with what SQLite and we
// keep beside one.
func removeDatabase(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		_ = os.Remove(path + suffix)
	}
}

// fileURI names a database file for the driver.
func fileURI(path string, settings url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + settings.Encode()
}
