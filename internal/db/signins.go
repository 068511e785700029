package db

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"countersign/internal/fault"
	"countersign/internal/review"
)

type signInRow struct {
	Hash      string `gorm:"primaryKey"`
	ID        string
	Person    string
	Agent     string
	Via       string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	UsedAt    int64
	Expires   int64
}

func (signInRow) TableName() string { return "sign_ins" }

func (r signInRow) signIn() review.SignIn {
	return review.SignIn{
		ID: r.ID, Person: r.Person, Agent: r.Agent, Via: review.Via(r.Via),
		CreatedAt: stamp(r.CreatedAt), UsedAt: stamp(r.UsedAt), Expires: stamp(r.Expires),
	}
}

// AddSignIn remembers that whoever has the secret with this hash is s.Person,
// until s.Expires. Without an id it gets one. It fails with fault.NotFound for
// an unknown person.
func (d *DB) AddSignIn(ctx context.Context, hash string, s review.SignIn) error {
	if s.ID == "" {
		s.ID = uuid.NewString()
	}
	row := signInRow{
		Hash: hash, ID: s.ID, Person: s.Person, Agent: s.Agent, Via: string(s.Via),
		CreatedAt: micros(s.CreatedAt), UsedAt: micros(s.UsedAt), Expires: micros(s.Expires),
	}
	_, err := change(ctx, d, "sign in", func(tx *gorm.DB) (none, error) {
		if _, err := personByID(tx, s.Person); err != nil {
			return none{}, err
		}
		if err := tx.Create(&row).Error; err != nil {
			return none{}, err
		}
		return none{}, did(ctx, tx, review.Deed{Kind: review.DeedSignedIn, Person: s.Person, By: s.Person, Detail: row.Via, More: row.Agent})
	})
	return err
}

// SignIn returns who is signed in and how, or fails with fault.Unauthenticated.
func (d *DB) SignIn(ctx context.Context, hash string) (review.Person, review.SignIn, error) {
	var row signInRow
	p, err := d.whose(ctx, &row, "hash = ? AND expires > ?", hash, time.Now().UnixMicro())
	return p, row.signIn(), err
}

// TouchSignIn notes a use, and moves the end of the sign-in on. One that has
// ended stays so.
func (d *DB) TouchSignIn(ctx context.Context, hash string, used, expires time.Time) error {
	_, err := change(ctx, d, "note a sign-in's use", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Model(&signInRow{}).Where("hash = ?", hash).
			Updates(map[string]any{"used_at": micros(used), "expires": micros(expires)}).Error
	})
	return err
}

// EndSignIn forgets the sign-in; one that there isn't is no error.
func (d *DB) EndSignIn(ctx context.Context, hash string) error {
	_, err := change(ctx, d, "sign out", func(tx *gorm.DB) (none, error) {
		return none{}, tx.Delete(&signInRow{Hash: hash}).Error
	})
	return err
}

// SignIns lists the browsers in which a person is signed in, the last used
// first.
func (d *DB) SignIns(ctx context.Context, person string) ([]review.SignIn, error) {
	var rows []signInRow
	err := d.reader.WithContext(ctx).Order("used_at DESC, id").Find(&rows, "person = ? AND expires > ?", person, time.Now().UnixMicro()).Error
	list := make([]review.SignIn, len(rows))
	for i, r := range rows {
		list[i] = r.signIn()
	}
	return list, d.fail(err, "list sign-ins")
}

// EndOneSignIn ends a sign-in of a person by its id and returns its hash. It
// fails with fault.NotFound.
func (d *DB) EndOneSignIn(ctx context.Context, person, id string) (string, error) {
	hashes, err := d.endSignIns(ctx, person, "id = ?", id)
	if err == nil && len(hashes) == 0 {
		return "", fault.New(fault.NotFound, "There is no such sign-in any more.")
	}
	if err != nil {
		return "", err
	}
	return hashes[0], nil
}

// EndSignIns ends all sign-ins of a person but the one with the id but, which
// may be empty, and returns their hashes.
func (d *DB) EndSignIns(ctx context.Context, person, but string) ([]string, error) {
	return d.endSignIns(ctx, person, "id <> ?", but)
}

func (d *DB) endSignIns(ctx context.Context, person, where string, args ...any) ([]string, error) {
	return change(ctx, d, "end sign-ins", func(tx *gorm.DB) ([]string, error) {
		var hashes []string
		err := tx.Model(&signInRow{}).Where("person = ?", person).Where(where, args...).Pluck("hash", &hashes).Error
		if err != nil || len(hashes) == 0 {
			return nil, err
		}
		if err := tx.Delete(&signInRow{}, "hash IN ?", hashes).Error; err != nil {
			return nil, err
		}
		return hashes, did(ctx, tx, review.Deed{Kind: review.DeedSignOut, Person: person, By: person, Detail: strconv.Itoa(len(hashes))})
	})
}

// whose finds a sign-in or a token and the person that it is of. row is a
// pointer to either.
func (d *DB) whose(ctx context.Context, row interface{ owner() string }, where string, args ...any) (review.Person, error) {
	g := d.reader.WithContext(ctx)
	err := g.Where(where, args...).Take(row).Error
	var p review.Person
	if err == nil {
		p, err = personByID(g, row.owner())
	}
	if errors.Is(err, gorm.ErrRecordNotFound) || fault.Is(err, fault.NotFound) {
		return review.Person{}, fault.New(fault.Unauthenticated, "Please sign in.")
	}
	return p, d.fail(err, "look a sign-in up")
}

func (r signInRow) owner() string { return r.Person }

// none is the result of a change that has none.
type none struct{}

// sweep throws away what nobody can use any more.
func (d *DB) sweep(ctx context.Context, now time.Time) error {
	_, err := change(ctx, d, "sweep", func(tx *gorm.DB) (none, error) {
		for _, err := range []error{
			tx.Delete(&linkRow{}, "expires <= ?", now.Add(-keepLinks).UnixMicro()).Error,
			tx.Delete(&signInRow{}, "expires <= ?", now.UnixMicro()).Error,
			tx.Delete(&tokenRow{}, "expires > 0 AND expires <= ?", now.Add(-keepLinks).UnixMicro()).Error,
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
