package db

import (
	"cmp"
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

type deedRow struct {
	ID         int64 `gorm:"primaryKey"`
	At         int64
	Deed       string
	Actor      string
	ActorName  string
	Person     string
	PersonName string
	Detail     string
	More       string
}

func (deedRow) TableName() string { return "deeds" }

func (r deedRow) deed() review.Deed {
	return review.Deed{
		ID: r.ID, At: stamp(r.At), Kind: review.DeedKind(r.Deed), By: r.Actor, ByName: r.ActorName,
		Person: r.Person, Name: r.PersonName, Detail: r.Detail, More: r.More,
	}
}

// did adds to the record, in the transaction of what it is about. Who did it is
// whoever asks, or else d.By.
func did(ctx context.Context, tx *gorm.DB, d review.Deed) error {
	if by := review.Asking(ctx); by.ID != "" {
		d.By, d.ByName = by.ID, by.Name
	}
	var err error
	if d.Name, err = nameOf(tx, d.Name, d.Person); err != nil {
		return err
	}
	if d.ByName, err = nameOf(tx, d.ByName, d.By); err != nil {
		return err
	}
	return tx.Create(&deedRow{
		At: time.Now().UnixMicro(), Deed: string(d.Kind), Actor: d.By, ActorName: d.ByName,
		Person: d.Person, PersonName: d.Name, Detail: d.Detail, More: d.More,
	}).Error
}

// nameOf is a name or, if it is empty, that of a person, also of one who was
// removed.
func nameOf(tx *gorm.DB, name, id string) (string, error) {
	if name != "" || id == "" {
		return name, nil
	}
	var names []string
	err := tx.Model(&personRow{}).Where("id = ?", id).Pluck("name", &names).Error
	if err != nil || len(names) == 0 {
		return "", err
	}
	return names[0], nil
}

// Deeds returns up to limit lines of the record, the newest first, from before
// one, or from the end if before is 0.
func (d *DB) Deeds(ctx context.Context, before int64, limit int) ([]review.Deed, error) {
	g := d.reader.WithContext(ctx).Order("id DESC").Limit(limit)
	if before > 0 {
		g = g.Where("id < ?", before)
	}
	var rows []deedRow
	err := g.Find(&rows).Error
	list := make([]review.Deed, len(rows))
	for i, r := range rows {
		list[i] = r.deed()
	}
	return list, d.fail(err, "read the record of accounts")
}

// Removed lists who was removed, the last one first.
func (d *DB) Removed(ctx context.Context) ([]review.Person, error) {
	var rows []personRow
	err := d.reader.WithContext(ctx).Order("removed_at DESC, id").Find(&rows, "removed_at IS NOT NULL").Error
	list := make([]review.Person, len(rows))
	for i, r := range rows {
		list[i] = r.person()
	}
	return list, d.fail(err, "list who was removed")
}

// Readmit lets somebody in again who was removed, as the same person. They have
// to sign in anew. It fails with fault.NotFound for who is not removed, and
// with fault.Invalid on field "role" for what is no role.
func (d *DB) Readmit(ctx context.Context, id string, role review.Role) (review.Person, error) {
	if !role.Valid() {
		return review.Person{}, fault.New(fault.Invalid, "There is no role %q.", role).At("role")
	}
	return change(ctx, d, "let a person in again", func(tx *gorm.DB) (review.Person, error) {
		var rows []personRow
		if err := tx.Find(&rows, "id = ? AND removed_at IS NOT NULL", id).Error; err != nil {
			return review.Person{}, err
		}
		if len(rows) == 0 {
			return review.Person{}, fault.New(fault.NotFound, "Nobody like this was removed.")
		}
		return readmitted(ctx, tx, rows[0], role, "")
	})
}

// readmitted makes somebody who was removed a person again.
func readmitted(ctx context.Context, tx *gorm.DB, row personRow, role review.Role, inviter string) (review.Person, error) {
	row.Role, row.RemovedAt = string(role), nil
	if err := tx.Model(&personRow{}).Where("id = ?", row.ID).Updates(map[string]any{"role": row.Role, "removed_at": nil}).Error; err != nil {
		return review.Person{}, err
	}
	return row.person(), did(ctx, tx, review.Deed{Kind: review.DeedReadmitted, Person: row.ID, By: cmp.Or(inviter, row.ID), Detail: string(role)})
}
