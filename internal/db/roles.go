package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// SetRole gives a person another role. It fails with fault.NotFound for who is
// not here, with fault.Invalid on field "role" for what is no role, and with
// fault.Conflict if nobody would be left as owner. The open invitations of who
// ceases to be owner are withdrawn, or they would still let people in.
func (d *DB) SetRole(ctx context.Context, id string, role review.Role) (review.Person, error) {
	if !role.Valid() {
		return review.Person{}, fault.New(fault.Invalid, "There is no role %q.", role).At("role")
	}
	return change(ctx, d, "change a role", func(tx *gorm.DB) (review.Person, error) {
		p, err := personByID(tx, id)
		if err != nil || p.Role == role {
			return p, err
		}
		if p.Role == review.RoleOwner {
			if err := lastOwner(tx, p); err != nil {
				return p, err
			}
			if err := withdrawAll(ctx, tx, "created_by = ?", id); err != nil {
				return p, err
			}
		}
		before := p.Role
		p.Role = role
		if err := tx.Model(&personRow{}).Where("id = ?", id).Update("role", string(role)).Error; err != nil {
			return p, err
		}
		return p, did(ctx, tx, review.Deed{Kind: review.DeedRole, Person: id, Detail: string(role), More: string(before)})
	})
}

// RemovePerson takes everything away that a person could sign in with and
// withdraws the links that they made or that are for them. Their name stays
// taken. It returns the hashes of the sign-ins and tokens that ended, and fails
// like SetRole.
func (d *DB) RemovePerson(ctx context.Context, id string) ([]string, error) {
	return change(ctx, d, "remove a person", func(tx *gorm.DB) ([]string, error) {
		p, err := personByID(tx, id)
		if err != nil {
			return nil, err
		}
		if p.Role == review.RoleOwner {
			if err := lastOwner(tx, p); err != nil {
				return nil, err
			}
		}
		var ended, tokens []string
		now := time.Now().UnixMicro()
		for _, err := range []error{
			tx.Model(&signInRow{}).Where("person = ?", id).Pluck("hash", &ended).Error,
			tx.Model(&tokenRow{}).Where("person = ?", id).Pluck("hash", &tokens).Error,
			tx.Delete(&signInRow{}, "person = ?", id).Error,
			tx.Delete(&tokenRow{}, "person = ?", id).Error,
			withdrawAll(ctx, tx, "created_by = ? OR person = ?", id, id),
			tx.Model(&personRow{}).Where("id = ?", id).Update("removed_at", now).Error,
			did(ctx, tx, review.Deed{Kind: review.DeedRemoved, Person: id}),
		} {
			if err != nil {
				return nil, err
			}
		}
		return append(ended, tokens...), nil
	})
}

// lastOwner refuses to lose the only owner.
func lastOwner(tx *gorm.DB, p review.Person) error {
	var others int64
	err := tx.Model(&personRow{}).Where("role = ? AND removed_at IS NULL AND id <> ?", string(review.RoleOwner), p.ID).Count(&others).Error
	if err == nil && others == 0 {
		return fault.New(fault.Conflict, "%s is the only owner. Make somebody else an owner first.", p.Name)
	}
	return err
}
