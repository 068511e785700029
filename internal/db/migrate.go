package db

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"

	"countersign/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks the file as Countersign's; the first migration sets it.
const applicationID = 1131696999

// migrate brings the schema up to date. It refuses a file of another program
// and one that a newer Countersign has written, before it changes anything.
func (d *DB) migrate(ctx context.Context) error {
	if err := checkOwner(ctx, d.writer, d.path); err != nil {
		return d.unusable(err)
	}
	p, err := d.migrator(d.writer)
	if err != nil {
		return err
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return d.unusable(err)
	}
	if has > knows {
		return d.tooNew(has, knows)
	}
	if _, err := p.Up(ctx); err != nil {
		return d.unusable(err)
	}
	return nil
}

func (d *DB) migrator(g *gorm.DB) (*goose.Provider, error) {
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	return newMigrator(pool, d.log)
}

func newMigrator(pool *sql.DB, log *slog.Logger) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, pool, files,
		goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(chainMigration), goose.WithSlog(log))
}

// checkSchema refuses, without changing anything, any schema but this code's.
func (d *DB) checkSchema(ctx context.Context) error {
	if err := checkOwner(ctx, d.reader, d.path); err != nil {
		return d.unusable(err)
	}
	p, err := d.migrator(d.reader)
	if err != nil {
		return err
	}
	knows := newest(p)
	var has int64
	if err := d.reader.WithContext(ctx).Raw("SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&has).Error; err != nil {
		return d.unusable(err)
	}
	switch {
	case has > knows:
		return d.tooNew(has, knows)
	case has < knows:
		return fault.New(fault.Conflict, "%s was written by an older Countersign. Start the server once, so that it brings it up to date.", d.path)
	}
	return nil
}

// newest is the schema that this code knows.
func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

func (d *DB) tooNew(has, knows int64) error {
	return fault.New(fault.Conflict,
		"%s was written by a newer Countersign (schema %d, this one knows %d). Start the newer one, or choose another data directory.", d.path, has, knows)
}

// checkOwner refuses a database that has tables but isn't ours.
func checkOwner(ctx context.Context, g *gorm.DB, path string) error {
	var id, tables int
	g = g.WithContext(ctx)
	if err := g.Raw("PRAGMA application_id").Scan(&id).Error; err != nil {
		return err
	}
	if err := g.Raw("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'goose_%' AND name NOT LIKE 'sqlite_%'").Scan(&tables).Error; err != nil {
		return err
	}
	if tables > 0 && id != applicationID {
		return fault.New(fault.Conflict, "%s is the database of another program. Choose another data directory.", path)
	}
	return nil
}
