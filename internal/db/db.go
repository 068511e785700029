// Package db keeps everything that outlives the process, in one SQLite file:
// the sessions' event logs, read models made from them, people and what they
// sign in with.
//
// One goroutine writes. It takes whatever waits and commits it together, so
// that many appends share one flush to disk. Reads go through connections of
// their own and never wait for it.
package db

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/planning"
)

// Options says where the database is and who hears of commits.
type Options struct {
	// Path is the database file. It and its folder are made if they are not
	// there, readable for nobody else.
	Path string
	// Log gets what goes wrong; nil drops it.
	Log *slog.Logger
	// OnCommit hears of every append after it is on disk and before the
	// appender does, for each session in the order of its log. It must be
	// quick, because the next commit waits for it, and must not write to the
	// database itself.
	OnCommit func(planning.State, []planning.Record)
	// ReadOnly opens a database that is there already, also beside a running
	// server, and refuses every change.
	ReadOnly bool
	// AcceptLoss opens a database whose WAL is damaged without the commits
	// that are lost by it; the WAL is kept under another name.
	AcceptLoss bool
}

// DB is the open database. It implements planning.Log and all that the web
// keeps. Its methods may be called from any goroutine. Those that write return
// once the change is on disk; a caller whose context ends earlier gets the
// context's error, and the change may happen all the same, whole.
//
// Disk full, I/O errors and a database that can't be written to are
// fault.Unavailable, as is every call after Close; they go away with their
// cause, without a restart.
type DB struct {
	path string
	log  *slog.Logger
	lock *os.File // nil if it is open for reading only

	writer *gorm.DB // one connection; nil if it is open for reading only
	reader *gorm.DB // a pool that can't write
	hot    *statements

	cache    *cache
	damaged  sync.Map // *planning.Damage by session
	loads    singleflight.Group
	onCommit atomic.Pointer[func(planning.State, []planning.Record)]
	onDamage atomic.Pointer[func(string, planning.Damage)]

	gate   sync.RWMutex // held for reading while a job is put into the queue
	closed atomic.Bool  // set under gate
	queue  chan *job
	grown  atomic.Int64 // roughly how many bytes of WAL were written since the last checkpoint
	due    chan struct{}
	owned  sync.WaitGroup // the goroutines of the database
	now    func() time.Time
	life   context.Context // of those that only read; ends with Close
	end    context.CancelFunc
}

// SetOnCommit replaces Options.OnCommit, for a listener that needs the
// database to be made.
func (d *DB) SetOnCommit(f func(planning.State, []planning.Record)) {
	d.onCommit.Store(&f)
}

// SetOnDamage sets who hears of a session whose log is found damaged, once for
// each while the process runs and after readers see it. It must be quick, and
// must not write to the database.
func (d *DB) SetOnDamage(f func(session string, damage planning.Damage)) {
	d.onDamage.Store(&f)
}

// commitHook returns the listener, or one that does nothing.
func (d *DB) commitHook() func(planning.State, []planning.Record) {
	if f := d.onCommit.Load(); f != nil && *f != nil {
		return *f
	}
	return func(planning.State, []planning.Record) {}
}

// Ping fails when the database does not answer.
func (d *DB) Ping(ctx context.Context) error {
	var version int
	err := d.reader.WithContext(ctx).Raw("SELECT count(*) FROM meta").Scan(&version).Error
	return d.fail(err, "ping the database")
}

// Check looks for damage in the database file. It reads all of it, and fails
// with fault.Invalid if something is wrong.
func (d *DB) Check(ctx context.Context) error {
	var found []string
	if err := d.reader.WithContext(ctx).Raw("PRAGMA quick_check(1)").Scan(&found).Error; err != nil {
		return d.unusable(err)
	}
	if len(found) != 1 || found[0] != "ok" {
		return fault.New(fault.Invalid, "The database %s is damaged (%s). Put a backup in its place, or move it away.", d.path, strings.Join(found, "; "))
	}
	return nil
}

// Close lets the appends that wait finish, refuses new ones, and releases the
// file. A second Close does nothing.
func (d *DB) Close() error {
	d.gate.Lock()
	if d.closed.Swap(true) {
		d.gate.Unlock()
		return nil
	}
	close(d.queue)
	d.end()
	d.gate.Unlock()
	d.owned.Wait()
	return d.release()
}

var errClosed = fault.New(fault.Unavailable, "Countersign is shutting down. Please try again in a moment.")
