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

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	driver "modernc.org/sqlite" // registers itself as "sqlite"

	"countersign/internal/fault"
)

const (
	readers    = 8
	waitPragma = "busy_timeout(5000)" // milliseconds
	slowQuery  = 500 * time.Millisecond
	// walKeep is how much of the WAL file stays on disk after it starts over.
	walKeep = 64 << 20
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
	d := &DB{path: path, log: o.Log, cache: newCache(), queue: make(chan *job, maxBatch), due: make(chan struct{}, 1), now: time.Now}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	if o.OnCommit != nil {
		d.SetOnCommit(o.OnCommit)
	}
	if o.ReadOnly {
		if err := d.connectReaders(ctx); err != nil {
			return nil, errors.Join(err, d.release())
		}
		return d, nil
	}
	if err := prepareFiles(path); err != nil {
		return nil, err
	}
	if d.lock, err = lockFile(path); err != nil {
		return nil, err
	}
	if err := checkWAL(path, o.AcceptLoss); err != nil {
		return nil, errors.Join(err, d.release())
	}
	// What SQLite's own builds do: fsync would write the file's timestamps as
	// well, and twice as long. It fails where there is no fdatasync.
	_, _ = driver.Fdatasync(true)
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
			waitPragma, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "trusted_schema(OFF)",
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
	if err := d.connectReaders(ctx); err != nil {
		return err
	}
	d.hot, err = prepareStatements(ctx, d.writer)
	return d.fail(err, "prepare statements")
}

// connectReaders opens the pool that can't write. It makes no file, and
// refuses a schema that is not this code's.
func (d *DB) connectReaders(ctx context.Context) (err error) {
	if _, err := os.Stat(d.path); err != nil {
		return fault.Wrap(err, fault.NotFound, "There is no database at %s: %s.", d.path, reason(err))
	}
	d.reader, err = d.gorm(readers, url.Values{
		"mode": {"rw"}, "_pragma": {waitPragma, "query_only(ON)", "trusted_schema(OFF)", "cache_size(-4000)"},
	})
	if err != nil {
		return d.unusable(err)
	}
	return d.checkSchema(ctx)
}

// gorm opens a pool of at most n connections.
func (d *DB) gorm(n int, settings url.Values) (*gorm.DB, error) {
	dsn := fileURI(d.path, settings)
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
	fold, err := d.storedFold(ctx)
	if err != nil || fold == foldID {
		return err
	}
	if fold != "" {
		d.log.InfoContext(ctx, "making the read models anew", "fold", foldID, "before", fold)
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
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
	}
	return errors.Join(errs...)
}
