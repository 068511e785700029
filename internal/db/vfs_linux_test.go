package db

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
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

// held is an open file of a disk.
type held struct {
	disk    *disk
	name    string
	methods *lib.Tsqlite3_io_methods // those of SQLite's own layer
}

var (
	installOnce sync.Once
	base        *lib.Tsqlite3_vfs
	open        sync.Map // *held by the address of SQLite's file
	tables      sync.Map // our methods' table, by the address of SQLite's own
)

// install makes the layer below SQLite the default one. Files that are on none
// of our disks go past it.
func install() {
	tls := libc.NewTLS()
	at := lib.Xsqlite3_vfs_find(tls, 0)
	base = pointer[lib.Tsqlite3_vfs](at)
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*base)))
	own := pointer[lib.Tsqlite3_vfs](p)
	*own = *base
	name, err := libc.CString("faults")
	if err != nil {
		panic(err)
	}
	own.FzName, own.FxOpen, own.FxDelete = name, address(openFile), address(deleteFile)
	if rc := lib.Xsqlite3_vfs_register(tls, p, 1); rc != 0 {
		panic(rc)
	}
}

// address and function turn functions into what the driver keeps in its
// tables, and back.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](at uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ at uintptr }{at}))
}

// pointer is what lies at an address outside of Go's memory.
func pointer[T any](at uintptr) *T { return *(**T)(unsafe.Pointer(&at)) }

type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleteFunc   = func(tls *libc.TLS, vfs, name uintptr, flush int32) int32
	closeFunc    = func(tls *libc.TLS, file uintptr) int32
	writeFunc    = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc     = func(tls *libc.TLS, file uintptr, flags int32) int32
)

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	rc := function[openFunc](base.FxOpen)(tls, uintptr(unsafe.Pointer(base)), name, file, flags, out)
	if rc != 0 || name == 0 {
		return rc
	}
	path := libc.GoString(name)
	v, ok := disks.Load(filepath.Dir(path))
	if !ok {
		return rc
	}
	h := &held{disk: v.(*disk), name: filepath.Base(path)}
	f := pointer[lib.Tsqlite3_file](file)
	h.methods = pointer[lib.Tsqlite3_io_methods](f.FpMethods)
	f.FpMethods = tableFor(tls, f.FpMethods)
	open.Store(file, h)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.disk.files[h.name] == nil {
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		// What is there from before has been there long.
		h.disk.files[h.name] = &platter{there: len(b) > 0, flushed: b}
	}
	h.disk.files[h.name].ghost = false
	return rc
}

func tableFor(tls *libc.TLS, methods uintptr) uintptr {
	if t, ok := tables.Load(methods); ok {
		return t.(uintptr)
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	own := pointer[lib.Tsqlite3_io_methods](p)
	*own = *pointer[lib.Tsqlite3_io_methods](methods)
	own.FxClose, own.FxWrite, own.FxTruncate, own.FxSync = address(closeFile), address(writeFile), address(truncateFile), address(flushFile)
	t, _ := tables.LoadOrStore(methods, p)
	return t.(uintptr)
}

func heldFile(file uintptr) *held {
	h, ok := open.Load(file)
	if !ok {
		panic(fmt.Sprintf("no file at %#x", file))
	}
	return h.(*held)
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	h := heldFile(file)
	open.Delete(file)
	return function[closeFunc](h.methods.FxClose)(tls, file)
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("write"); rc != 0 {
		return rc
	}
	b := append([]byte{}, unsafe.Slice(pointer[byte](data), n)...)
	p := h.disk.platter(h.name)
	p.since = append(p.since, written{at, b})
	return function[writeFunc](h.methods.FxWrite)(tls, file, data, n, at)
}

func truncateFile(tls *libc.TLS, file uintptr, size int64) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("truncate"); rc != 0 {
		return rc
	}
	p := h.disk.platter(h.name)
	p.since = append(p.since, written{at: size})
	return function[truncateFunc](h.methods.FxTruncate)(tls, file, size)
}

// flushFile does not trouble the real disk: what is flushed is kept here.
func flushFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("sync"); rc != 0 {
		return rc
	}
	if h.disk.off {
		return lib.SQLITE_IOERR // the power went before it came back
	}
	h.disk.platter(h.name).flush()
	return 0
}

func deleteFile(tls *libc.TLS, vfs, name uintptr, flush int32) int32 {
	path := libc.GoString(name)
	if v, ok := disks.Load(filepath.Dir(path)); ok {
		d := v.(*disk)
		d.mu.Lock()
		defer d.mu.Unlock()
		if rc := d.begins("delete"); rc != 0 {
			return rc
		}
		if flush != 0 || d.files[filepath.Base(path)] == nil {
			delete(d.files, filepath.Base(path))
		} else {
			d.files[filepath.Base(path)].ghost = true
		}
	}
	return function[deleteFunc](base.FxDelete)(tls, uintptr(unsafe.Pointer(base)), name, flush)
}
