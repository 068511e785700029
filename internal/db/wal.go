package db

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"time"

	"countersign/internal/fault"
)

// The parts of a WAL, as in SQLite's description of its file format.
const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // its lowest bit: the sums read words from the big end
	walAtOnce   = 16         // frames that are read at once
)

// walSum is SQLite's running checksum.
type walSum struct {
	a, b uint32
	big  bool // it reads words from the big end
}

// add is what a start after a crash spends on the WAL, so it is kept simple.
func (s walSum) add(data []byte) walSum {
	for ; len(data) >= 8; data = data[8:] {
		x, y := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if s.big {
			x, y = bits.ReverseBytes32(x), bits.ReverseBytes32(y)
		}
		s.a += x + s.b
		s.b += y + s.a
	}
	return s
}

// stored is a sum as it stands in a header.
func (s walSum) stored(at []byte) walSum {
	s.a, s.b = binary.BigEndian.Uint32(at), binary.BigEndian.Uint32(at[4:])
	return s
}

// lostCommits counts the commits in a database's WAL that stand at or behind a
// damaged place, where SQLite stops reading without a word. It returns 0 for
// the end that a power loss leaves: there the last transaction can be in
// pieces, but none was begun before the one ahead of it had been flushed.
func lostCommits(path string) (int, error) {
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, walAtOnce*(frameHeader+pageSize))
	head := make([]byte, walHeader)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil // nothing was ever committed in it
	}
	sum := walSum{big: binary.BigEndian.Uint32(head)&1 == 1}
	computed := sum.add(head[:24])
	sum = sum.stored(head[24:])
	whole := computed == sum && binary.BigEndian.Uint32(head)&^1 == walMagic
	w := walScan{salts: [8]byte(head[16:24]), sum: sum, damaged: !whole, anySalts: !whole}
	for {
		frame, err := r.Peek(frameHeader + pageSize)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, err
		}
		w.frame(frame)
		_, _ = r.Discard(len(frame)) // it is there, as has just been seen
	}
	if w.lost < 2 && !(w.anySalts && w.lost > 0) { // the header is flushed before the first commit
		return 0, nil
	}
	return w.lost, nil
}

// walScan goes through the frames of a WAL.
type walScan struct {
	salts    [8]byte // of the frames that belong to it; others are of an earlier use
	anySalts bool    // the header is damaged, so the first frame says
	sum      walSum  // as it stands in the frame before
	damaged  bool
	lost     int
}

func (w *walScan) frame(frame []byte) {
	salts := [8]byte(frame[8:16])
	if w.anySalts && w.lost == 0 && w.salts != salts {
		w.salts = salts
	}
	computed := w.sum.add(frame[:8]).add(frame[frameHeader:])
	w.sum = w.sum.stored(frame[16:24])
	fits, commits := computed == w.sum && salts == w.salts, binary.BigEndian.Uint32(frame[4:]) != 0
	switch {
	case !fits && !w.damaged:
		w.damaged = true
		if commits && salts == w.salts {
			w.lost++
		}
	case fits && w.damaged && commits:
		w.lost++
	}
}

// checkWAL refuses a database whose WAL has lost commits, or, if told to go on
// without them, keeps a copy of it.
func checkWAL(path string, goOn bool) error {
	lost, err := lostCommits(path)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s-wal can't be read: %s.", path, reason(err))
	}
	if lost == 0 {
		return nil
	}
	if !goOn {
		return fault.New(fault.Invalid, "%s-wal is damaged: %d commits can't be read any more. “countersign restore” puts a backup in its place, “countersign rebuild” goes on without them.", path, lost)
	}
	wal, err := os.ReadFile(path + "-wal")
	if err == nil {
		err = os.WriteFile(path+"-wal.damaged-"+time.Now().UTC().Format("20060102T150405"), wal, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The damaged %s-wal can't be put aside: %s.", path, reason(err))
	}
	return nil
}
