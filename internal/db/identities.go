package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

type identityRow struct {
	Issuer    string `gorm:"primaryKey"`
	Subject   string `gorm:"primaryKey"`
	Person    string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (identityRow) TableName() string { return "identities" }

// Identify returns the person that somebody at an issuer is. Who comes for the
// first time becomes a person through the invitation with this hash, else
// through an open one for their verified e-mail address, else with this role if
// it is one. It fails with fault.NotFound for who is not let in, and for who
// was removed and has no new invitation.
func (d *DB) Identify(ctx context.Context, who review.Identity, invitation string, role review.Role) (review.Person, error) {
	return change(ctx, d, "sign in with an issuer", func(tx *gorm.DB) (review.Person, error) {
		known, err := identified(tx, who)
		if err != nil || known.ID != "" && known.RemovedAt == nil {
			return known.person(), err
		}
		link, err := invited(tx, who, invitation)
		switch {
		case err == nil:
			role = link.Role
		case !fault.Is(err, fault.NotFound) || invitation != "":
			return review.Person{}, err
		case known.ID != "" || !role.Valid():
			return review.Person{}, fault.New(fault.NotFound, "nobody here")
		}
		p, err := admit(ctx, tx, known, who, role, link)
		if err != nil || link.Hash == "" {
			return p, err
		}
		return p, spend(tx, link.Hash)
	})
}

// identified is the person that an identity is of, also one who was removed;
// without an id if there is none.
func identified(tx *gorm.DB, who review.Identity) (personRow, error) {
	var row personRow
	err := tx.Joins("JOIN identities i ON i.person = people.id AND i.issuer = ? AND i.subject = ?", who.Issuer, who.Subject).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return personRow{}, nil
	}
	return row, err
}

// invited finds the invitation that somebody came with, or one for their
// address.
func invited(tx *gorm.DB, who review.Identity, hash string) (review.Link, error) {
	if hash != "" {
		link, err := linkByHash(tx, hash)
		if err == nil && link.Person != "" {
			err = fault.New(fault.NotFound, "This link is no invitation.")
		}
		return link, err
	}
	if who.Email == "" {
		return review.Link{}, fault.New(fault.NotFound, "no address")
	}
	var row linkRow
	err := tx.Order("expires DESC").Take(&row, "person IS NULL AND email = ? AND ended = '' AND expires > ?", emailKey(who.Email), time.Now().UnixMicro()).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return review.Link{}, fault.New(fault.NotFound, "not invited")
	}
	return row.link(), err
}

// admit makes a person for an identity, or lets one who was removed come back.
func admit(ctx context.Context, tx *gorm.DB, known personRow, who review.Identity, role review.Role, link review.Link) (review.Person, error) {
	if known.ID != "" {
		return readmitted(ctx, tx, known, role, link.CreatedBy)
	}
	row, err := newPersonRow(who.Name, role)
	if err != nil {
		if row, err = newPersonRow("Somebody new", role); err != nil {
			return review.Person{}, err
		}
	}
	if row.Name, err = freeName(tx, row.Name); err != nil {
		return review.Person{}, err
	}
	row.NameKey = nameKey(row.Name)
	if err := row.insert(tx); err != nil {
		return review.Person{}, err
	}
	if err := tx.Create(&identityRow{Issuer: who.Issuer, Subject: who.Subject, Person: row.ID, CreatedAt: row.CreatedAt}).Error; err != nil {
		return review.Person{}, err
	}
	return row.person(), joined(ctx, tx, row, link)
}

// freeName is the name or, if it is taken, the name with a number behind it:
// nobody is there to ask for another.
func freeName(tx *gorm.DB, name string) (string, error) {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			suffix := fmt.Sprintf(" %d", n)
			runes := []rune(name)
			try = strings.TrimSpace(string(runes[:min(len(runes), maxName-len(suffix))])) + suffix
		}
		try = norm.NFC.String(try)
		var taken int64
		err := tx.Model(&personRow{}).Where("name_key = ?", nameKey(try)).Count(&taken).Error
		if err != nil || taken == 0 {
			return try, err
		}
	}
}

// Connect makes an identity one of a person's own. It fails with fault.Conflict
// if it is another person's, and with fault.NotFound for an unknown person.
func (d *DB) Connect(ctx context.Context, who review.Identity, person string) error {
	_, err := change(ctx, d, "connect an identity", func(tx *gorm.DB) (none, error) {
		if _, err := personByID(tx, person); err != nil {
			return none{}, err
		}
		known, err := identified(tx, who)
		switch {
		case err != nil || known.ID == person:
			return none{}, err
		case known.ID != "":
			return none{}, fault.New(fault.Conflict, "This account is the one of %s already, so it can't be yours too.", known.Name)
		}
		if err := tx.Create(&identityRow{Issuer: who.Issuer, Subject: who.Subject, Person: person, CreatedAt: time.Now().UnixMicro()}).Error; err != nil {
			return none{}, err
		}
		return none{}, did(ctx, tx, review.Deed{Kind: review.DeedConnected, Person: person, By: person, Detail: who.Issuer})
	})
	return err
}

// Connected tells whether a person can sign in at this issuer.
func (d *DB) Connected(ctx context.Context, person, issuer string) (bool, error) {
	var n int64
	err := d.reader.WithContext(ctx).Model(&identityRow{}).Where("person = ? AND issuer = ?", person, issuer).Count(&n).Error
	return n > 0, d.fail(err, "look an identity up")
}
