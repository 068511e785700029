package db

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// keepLinks is how long a link is kept after its end, to say that it has ended.
const keepLinks = 30 * 24 * time.Hour

type linkRow struct {
	Hash      string `gorm:"primaryKey"`
	ID        string
	Person    *string // nil for an invitation
	Role      string
	Email     string
	CreatedBy string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	Expires   int64
	Ended     string
}

// How a link ended before its time.
const (
	endedUsed      = "used"
	endedWithdrawn = "withdrawn"
)

func (linkRow) TableName() string { return "links" }

func newLinkRow(l review.Link) linkRow {
	r := linkRow{
		Hash: l.Hash, ID: l.ID, Role: string(l.Role), Email: emailKey(l.Email),
		CreatedBy: l.CreatedBy, CreatedAt: micros(l.CreatedAt), Expires: micros(l.Expires),
	}
	if l.Person != "" {
		r.Person = &l.Person
	}
	return r
}

// emailKey is an address as it is compared: whatever the standard says of the
// part before the @, no provider tells people apart by its case.
func emailKey(address string) string { return strings.ToLower(strings.TrimSpace(address)) }

func (r linkRow) link() review.Link {
	l := review.Link{
		ID: r.ID, Hash: r.Hash, Role: review.Role(r.Role), Email: r.Email,
		CreatedBy: r.CreatedBy, CreatedAt: stamp(r.CreatedAt), Expires: stamp(r.Expires),
	}
	if r.Person != nil {
		l.Person = *r.Person
	}
	return l
}

// AddLink keeps a link; without an id it gets one. It fails with fault.NotFound
// if it is for a person that there isn't, with fault.Invalid if it invites into
// no role.
func (d *DB) AddLink(ctx context.Context, link review.Link) error {
	if link.Hash == "" || link.Person == "" && !link.Role.Valid() {
		return fault.New(fault.Invalid, "A link is for a person or invites into a role.")
	}
	if link.ID == "" {
		link.ID = uuid.NewString()
	}
	row := newLinkRow(link)
	_, err := change(ctx, d, "add a link", func(tx *gorm.DB) (none, error) {
		if row.Person != nil {
			if _, err := personByID(tx, *row.Person); err != nil {
				return none{}, err
			}
		}
		if err := tx.Create(&row).Error; err != nil {
			return none{}, err
		}
		return none{}, did(ctx, tx, row.made())
	})
	return err
}

// made is what making the link is on the record.
func (r linkRow) made() review.Deed {
	if r.Person != nil {
		return review.Deed{Kind: review.DeedLink, Person: *r.Person, By: r.CreatedBy}
	}
	return review.Deed{Kind: review.DeedInvited, By: r.CreatedBy, Detail: r.Role, More: r.Email}
}

// Link looks a link up without using it. It fails with fault.NotFound, and a
// sentence that says why, for one that is unknown, used, withdrawn or past its
// end.
func (d *DB) Link(ctx context.Context, hash string) (review.Link, error) {
	l, err := linkByHash(d.reader.WithContext(ctx), hash)
	return l, d.fail(err, "look a link up")
}

func linkByHash(g *gorm.DB, hash string) (review.Link, error) {
	var row linkRow
	err := g.Take(&row, "hash = ?", hash).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return review.Link{}, fault.New(fault.NotFound, "This link is not known here. Perhaps it is not whole, or it is very old. Please ask for a new one.")
	case err != nil:
		return review.Link{}, err
	}
	return row.link(), row.over(time.Now())
}

// over says how the link has ended, if it has.
func (r linkRow) over(now time.Time) error {
	invites := r.Person == nil
	switch {
	case r.Ended == endedUsed && invites:
		return fault.New(fault.NotFound, "This invitation has been used already; it works once. Please ask for a new one.")
	case r.Ended == endedUsed:
		return fault.New(fault.NotFound, "This link has been used already; it works once. Please ask for a new one.")
	case r.Ended != "" && invites:
		return fault.New(fault.NotFound, "This invitation has been withdrawn. Please ask for a new one if you should have it.")
	case r.Ended != "":
		return fault.New(fault.NotFound, "This link has been withdrawn. Please ask for a new one if you should have it.")
	case r.Expires > now.UnixMicro():
		return nil
	case invites:
		return fault.New(fault.NotFound, "This invitation has expired. Please ask for a new one.")
	default:
		return fault.New(fault.NotFound, "This link has expired. Please ask for a new one.")
	}
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
		p, err := signedIn(ctx, tx, link, name)
		if err != nil {
			return review.Person{}, err
		}
		return p, spend(tx, hash)
	})
}

func spend(tx *gorm.DB, hash string) error {
	return tx.Model(&linkRow{}).Where("hash = ?", hash).Update("ended", endedUsed).Error
}

// signedIn returns the person that a link is for; an invited one is made.
func signedIn(ctx context.Context, tx *gorm.DB, link review.Link, name string) (review.Person, error) {
	if link.Person != "" {
		return personByID(tx, link.Person)
	}
	row, err := newPersonRow(name, link.Role)
	if err != nil {
		return review.Person{}, err
	}
	if err := row.insert(tx); err != nil {
		return row.person(), err
	}
	return row.person(), joined(ctx, tx, row, link)
}

// joined notes that somebody new has come, with an invitation if link is one.
func joined(ctx context.Context, tx *gorm.DB, row personRow, link review.Link) error {
	inviter, err := nameOf(tx, "", link.CreatedBy)
	if err != nil {
		return err
	}
	return did(ctx, tx, review.Deed{Kind: review.DeedJoined, Person: row.ID, By: row.ID, Detail: row.Role, More: inviter})
}

// Invitations lists those that are open, the newest first.
func (d *DB) Invitations(ctx context.Context) ([]review.Link, error) {
	var rows []linkRow
	err := d.reader.WithContext(ctx).Order("created_at DESC, id DESC").
		Find(&rows, "person IS NULL AND ended = '' AND expires > ?", time.Now().UnixMicro()).Error
	list := make([]review.Link, len(rows))
	for i, r := range rows {
		list[i] = r.link()
	}
	return list, d.fail(err, "list the invitations")
}

// Withdraw ends an invitation. It fails with fault.NotFound for one that there
// isn't, and with fault.Conflict for one that has been used.
func (d *DB) Withdraw(ctx context.Context, id string) error {
	_, err := change(ctx, d, "withdraw an invitation", func(tx *gorm.DB) (none, error) {
		var row linkRow
		err := tx.Take(&row, "id = ? AND person IS NULL", id).Error
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			return none{}, fault.New(fault.NotFound, "There is no such invitation.")
		case err != nil:
			return none{}, err
		case row.Ended == endedUsed:
			return none{}, fault.New(fault.Conflict, "This invitation has been used in the meantime. Remove the person instead.")
		}
		return none{}, withdrawAll(ctx, tx, "id = ?", id)
	})
	return err
}

// withdrawAll ends the open links for which a condition holds, and notes each
// invitation among them.
func withdrawAll(ctx context.Context, tx *gorm.DB, where string, args ...any) error {
	var rows []linkRow
	err := tx.Where("ended = '' AND person IS NULL AND expires > ?", time.Now().UnixMicro()).Where(where, args...).Find(&rows).Error
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := did(ctx, tx, review.Deed{Kind: review.DeedWithdrawn, Detail: r.Role, More: r.Email}); err != nil {
			return err
		}
	}
	return tx.Model(&linkRow{}).Where("ended = ''").Where(where, args...).Update("ended", endedWithdrawn).Error
}
