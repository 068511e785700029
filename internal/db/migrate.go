package db

import (
	"context"
	"embed"
	"io/fs"

	"github.com/pressly/goose/v3"

	"countersign/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks the file as Countersign's; the first migration sets it.
const applicationID = 1131696999

// migrate brings the schema up to date. It refuses a file of another program
// and one that a newer Countersign has written, before it changes anything.
func (d *DB) migrate(ctx context.Context) error {
	if err := d.checkOwner(ctx); err != nil {
		return err
	}
	pool, err := d.writer.DB()
	if err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, pool, files,
		goose.WithDisableGlobalRegistry(true), goose.WithSlog(d.log))
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The database's schema can't be brought up to date.")
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return d.unusable(err)
	}
	if has > knows {
		return fault.New(fault.Conflict,
			"%s was written by a newer Countersign (schema %d, this one knows %d). Start the newer one, or choose another data directory.", d.path, has, knows)
	}
	if _, err := p.Up(ctx); err != nil {
		return d.unusable(err)
	}
	return nil
}

// checkOwner refuses a database that has tables but isn't ours.
func (d *DB) checkOwner(ctx context.Context) error {
	var id, tables int
	g := d.writer.WithContext(ctx)
	if err := g.Raw("PRAGMA application_id").Scan(&id).Error; err != nil {
		return d.unusable(err)
	}
	if err := g.Raw("SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'goose_%' AND name NOT LIKE 'sqlite_%'").Scan(&tables).Error; err != nil {
		return d.unusable(err)
	}
	if tables > 0 && id != applicationID {
		return fault.New(fault.Conflict, "%s is the database of another program. Choose another data directory.", d.path)
	}
	return nil
}
