package db

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"

	"gorm.io/gorm"

	"countersign/internal/planning"
)

const (
	// A snapshot is due after this many events, or this many bytes of them and
	// at least as many as the last snapshot was long: so loading reads little,
	// and snapshots never cost more than the events themselves.
	snapshotEvents = 1000
	snapshotBytes  = 256 << 10

	// foldVersion is to be raised whenever the fold gives another state for
	// the same log. Snapshots and read models of another fold are not used.
	foldVersion = 1
)

// foldID also changes by itself with the shape of what is stored.
var foldID = fmt.Sprintf("%d-%08x", foldVersion,
	crc32.ChecksumIEEE([]byte(shape(reflect.TypeFor[planning.State]())+shape(reflect.TypeFor[planning.Summary]()))))

// shape spells out a type down to its basic types, JSON names included.
func shape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Array:
		return t.Kind().String() + " " + shape(t.Elem())
	case reflect.Map:
		return "map " + shape(t.Key()) + " " + shape(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return t.String()
		}
		var b strings.Builder
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(&b, "%s %q %s;", f.Name, f.Tag, shape(f.Type))
		}
		return "{" + b.String() + "}"
	}
	return t.Kind().String()
}

// due tells whether the state is to be stored now.
func (e entry) due() bool {
	return e.state.Seq-e.snapshot >= snapshotEvents || e.tail >= max(snapshotBytes, e.size)
}

// saved returns the entry with a snapshot of this size at its seq.
func (e entry) saved(size int) entry {
	e.snapshot, e.size, e.tail = e.state.Seq, size, 0
	return e
}

type snapshotRow struct {
	Session string `gorm:"primaryKey"`
	Seq     int64
	Fold    string
	State   []byte
	Head    []byte // the link of the record that it stands at
	Sum     []byte // of both, against what a disk does to them
}

func (snapshotRow) TableName() string { return "snapshots" }

// entry makes the domain value. It fails when the snapshot can't be trusted.
func (r snapshotRow) entry() (entry, error) {
	if r.Fold != foldID {
		return entry{}, fmt.Errorf("made by fold %s, this is %s", r.Fold, foldID)
	}
	e := entry{snapshot: r.Seq, size: len(r.State)}
	if copy(e.sum[:], r.Head); !bytes.Equal(sealed(e.sum, r.State), r.Sum) {
		return entry{}, errors.New("is not what was written")
	}
	if err := json.Unmarshal(r.State, &e.state); err != nil {
		return entry{}, err
	}
	if e.state.ID != r.Session || e.state.Seq != r.Seq {
		return entry{}, fmt.Errorf("is of session %q at %d, not of %q at %d", e.state.ID, e.state.Seq, r.Session, r.Seq)
	}
	return e, nil
}

// snapshotOf returns the stored state, or the empty one: a snapshot only saves
// time, so one that can't be read is as good as none.
func (d *DB) snapshotOf(ctx context.Context, session string) (entry, error) {
	var row snapshotRow
	err := d.reader.WithContext(ctx).Take(&row, "session = ?", session).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return entry{}, nil
	}
	if err != nil && !corrupt(err) {
		return entry{}, err
	}
	e := entry{}
	if err == nil {
		e, err = row.entry()
	}
	if err != nil {
		d.log.WarnContext(ctx, "ignoring a snapshot", "session", session, "seq", row.Seq, "error", err)
		return entry{}, nil
	}
	return e, nil
}
