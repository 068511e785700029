package db

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	driver "modernc.org/sqlite" // registers itself as "sqlite"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

const (
	readers     = 8
	busyTimeout = 5 * time.Second
	slowQuery   = 500 * time.Millisecond
	// walKeep is how much of the WAL file stays on disk after it starts over.
	walKeep = 16 << 20
)

// Open opens the database and brings its schema up to date. Every reason why
// it can't be used is a fault with one sentence for the person at the command
// line.
func Open(ctx context.Context, o Options) (*DB, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The path of the database, %q, can't be used.", o.Path)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := prepareFiles(path); err != nil {
		return nil, err
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	// What SQLite's own builds do: fsync would write the file's timestamps as
	// well, and twice as long. It fails where there is no fdatasync.
	_, _ = driver.Fdatasync(true)
	d := &DB{path: path, log: o.Log, lock: lock, cache: newCache(), queue: make(chan *job, maxBatch), due: make(chan struct{}, 1)}
	if o.OnCommit != nil {
		d.SetOnCommit(o.OnCommit)
	}
	if err := d.connect(ctx); err != nil {
		return nil, errors.Join(err, d.release())
	}
	d.start()
	if err := d.freshen(ctx); err != nil {
		return nil, errors.Join(d.unusable(err), d.Close())
	}
	return d, nil
}

// connect opens the writer, migrates, and opens the readers.
func (d *DB) connect(ctx context.Context) (err error) {
	d.writer, err = d.gorm(1, url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")",
			"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "trusted_schema(OFF)",
			// Checkpoints are made by a goroutine of their own.
			"wal_autocheckpoint(0)", "journal_size_limit(" + strconv.Itoa(walKeep) + ")",
			"cache_size(-16000)",
		},
	})
	if err != nil {
		return d.unusable(err)
	}
	if err := d.migrate(ctx); err != nil {
		return err
	}
	d.reader, err = d.gorm(readers, url.Values{
		"_pragma": {"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")", "query_only(ON)", "cache_size(-4000)"},
	})
	if err != nil {
		return d.unusable(err)
	}
	d.hot, err = prepareStatements(ctx, d.writer)
	return d.fail(err, "prepare statements")
}

// gorm opens a pool of at most n connections.
func (d *DB) gorm(n int, settings url.Values) (*gorm.DB, error) {
	dsn := "file:" + (&url.URL{Path: d.path}).EscapedPath() + "?" + settings.Encode()
	g, err := gorm.Open(sqlite.Dialector{DriverName: "sqlite", DSN: dsn}, &gorm.Config{
		// Each write is one transaction of the writer already.
		SkipDefaultTransaction: true,
		Logger: logger.NewSlogLogger(d.log, logger.Config{
			LogLevel: logger.Warn, SlowThreshold: slowQuery,
			ParameterizedQueries: true, IgnoreRecordNotFoundError: true,
		}),
	})
	if err != nil {
		return nil, err
	}
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return g, nil
}

// freshen throws away what has expired, and makes the read models anew if they
// come from another version of the fold.
func (d *DB) freshen(ctx context.Context) error {
	if err := d.sweep(ctx, time.Now()); err != nil {
		return err
	}
	current, err := d.foldIsCurrent(ctx)
	if err != nil || current {
		return err
	}
	broken, err := d.rebuild(ctx)
	if broken != nil {
		d.log.ErrorContext(ctx, "some sessions can't be read", "error", broken)
	}
	return err
}

// release closes whatever is open, the readers first, so that the writer's
// connection is the last and folds the WAL into the database.
func (d *DB) release() error {
	var errs []error
	if d.hot != nil {
		errs = append(errs, d.hot.close())
	}
	for _, g := range []*gorm.DB{d.reader, d.writer} {
		if g == nil {
			continue
		}
		pool, err := g.DB()
		if err == nil {
			err = pool.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, d.lock.Close())...)
}

// prepareFiles makes the folder and the file, private to this user.
func prepareFiles(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(err, fault.Invalid, "The data directory %s can't be made: %s.", dir, reason(err))
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Invalid, "%s is in the way: the database must be a file there. Move it, or choose another data directory.", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "Countersign can't write to %s: %s.", path, reason(err))
	}
	return f.Close()
}

// lockFile keeps a second process away from the database. The lock goes with
// the process, however it ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "Countersign can't write to the data directory %s: %s.", filepath.Dir(path), reason(err))
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, errors.Join(fault.New(fault.Unavailable, "Another Countersign already uses the data directory %s.", filepath.Dir(path)), f.Close())
	case err != nil:
		return nil, errors.Join(fault.Wrap(err, fault.Invalid, "The data directory %s can't be locked: %s.", filepath.Dir(path), reason(err)), f.Close())
	}
	return f, nil
}

// reason is the short cause of an error of the file system: "permission
// denied", without the path that the sentence around it names.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// commitHook returns the listener, or one that does nothing.
func (d *DB) commitHook() func(planning.State, []planning.Record) {
	if f := d.onCommit.Load(); f != nil && *f != nil {
		return *f
	}
	return func(planning.State, []planning.Record) {}
}
