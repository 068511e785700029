package planning

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"countersign/internal/fault"
)

// Sum is a link of the chain that a log's records form: the SHA-256 of the link
// before and of everything that the record says. Whatever is changed, taken
// out or moved later, the links from there on fit no more. The zero value
// stands before the first record.
type Sum [sha256.Size]byte

// MarshalText is the sum in hexadecimal.
func (s Sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// Link returns the record's link after the one before it. Each part goes in
// with its length, so that no two records give the same bytes; the time counts
// in microseconds, which is what a log keeps.
func (r Record) Link(before Sum) Sum {
	b := make([]byte, 0, 256+len(r.Data))
	b = append(b, before[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(r.Version))
	b = binary.BigEndian.AppendUint64(b, uint64(r.At.UnixMicro()))
	for _, part := range []string{r.Session, string(r.Kind), string(r.Actor.Kind), r.Actor.ID, r.Actor.Name} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(part))), part...)
	}
	b = append(b, r.Data...)
	return sha256.Sum256(b)
}

// Follows says what is wrong with a record that stands after the one with this
// seq and sum, nil if it is the one that was written there.
func (r Record) Follows(seq int64, before Sum) *Damage {
	switch {
	case r.Seq != seq+1:
		return &Damage{Seq: seq + 1, Flaw: FlawMissing}
	case r.Link(before) != r.Sum:
		return &Damage{Seq: r.Seq, Flaw: FlawChanged}
	}
	return nil
}

// Flaw says what is wrong with a record.
type Flaw string

// The flaws.
const (
	FlawChanged    Flaw = "changed"    // it is not what was written there
	FlawMissing    Flaw = "missing"    // it is not there
	FlawUnreadable Flaw = "unreadable" // the disk does not give it back
)

// Damage is the first record of a log that is not as it was written. The
// session can be read as far as the log can be trusted, and nothing is added
// to it any more.
type Damage struct {
	Seq  int64 `json:"seq"`
	Flaw Flaw  `json:"flaw"`
}

// Part names the damage within a sentence, as "entry 7 was changed after it was
// written".
func (d *Damage) Part() fault.Part {
	switch d.Flaw {
	case FlawMissing:
		return fault.NewPart("entry %d is missing", d.Seq)
	case FlawUnreadable:
		return fault.NewPart("entry %d can't be read from the disk", d.Seq)
	}
	return fault.NewPart("entry %d was changed after it was written", d.Seq)
}

// Fault refuses what would add to the log; the damage is its cause.
func (d *Damage) Fault() *fault.Fault {
	return fault.Wrap(d, fault.Forbidden, "The record of this session is damaged: %s, and from there on it can't be relied on. The session can be read, but nothing is added to it and its agent does not run. Other sessions go on. “countersign verify” lists all that is damaged; what was there before is in a backup, if there is one.", d.Part())
}

// Error is for logs and the command line.
func (d *Damage) Error() string { return d.Part().String() }
