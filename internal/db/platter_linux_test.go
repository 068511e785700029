package db

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	lib "modernc.org/sqlite/lib"
)

// disk stands between SQLite and the files in one folder. It can refuse writes,
// and it can lose its power: then it knows what had been flushed, and what
// might or might not have reached the platter. It works below the driver, so
// what runs over it is the code that people run.
type disk struct {
	mu     sync.Mutex
	files  map[string]*platter
	refuse func(op string) int32 // a result code of SQLite, 0 to let it pass
	left   int                   // operations until the power goes; negative: it stays
	off    bool
}

// platter is one file: what is certainly there, and what was written since.
type platter struct {
	there   bool
	flushed []byte
	since   []written
	ghost   bool // its name was removed, and that was not flushed
}

// written is one write, or a new length.
type written struct {
	at   int64
	data []byte // nil: the file ends at at
}

// disks are the disks by their folders.
var disks sync.Map

// newDisk puts a disk under a folder.
func newDisk(dir string) *disk {
	installOnce.Do(install)
	d := &disk{files: map[string]*platter{}, left: -1}
	disks.Store(dir, d)
	return d
}

// begins notes an operation and says whether it may happen.
func (d *disk) begins(op string) int32 {
	if d.off {
		return lib.SQLITE_IOERR
	}
	if d.refuse != nil {
		if rc := d.refuse(op); rc != 0 {
			return rc
		}
	}
	if d.left >= 0 {
		if d.left--; d.left < 0 {
			d.off = true // this operation is the last; it may happen or not
		}
	}
	return 0
}

func (d *disk) platter(name string) *platter {
	p := d.files[name]
	if p == nil {
		p = &platter{}
		d.files[name] = p
	}
	return p
}

func (p *platter) flush() {
	for _, c := range p.since {
		p.flushed = c.apply(p.flushed)
	}
	p.there, p.since = true, nil
}

func (c written) apply(b []byte) []byte {
	if c.data == nil {
		if int64(len(b)) > c.at {
			b = b[:c.at]
		}
		return b
	}
	if end := c.at + int64(len(c.data)); int64(len(b)) < end {
		b = append(b, make([]byte, end-int64(len(b)))...)
	}
	copy(b[c.at:], c.data)
	return b
}

const sector = 512

// survives is what a file holds when the power is back: everything flushed, and
// of the rest each write whole, torn between sectors, or not at all.
func (p *platter) survives(r *rand.Rand) []byte {
	b := append([]byte(nil), p.flushed...)
	mode := r.IntN(4)
	for i, c := range p.since {
		switch {
		case mode == 0, mode == 1 && r.IntN(2) == 0: // dropped
		case mode == 2 && i < len(p.since)-1, mode == 1: // whole
			b = c.apply(b)
		case c.data == nil:
			if r.IntN(2) == 0 {
				b = c.apply(b)
			}
		default: // torn
			for at := 0; at < len(c.data); at += sector {
				if r.IntN(2) == 0 {
					b = written{c.at + int64(at), c.data[at:min(at+sector, len(c.data))]}.apply(b)
				}
			}
		}
	}
	return b
}

// flushNames makes certain which names are gone from the folder.
func (d *disk) flushNames() {
	for name, p := range d.files {
		if p.ghost {
			delete(d.files, name)
		}
	}
}

// crash writes what survives into another folder.
func (d *disk) crash(r *rand.Rand, dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, p := range d.files {
		if !p.there && (len(p.since) == 0 || r.IntN(2) == 0) || p.ghost && r.IntN(2) == 0 {
			continue
		}
		if strings.HasSuffix(name, "-shm") {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), p.survives(r), 0o600); err != nil {
			return err
		}
	}
	return nil
}
