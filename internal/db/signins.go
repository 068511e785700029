package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/internal/fault"
	"countersign/internal/review"
)

type signInRow struct {
	Hash    string `gorm:"primaryKey"`
	Person  string
	Expires int64
}

func (signInRow) TableName() string { return "sign_ins" }

// AddSignIn remembers that whoever has the secret with this hash is the person,
// until expires. It fails with fault.NotFound for an unknown person.
func (d *DB) AddSignIn(ctx context.Context, hash, person string, expires time.Time) error {
	_, err := change(ctx, d, "sign in", func(tx *gorm.DB) (none, error) {
		if _, err := personByID(tx, person); err != nil {
			return none{}, err
		}
		return none{}, tx.Create(&signInRow{Hash: hash, Person: person, Expires: expires.UnixMicro()}).Error
	})
	return err
}

// SignIn returns who is signed in, or fails with fault.Unauthenticated.
func (d *DB) SignIn(ctx context.Context, hash string) (review.Person, error) {
	return d.whose(ctx, "JOIN sign_ins s ON s.person = people.id AND s.hash = ? AND s.expires > ?", hash, time.Now().UnixMicro())
}

// EndSignIn forgets the sign-in; one that there isn't is no error.
func (d *DB) EndSignIn(ctx context.Context, hash string) error {
	_, err := change(ctx, d, "sign out", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Delete(&signInRow{Hash: hash}).Error
	})
	return err
}

type tokenRow struct {
	Hash   string `gorm:"primaryKey"`
	Person string
}

func (tokenRow) TableName() string { return "tokens" }

// AddToken lets an API token act as a person; adding it twice is no error, and
// the person named last counts. It fails with fault.NotFound for an unknown
// person.
func (d *DB) AddToken(ctx context.Context, hash, person string) error {
	_, err := change(ctx, d, "add a token", func(tx *gorm.DB) (none, error) {
		if _, err := personByID(tx, person); err != nil {
			return none{}, err
		}
		return none{}, tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&tokenRow{Hash: hash, Person: person}).Error
	})
	return err
}

// Token returns who the token acts as, or fails with fault.Unauthenticated.
func (d *DB) Token(ctx context.Context, hash string) (review.Person, error) {
	return d.whose(ctx, "JOIN tokens t ON t.person = people.id AND t.hash = ?", hash)
}

func (d *DB) whose(ctx context.Context, join string, args ...any) (review.Person, error) {
	var row personRow
	err := d.reader.WithContext(ctx).Joins(join, args...).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return review.Person{}, fault.New(fault.Unauthenticated, "Please sign in.")
	}
	if err != nil {
		return review.Person{}, d.fail(err, "look a sign-in up")
	}
	return row.person(), nil
}

// none is the result of a change that has none.
type none struct{}

// sweep throws away what nobody can use any more.
func (d *DB) sweep(ctx context.Context, now time.Time) error {
	_, err := change(ctx, d, "sweep", func(tx *gorm.DB) (none, error) {
		for _, err := range []error{
			tx.Delete(&linkRow{}, "expires <= ?", now.UnixMicro()).Error,
			tx.Delete(&signInRow{}, "expires <= ?", now.UnixMicro()).Error,
			tx.Delete(&replyRow{}, "created_at <= ?", now.Add(-keepReplies).UnixMicro()).Error,
		} {
			if err != nil {
				return none{}, err
			}
		}
		return none{}, nil
	})
	return err
}
