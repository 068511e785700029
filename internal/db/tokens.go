package db

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// maxTokens bounds what one person can pile up.
const maxTokens = 50

type tokenRow struct {
	Hash      string `gorm:"primaryKey"`
	ID        string
	Person    string
	Server    bool
	Name      string
	Role      string
	Tail      string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	UsedAt    int64
	Expires   int64
}

func (tokenRow) TableName() string { return "tokens" }

func (r tokenRow) owner() string { return r.Person }

func (r tokenRow) token() review.Token {
	return review.Token{
		ID: r.ID, Person: r.Person, Server: r.Server, Name: r.Name, Role: review.Role(r.Role), Tail: r.Tail,
		CreatedAt: stamp(r.CreatedAt), UsedAt: stamp(r.UsedAt), Expires: stamp(r.Expires),
	}
}

// SetServerToken lets the token that the server was started with act as a
// person. There is one such token: an earlier one does not work any more. It
// fails with fault.NotFound for an unknown person.
func (d *DB) SetServerToken(ctx context.Context, hash, person string) error {
	row := tokenRow{Hash: hash, ID: uuid.NewString(), Person: person, Server: true, Role: string(review.RoleOwner), CreatedAt: time.Now().UnixMicro()}
	_, err := change(ctx, d, "set the server's token", func(tx *gorm.DB) (none, error) {
		if _, err := personByID(tx, person); err != nil {
			return none{}, err
		}
		if err := tx.Delete(&tokenRow{}, "server AND hash <> ?", hash).Error; err != nil {
			return none{}, err
		}
		return none{}, tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	})
	return err
}

// AddToken keeps a person's own token under its hash; without an id it gets
// one. It fails with fault.NotFound for an unknown person and with
// fault.Conflict if they have very many.
func (d *DB) AddToken(ctx context.Context, hash string, t review.Token) (review.Token, error) {
	if t.ID == "" {
		t.ID = uuid.NewString()
	}
	row := tokenRow{
		Hash: hash, ID: t.ID, Person: t.Person, Name: t.Name, Role: string(t.Role), Tail: t.Tail,
		CreatedAt: micros(t.CreatedAt), Expires: micros(t.Expires),
	}
	return change(ctx, d, "add a token", func(tx *gorm.DB) (review.Token, error) {
		if _, err := personByID(tx, t.Person); err != nil {
			return t, err
		}
		var has int64
		if err := tx.Model(&tokenRow{}).Where("person = ? AND NOT server", t.Person).Count(&has).Error; err != nil {
			return t, err
		}
		if has >= maxTokens {
			return t, fault.New(fault.Conflict, "You have %d tokens, which is as many as one person can have. Please revoke those that you don't use.", has)
		}
		if err := tx.Create(&row).Error; err != nil {
			return t, err
		}
		return row.token(), did(ctx, tx, review.Deed{Kind: review.DeedToken, Person: t.Person, By: t.Person, Detail: t.Name, More: row.Role})
	})
}

// Token returns who a token acts as, with the role that they have through it,
// or fails with fault.Unauthenticated.
func (d *DB) Token(ctx context.Context, hash string) (review.Person, review.Token, error) {
	var row tokenRow
	p, err := d.whose(ctx, &row, "hash = ? AND (expires = 0 OR expires > ?)", hash, time.Now().UnixMicro())
	p.Role = review.Least(p.Role, review.Role(row.Role))
	return p, row.token(), err
}

// TouchToken notes a use.
func (d *DB) TouchToken(ctx context.Context, hash string, used time.Time) error {
	_, err := change(ctx, d, "note a token's use", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Model(&tokenRow{}).Where("hash = ?", hash).Update("used_at", micros(used)).Error
	})
	return err
}

// Tokens lists a person's own tokens, the newest first, and those that have
// ended lately too. The server's is not among them.
func (d *DB) Tokens(ctx context.Context, person string) ([]review.Token, error) {
	var rows []tokenRow
	err := d.reader.WithContext(ctx).Order("created_at DESC, id").Find(&rows, "person = ? AND NOT server", person).Error
	list := make([]review.Token, len(rows))
	for i, r := range rows {
		list[i] = r.token()
	}
	return list, d.fail(err, "list tokens")
}

// RevokeToken ends a token of a person and returns its hash. It fails with
// fault.NotFound.
func (d *DB) RevokeToken(ctx context.Context, person, id string) (string, error) {
	return change(ctx, d, "revoke a token", func(tx *gorm.DB) (string, error) {
		var row tokenRow
		err := tx.Take(&row, "person = ? AND id = ? AND NOT server", person, id).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return "", fault.New(fault.NotFound, "There is no such token any more.")
		}
		if err != nil {
			return "", err
		}
		if err := tx.Delete(&row).Error; err != nil {
			return "", err
		}
		return row.Hash, did(ctx, tx, review.Deed{Kind: review.DeedRevoked, Person: person, By: person, Detail: row.Name})
	})
}
