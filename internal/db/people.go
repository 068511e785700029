package db

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/internal/fault"
	"countersign/internal/review"
)

// maxName is the longest name, in characters.
const maxName = 80

type personRow struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	NameKey   string // what makes two names the same
	Role      string
	CreatedAt int64  `gorm:"autoCreateTime:false"`
	RemovedAt *int64 // nil while they are here
}

func (personRow) TableName() string { return "people" }

func (r personRow) person() review.Person {
	return review.Person{ID: r.ID, Name: r.Name, Role: review.Role(r.Role), CreatedAt: stamp(r.CreatedAt)}
}

// micros is how times are kept: microseconds since 1970, and 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// stamp is the time that is kept as n.
func stamp(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// newPersonRow checks name and role.
func newPersonRow(name string, role review.Role) (personRow, error) {
	name = strings.TrimSpace(norm.NFC.String(name))
	switch {
	case name == "":
		return personRow{}, fault.New(fault.Invalid, "Please give a name.").At("name")
	case utf8.RuneCountInString(name) > maxName:
		return personRow{}, fault.New(fault.Invalid, "A name has at most %d characters.", maxName).At("name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
		return personRow{}, fault.New(fault.Invalid, "A name is written in visible characters.").At("name")
	case !role.Valid():
		return personRow{}, fault.New(fault.Invalid, "There is no role %q.", role).At("role")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return personRow{}, err
	}
	return personRow{ID: id.String(), Name: name, NameKey: nameKey(name), Role: string(role), CreatedAt: time.Now().UnixMicro()}, nil
}

func nameKey(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }

// hidden: a name with characters that can't be seen, or that turn the text
// around them, could pass for another person's.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)
}

// insert fails with fault.Conflict, before anything is written, if the name is
// taken.
func (r personRow) insert(tx *gorm.DB) error {
	result := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name_key"}}, DoNothing: true}).Create(&r)
	if result.Error == nil && result.RowsAffected == 0 {
		return fault.New(fault.Conflict, "Somebody here is, or was, called %s already. Please choose another name.", r.Name).At("name")
	}
	return result.Error
}

// AddPerson makes a person. Names are unique, without regard to case; a taken
// one, also of somebody who was removed, is fault.Conflict on field "name", an
// unfit one fault.Invalid.
func (d *DB) AddPerson(ctx context.Context, name string, role review.Role) (review.Person, error) {
	row, err := newPersonRow(name, role)
	if err != nil {
		return review.Person{}, err
	}
	return change(ctx, d, "add a person", func(tx *gorm.DB) (review.Person, error) {
		if err := row.insert(tx); err != nil {
			return row.person(), err
		}
		return row.person(), did(ctx, tx, review.Deed{Kind: review.DeedAdded, Person: row.ID, Detail: string(role)})
	})
}

// Person fails with fault.NotFound, also for somebody who was removed.
func (d *DB) Person(ctx context.Context, id string) (review.Person, error) {
	p, err := personByID(d.reader.WithContext(ctx), id)
	return p, d.fail(err, "look a person up")
}

func personByID(g *gorm.DB, id string) (review.Person, error) {
	var row personRow
	err := g.Take(&row, "id = ? AND removed_at IS NULL", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return review.Person{}, fault.New(fault.NotFound, "There is no such person.")
	}
	return row.person(), err
}

// People lists everybody who is here, the longest known first.
func (d *DB) People(ctx context.Context) ([]review.Person, error) {
	var rows []personRow
	if err := d.reader.WithContext(ctx).Order("created_at, id").Find(&rows, "removed_at IS NULL").Error; err != nil {
		return nil, d.fail(err, "list the people")
	}
	people := make([]review.Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, nil
}
