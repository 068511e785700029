package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

type linkRow struct {
	Hash      string  `gorm:"primaryKey"`
	Person    *string // nil for an invitation
	Role      string
	CreatedBy string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	Expires   int64
}

func (linkRow) TableName() string { return "links" }

func newLinkRow(l review.Link) linkRow {
	r := linkRow{Hash: l.Hash, Role: string(l.Role), CreatedBy: l.CreatedBy, CreatedAt: l.CreatedAt.UnixMicro(), Expires: l.Expires.UnixMicro()}
	if l.Person != "" {
		r.Person = &l.Person
	}
	return r
}

func (r linkRow) link() review.Link {
	l := review.Link{
		Hash: r.Hash, Role: review.Role(r.Role), CreatedBy: r.CreatedBy,
		CreatedAt: time.UnixMicro(r.CreatedAt).UTC(), Expires: time.UnixMicro(r.Expires).UTC(),
	}
	if r.Person != nil {
		l.Person = *r.Person
	}
	return l
}

// AddLink keeps a link. It fails with fault.NotFound if it is for a person that
// there isn't, with fault.Invalid if it invites into no role.
func (d *DB) AddLink(ctx context.Context, link review.Link) error {
	if link.Hash == "" || link.Person == "" && !link.Role.Valid() {
		return fault.New(fault.Invalid, "A link is for a person or invites into a role.")
	}
	row := newLinkRow(link)
	_, err := change(ctx, d, "add a link", func(tx *gorm.DB) (none, error) {
		if row.Person != nil {
			if _, err := personByID(tx, *row.Person); err != nil {
				return none{}, err
			}
		}
		return none{}, tx.Create(&row).Error
	})
	return err
}

// Link looks a link up without using it. It fails with fault.NotFound for one
// that is unknown, used or past its end.
func (d *DB) Link(ctx context.Context, hash string) (review.Link, error) {
	l, err := linkByHash(d.reader.WithContext(ctx), hash)
	return l, d.fail(err, "look a link up")
}

func linkByHash(g *gorm.DB, hash string) (review.Link, error) {
	var row linkRow
	err := g.Take(&row, "hash = ? AND expires > ?", hash, time.Now().UnixMicro()).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return review.Link{}, fault.New(fault.NotFound, "This link has been used already, or is too old. Please ask for a new one.")
	}
	return row.link(), err
}

// UseLink spends the link, once, and returns the person it signs in; for an
// invitation it makes that person under name, in the same transaction. A taken
// name is fault.Conflict, an unfit one fault.Invalid; both leave the link
// unspent.
func (d *DB) UseLink(ctx context.Context, hash, name string) (review.Person, error) {
	return change(ctx, d, "use a link", func(tx *gorm.DB) (review.Person, error) {
		link, err := linkByHash(tx, hash)
		if err != nil {
			return review.Person{}, err
		}
		p, err := signedIn(tx, link, name)
		if err != nil {
			return review.Person{}, err
		}
		return p, tx.Delete(&linkRow{Hash: hash}).Error
	})
}

// signedIn returns the person that a link is for; an invited one is made.
func signedIn(tx *gorm.DB, link review.Link, name string) (review.Person, error) {
	if link.Person != "" {
		return personByID(tx, link.Person)
	}
	row, err := newPersonRow(name, link.Role)
	if err != nil {
		return review.Person{}, err
	}
	return row.person(), row.insert(tx)
}
